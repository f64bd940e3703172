"""Linear families: how far a row moves a group's answers, sums that do not wrap, and whose code sees counts."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

FAMILY, DOMAIN, WHOLE = (f"tests/families/test_{name}.py" for name in ("family", "domain", "whole"))
TREES, PARITIES, HADAMARD = (f"tests/families/test_{name}.py" for name in ("trees", "parities", "hadamard"))
EXPLICIT, CLOSED = "tests/families/test_explicit.py", "tests/families/test_closed_list.py"
RANGES, MARGINALS = "tests/families/test_ranges.py", "tests/families/test_marginals.py"
BOUNDS = f"{FAMILY}::test_no_unit_moves_the_answers_further_than_the_bound_and_some_unit_does"

MUTATIONS: list[Mutant] = [
    broken(
        "families: a row that is replaced counts once in L1",
        "families/family.py",
        "(2 * self.l1 if self.apart_l1 is None else self.apart_l1)",
        "(self.l1 if self.apart_l1 is None else self.apart_l1)",
        BOUNDS,
    ),
    broken(
        "families: a row that is replaced counts once in L2",
        "families/family.py",
        "(4 if self.signed else 2) * self.l2_squared",
        "(4 if self.signed else 1) * self.l2_squared",
        BOUNDS,
    ),
    broken(
        "families: signs are bounded as counts that cannot be negative",
        "families/family.py",
        "SIGN = RowBound(1, 1, signed=True)\n",
        "SIGN = RowBound(1, 1)\n",
        BOUNDS,
    ),
    broken(
        "families: rows in one cell count as if they lay in several",
        "families/family.py",
        "            return rows**2 * self.l2_squared\n",
        "            return rows * self.l2_squared\n",
        BOUNDS,
    ),
    broken(
        "families: a partition is bounded as a single count",
        "families/family.py",
        "PARTITION = RowBound(1, 1)\n",
        "PARTITION = RowBound(1, 1, apart_l1=1, apart_l2_squared=1)\n",
        BOUNDS,
    ),
    broken(
        "families: a tree's bound misses a level",
        "families/trees.py",
        "        return RowBound(self.levels, self.levels, apart_l1=apart, apart_l2_squared=apart)\n",
        "        return RowBound(self.levels - 1, self.levels - 1, apart_l1=apart, apart_l2_squared=apart)\n",
        BOUNDS,
        f"{TREES}::test_theorem_a_row_lies_in_one_node_of_every_level",
    ),
    broken(
        "families: rows of a tree lie apart at one end only",
        "families/trees.py",
        "        apart = max(2 * several, self.levels)\n",
        "        apart = self.levels\n",
        BOUNDS,
    ),
    broken(
        "families: a tree whose root counts moves as one without where a unit has no rows left",
        "families/trees.py",
        "        apart = max(2 * several, self.levels)\n",
        "        apart = 2 * several\n",
        f"{TREES}::test_theorem_a_row_lies_in_one_node_of_every_level",
    ),
    broken(
        "families: written questions are bounded by their longest line",
        "families/explicit.py",
        "    return int(held.sum(axis=0).max()), int((held * held).sum(axis=0).max())\n",
        "    return int(held.sum(axis=1).max()), int((held * held).sum(axis=1).max())\n",
        f"{EXPLICIT}::test_theorem_bounds_are_those_of_the_matrix",
    ),
    broken(
        "families: bounds of large entries wrap",
        "families/explicit.py",
        "    held = hold(magnitudes, max(int(magnitudes.max()), 1))",
        "    held = magnitudes",
        f"{EXPLICIT}::test_bounds_of_the_largest_entries_do_not_wrap",
    ),
    broken(
        "families: large written matrices with signs are bounded as if without",
        "families/explicit.py",
        "        lengths = (4 if signed else 2) * l2_squared\n",
        "        lengths = 2 * l2_squared\n",
        f"{EXPLICIT}::test_theorem_large_matrices_are_bounded_by_their_lengths_and_spans",
    ),
    broken(
        "families: large written matrices span from their least number, not from none",
        "families/explicit.py",
        "np.maximum(cells.max(axis=1), 0) - np.minimum(cells.min(axis=1), 0)",
        "cells.max(axis=1) - cells.min(axis=1)",
        f"{EXPLICIT}::test_theorem_large_matrices_are_bounded_by_their_lengths_and_spans",
    ),
    broken(
        "families: a matrix may be changed after it was bounded",
        "families/explicit.py",
        "    return np.frombuffer(array.astype(np.int64).tobytes(), dtype=np.int64).reshape(array.shape)\n",
        "    return array.astype(np.int64, copy=False)\n",
        f"{EXPLICIT}::test_a_matrix_cannot_be_changed_after_it_was_bounded",
    ),
    broken(
        "families: a stranger's class sees counts",
        "families/closed_list.py",
        "    if type(family) in FAMILIES:\n",
        "    if isinstance(family, Family):\n",
        f"{CLOSED}::test_a_class_of_ones_own_is_written_out_and_bounded_by_its_numbers",
    ),
    broken(
        "families: inheriting from a family of the closed list is enough",
        "families/closed_list.py",
        "    if type(family) in FAMILIES:\n",
        "    if isinstance(family, FAMILIES):\n",
        f"{CLOSED}::test_inheriting_from_a_family_of_the_list_is_no_way_onto_it",
    ),
    broken(
        "families: numbers of cells are rounded in silence",
        "families/family.py",
        "np.all((np.rint(line) == line) & (abs(line) < 2**53))",
        "np.all(abs(line) < 2**53)",
        f"{CLOSED}::test_numbers_that_are_not_whole_are_refused",
    ),
    broken(
        "families: sums of whole numbers wrap",
        "families/whole.py",
        "    if _sum_fits(array, weight):\n",
        "    if array.dtype == np.int64 or _sum_fits(array, weight):\n",
        f"{WHOLE}::test_what_may_wrap_becomes_pythons_own",
        f"{DOMAIN}::test_sums_of_a_dense_table_do_not_wrap",
    ),
    broken(
        "families: weights of sums are forgotten",
        "families/whole.py",
        "whole.size * weight <= LARGEST or add_magnitudes(whole) * weight <= LARGEST",
        "whole.size <= LARGEST or add_magnitudes(whole) <= LARGEST",
        f"{WHOLE}::test_what_may_wrap_becomes_pythons_own",
        f"{FAMILY}::test_answers_are_exact_however_large_the_numbers",
    ),
    broken(
        "families: sums of many projections wrap",
        "families/domain.py",
        "project_all(self.domain.sizes, hold(self.table), sets)",
        "project_all(self.domain.sizes, self.table, sets)",
        f"{DOMAIN}::test_sums_of_a_dense_table_do_not_wrap",
    ),
    broken(
        "families: large whole numbers are transformed in floats",
        "families/hadamard.py",
        "        if most <= EXACT_FLOAT:\n",
        "        if True:\n",
        f"{HADAMARD}::test_theorem_whole_numbers_are_transformed_exactly_whatever_their_size",
    ),
    broken(
        "families: whole numbers are transformed in short floats",
        "families/hadamard.py",
        "np.float32 if short else np.float64",
        "np.float32",
        f"{HADAMARD}::test_theorem_whole_numbers_are_transformed_exactly_whatever_their_size",
    ),
    broken(
        "families: a parity is that of another mask",
        "families/parities.py",
        "            places = 2 * places + (masks >> column & 1)\n",
        "            places = places + ((masks >> column & 1) << column)\n",
        f"{PARITIES}::test_theorem_parities_of_rows_are_exact",
    ),
    broken(
        "families: a group beyond the last is that from the end",
        "families/family.py",
        '        return check.integer("group", group, least=0, most=self.groups - 1)\n',
        "        return group\n",
        f"{FAMILY}::test_groups_are_numbers_from_0",
    ),
    broken(
        "families: rows lie outside their domain",
        "families/domain.py",
        "            if len(column) and not 0 <= int(column.min()) <= int(column.max()) < size:\n",
        "            if False:\n",
        f"{DOMAIN}::test_rows_that_do_not_fit_the_domain_are_refused_without_quoting_them",
    ),
    broken(
        "families: bins leave a gap",
        "families/marginals.py",
        "        if set(each) != set(range(len(set(each)))):\n",
        "        if False:\n",
        f"{MARGINALS}::test_wrong_sets_and_bins_are_refused",
    ),
    broken(
        "families: boxes may be empty or outside",
        "families/ranges.py",
        "            or not 0 <= span[0] < span[1] <= size\n",
        "",
        f"{RANGES}::test_boxes_that_are_empty_or_outside_are_refused",
    ),
    broken(
        "families: the number of rows decides how parities are counted",
        "families/parities.py",
        "self.groups * WORTH)",
        "self.groups * source.rows // 64)",
        PARITIES,
    ),
]
