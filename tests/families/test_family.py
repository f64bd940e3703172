"""What holds for every family: exact answers, their transpose, bounds that no unit exceeds and some unit reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.base.canonical import write_json
from discreet.base.errors import ParameterError
from discreet.families import DenseTable, Domain, Family, RowBound, RowTable
from discreet.families.family import COUNT, PARTITION, SIGN
from support.families import EVERY, each_group, move_farthest, python_sum, random_rows, random_table

GROUPS = pytest.mark.parametrize(("name", "family", "group"), each_group())
FAMILIES = pytest.mark.parametrize("name", EVERY)


@GROUPS
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("replace", [False, True])
def test_no_unit_moves_the_answers_further_than_the_bound_and_some_unit_does(
    name: str, family: Family, group: int, rows: int, replace: bool
) -> None:
    bound, factor = family.bound_row(group), 2 if replace else 1
    farthest = move_farthest(family.list_rows(group), rows, replace=replace)
    assert farthest == (bound.bound_l1(rows, factor), bound.bound_l2_squared(rows, factor))


@GROUPS
def test_the_bound_of_a_row_is_the_largest_over_all_cells(name: str, family: Family, group: int) -> None:
    lines, bound = family.list_rows(group), family.bound_row(group)
    assert bound.l1 == np.abs(lines).sum(axis=0).max()
    assert bound.l2_squared == (lines**2).sum(axis=0).max()
    assert bound.signed == (lines < 0).any()


@GROUPS
def test_answers_and_spread_back_are_transposes(name: str, family: Family, group: int) -> None:
    table = random_table(family, group)
    values = np.random.default_rng(3).integers(-9, 9, family.count_answers(group))
    answers, spread = family.answer(group, table), family.spread_back(group, values)
    assert answers.shape == values.shape
    assert spread.shape == table.shape
    assert answers @ values == (table * spread).sum()
    assert family.answer(group, table / 2) == pytest.approx(answers / 2)
    assert family.spread_back(group, values / 2) == pytest.approx(spread / 2)


@GROUPS
@pytest.mark.parametrize("size", [2**40, 2**59, 2**62, 2**63 - 1])
def test_answers_are_exact_however_large_the_numbers(name: str, family: Family, group: int, size: int) -> None:
    generator = np.random.default_rng(4)
    lines = family.list_rows(group)
    for table in (random_table(family, group), np.ones(family.domain.find_shape(family.find_columns(group)), int)):
        huge = np.where(table < 0, -size, size) + np.where(table < 0, 1, -1) * generator.integers(0, 99, table.shape)
        answers = family.answer(group, huge)
        assert [int(each) for each in answers] == [python_sum(line, huge) for line in lines]
        assert answers.dtype in (np.int64, object)


@GROUPS
def test_values_are_spread_exactly_however_large(name: str, family: Family, group: int) -> None:
    values = 2**62 - np.arange(family.count_answers(group))
    spread = family.spread_back(group, values)
    lines = family.list_rows(group)
    assert [int(each) for each in spread.flat] == [python_sum(column, values) for column in lines.T]


@GROUPS
def test_other_integers_and_truth_values_are_counted_too(name: str, family: Family, group: int) -> None:
    table = abs(random_table(family, group))
    for kind in (np.uint8, np.int16, np.uint64, object):
        assert family.answer(group, table.astype(kind)).tolist() == family.answer(group, table).tolist()
    assert family.answer(group, table > 5).tolist() == family.answer(group, (table > 5).astype(int)).tolist()
    with pytest.raises(ParameterError, match="whole numbers or floats"):
        family.answer(group, table.astype(str))


@FAMILIES
def test_rows_and_tables_give_the_same_answers_in_any_order_of_the_rows(name: str) -> None:
    family = EVERY[name]
    rows = random_rows(family.domain)
    table = rows.project(family.domain.columns)
    order = np.random.default_rng(5).permutation(rows.rows)
    shuffled = RowTable(family.domain, tuple(column[order] for column in rows.values))
    expected = [family.answer(group, rows.project(family.find_columns(group))) for group in range(family.groups)]
    for source in (rows, shuffled, DenseTable(family.domain, table), DenseTable(family.domain, table.astype(float))):
        found = family.answer_all(source)
        assert [each.tolist() for each in found] == [each.tolist() for each in expected]
        assert family.join_answers(source).tolist() == np.concatenate(expected).tolist()


@FAMILIES
def test_no_rows_have_answers_too(name: str) -> None:
    family = EVERY[name]
    nobody = RowTable(family.domain, tuple(np.array([], dtype=np.int64) for _ in family.domain.sizes))
    assert not family.join_answers(nobody).any()


class Whatever:
    """A model that knows only how to project."""

    def __init__(self, table: NDArray[Any], domain: Domain) -> None:
        self.domain = domain
        self._dense = DenseTable(domain, table)

    def project(self, columns: tuple[int, ...]) -> NDArray[Any]:
        return self._dense.project(columns)


@FAMILIES
def test_whatever_can_project_is_a_source(name: str) -> None:
    family = EVERY[name]
    table = random_rows(family.domain).project(family.domain.columns)
    expected = family.join_answers(DenseTable(family.domain, table))
    assert family.join_answers(Whatever(table, family.domain)).tolist() == expected.tolist()


def test_different_families_have_different_forms() -> None:
    forms = [write_json(family.describe()) for family in EVERY.values()]
    assert len(set(forms)) == len(forms)
    assert forms == [write_json(family.describe()) for family in EVERY.values()]


@FAMILIES
@pytest.mark.parametrize("place", [-1, 1.0, True, "first"])
def test_groups_are_numbers_from_0(name: str, place: Any) -> None:
    family = EVERY[name]
    for ask in (family.find_columns, family.count_answers, family.bound_row):
        for wrong in (place, family.groups):
            with pytest.raises(ParameterError, match="group must be a whole number"):
                ask(wrong)


@FAMILIES
def test_tables_and_values_of_other_shapes_are_refused(name: str) -> None:
    family = EVERY[name]
    with pytest.raises(ParameterError, match="table must be an array of shape"):
        family.answer(0, np.zeros((3, 5, 7)))
    with pytest.raises(ParameterError, match="values must be"):
        family.spread_back(0, np.zeros(99))


def test_a_partition_moves_by_m_and_under_replace_by_2m_and_m_root_2() -> None:
    assert (PARTITION.bound_l1(3, 1), PARTITION.bound_l2_squared(3, 1)) == (3, 9)
    assert (PARTITION.bound_l1(3, 2), PARTITION.bound_l2_squared(3, 2)) == (6, 18)


def test_a_sign_moves_by_2m_under_replace_and_a_count_by_m() -> None:
    assert (SIGN.bound_l1(3, 1), SIGN.bound_l2_squared(3, 1)) == (3, 9)
    assert (SIGN.bound_l1(3, 2), SIGN.bound_l2_squared(3, 2)) == (6, 36)
    assert (COUNT.bound_l1(3, 1), COUNT.bound_l2_squared(3, 1)) == (3, 9)
    assert (COUNT.bound_l1(3, 2), COUNT.bound_l2_squared(3, 2)) == (3, 9)


def test_neighbours_have_factor_1_or_2() -> None:
    for factor in (0, 3):
        with pytest.raises(ParameterError, match="factor"):
            RowBound(1, 1).bound_l1(1, factor)
        with pytest.raises(ParameterError, match="factor"):
            RowBound(1, 1).bound_l2_squared(1, factor)
