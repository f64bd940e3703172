"""The rules of tests by ranks, each broken once: what they are compared with, who is in which cell, when they tell."""

from __future__ import annotations

from mutants.mutant import broken

RANKS = "tests/robust/testing/test_ranks.py"
SIZES = f"{RANKS}::test_what_is_true_is_seldom_rejected_and_other_things_often"
EFFECTS = f"{RANKS}::test_effects_lie_in_their_intervals"
MISSED = f"{RANKS}::test_a_p_value_counts_what_the_number_of_people_may_miss"
MOST = f"{RANKS}::test_the_most_people_are_at_least_as_many_as_there_are"
FEW = f"{RANKS}::test_nothing_is_told_where_too_few_people_are"
CLASSICAL = f"{RANKS}::test_without_noise_the_statistics_are_the_classical_ones"
ADDED = f"{RANKS}::test_groups_that_were_added_up_have_the_noise_of_all"
DOOR = "tests/robust/testing/test_rank_tests.py"
CELLS = f"{DOOR}::test_each_person_is_in_one_cell_and_who_has_no_value_or_two_groups_in_none"
MIRRORED = f"{DOOR}::test_bins_around_zero_are_mirror_images"
REFUSED = f"{DOOR}::test_bad_input_is_refused_before_a_charge"
PLANNED = "tests/robust/designs/test_planning.py::test_few_more_people_are_needed_by_ranks_than_in_public"
ABSOLUTE = "tests/robust/testing/test_absolute_ranks.py"

MUTATIONS = [
    broken(
        "ranks: the noise is left out of what cells are compared with",
        "robust/testing/contingency.py",
        "measure(drawn + draw_noise(noise, drawn.shape, rng), noise)",
        "measure(drawn + 0.0, noise)",
        SIZES,
    ),
    broken(
        "ranks: what the number of people may miss is left out of the p-value",
        "robust/testing/contingency.py",
        "/ (1 + draws)\n    return np.minimum(found + COUNT_MISS, 1.0)",
        "/ (1 + draws)\n    return np.minimum(found, 1.0)",
        MISSED,
    ),
    broken(
        "ranks: the number of people is taken from the lower end",
        "robust/testing/contingency.py",
        "cells.sum(axis=-1) + bound_total(",
        "cells.sum(axis=-1) - bound_total(",
        MOST,
    ),
    broken(
        "ranks: cells are compared with those of the noisy number of people",
        "robust/testing/contingency.py",
        "    most = bound_people(cells.reshape(runs, size), noise).astype(np.int64)\n",
        "    most = np.maximum(cells.reshape(runs, size).sum(axis=-1), 1.0).astype(np.int64)\n",
        MOST,
    ),
    broken(
        "ranks: groups are compared however few they are",
        "robust/testing/ranks.py",
        "found: Booleans = bound_total(noise, cells.shape[-1], 2 * DOUBT_MISS) < MOST_DOUBT * cells.sum(axis=-1)",
        "found: Booleans = cells.sum(axis=-1) > -1e9",
        FEW,
    ),
    broken(
        "ranks: people who are all in one bin are ranked",
        "robust/testing/ranks.py",
        "held.sum(axis=-1) >= 2",
        "held.sum(axis=-1) >= 1",
        FEW,
    ),
    broken(
        "ranks: ties have their last rank, not the middle one",
        "robust/testing/ranks.py",
        "shares.cumsum(axis=-1) - shares / 2 - 0.5, shares",
        "shares.cumsum(axis=-1) - 0.5, shares",
        CLASSICAL,
    ),
    broken(
        "ranks: the noise is left out of the interval of an effect",
        "robust/testing/rank_effects.py",
        "variance * squares.sum(axis=-1) / people**2",
        "0 * squares.sum(axis=-1)",
        EFFECTS,
    ),
    broken(
        "ranks: groups that were added up have the noise of one",
        "robust/testing/rank_effects.py",
        "count * find_variance(noise)",
        "find_variance(noise)",
        ADDED,
    ),
    broken(
        "ranks: the noise is left out of the interval of a gap",
        "robust/testing/rank_effects.py",
        "together + draw_noise(noise, together.shape, rng)",
        "together + 0.0",
        EFFECTS,
    ),
    broken(
        "ranks: a cut's own value is on one side for both signs",
        "robust/testing/binning.py",
        '(("<", cut) for cut in cuts if cut <= 0)',
        '(("<=", cut) for cut in cuts if cut < 0), *(("<", cut) for cut in cuts if cut == 0)',
        MIRRORED,
    ),
    broken(
        "ranks: cuts outside of the public bounds are taken",
        "robust/testing/binning.py",
        "if not (low <= found[0] and found[-1] < high) or (mirrored and found[0] == low):",
        "if mirrored and found[0] == low:",
        REFUSED,
    ),
    broken(
        "ranks: cuts that are not symmetric are taken for it",
        "robust/testing/binning.py",
        "if mirrored and any(first != -second",
        "if not mirrored and any(first != first",
        REFUSED,
    ),
    broken(
        "ranks: who has rows in two groups is counted in one of them",
        "robust/measuring.py",
        "WHERE place = last",
        "WHERE place <= last",
        CELLS,
    ),
    broken(
        "ranks: somebody without a value is in the last bin",
        "robust/testing/binning.py",
        "WHEN value {beyond} $cut_{last} THEN {last + 1} END",
        "ELSE {last + 1} END",
        CELLS,
    ),
    broken(
        "ranks: a study is planned without the noise",
        "robust/designs/table_designs.py",
        "        return tables + draw_noise(Laplace(1 / float(self.epsilon)), tables.shape, rng)\n",
        "        return tables + 0.0\n",
        PLANNED,
    ),
    broken(
        "ranks: the absolute form is taken to move by less than it can",
        "robust/testing/absolute_ranks.py",
        "REPLACE_SENSITIVITY = 8\n",
        "REPLACE_SENSITIVITY = 2\n",
        ABSOLUTE,
    ),
]
