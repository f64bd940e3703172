"""Domains, and the tables that are counted over them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families import DenseTable, Domain, RowTable

DOMAIN = Domain((2, 3, 4))


def test_cells_are_counted_however_many() -> None:
    assert DOMAIN.cells == 24
    assert Domain((2,) * 1000).cells == 2**1000
    assert DOMAIN.columns == (0, 1, 2)


@pytest.mark.parametrize("sizes", [(), [2, 3], 5, (2, 0), (2, -1), (2.0,), (True,), None])
def test_sizes_are_whole_numbers_of_at_least_1(sizes: Any) -> None:
    with pytest.raises(ParameterError, match="size"):
        Domain(sizes)


def test_columns_are_projected() -> None:
    assert DOMAIN.project((0, 2)) == Domain((2, 4))
    assert DOMAIN.find_shape((1,)) == (3,)
    assert DOMAIN.find_shape(()) == ()


@pytest.mark.parametrize("columns", [(1, 0), (0, 0), (3,), (-1,), [0, 1], 0, (0.0,), (True,), ("a",), (-1, 3)])
def test_columns_are_different_known_places_in_order(columns: Any) -> None:
    with pytest.raises(ParameterError, match="different places from 0 to 2, ascending"):
        DOMAIN.check_columns(columns)


def test_tables_with_more_cells_than_memory_holds_are_refused_with_their_size() -> None:
    large = Domain((2,) * 30)
    assert large.check_size(tuple(range(26))) == 2**26
    assert large.check_size(()) == 1
    with pytest.raises(ParameterError, match="134,217,728 cells are more than 67,108,864"):
        large.check_size(tuple(range(27)))
    with pytest.raises(ParameterError, match="1,073,741,824 cells"):
        large.check_size()


def test_a_dense_table_adds_up_the_other_columns() -> None:
    table = np.arange(24).reshape(2, 3, 4)
    source = DenseTable(DOMAIN, table)
    assert source.project((0, 2)).tolist() == table.sum(axis=1).tolist()
    assert source.project((0, 1, 2)).tolist() == table.tolist()
    assert source.project(()).tolist() == 276
    with pytest.raises(ParameterError, match="ascending"):
        source.project((2, 0))


@pytest.mark.parametrize("kind", [np.int64, np.float64, object])
def test_many_projections_at_once_are_those_one_by_one(kind: Any) -> None:
    source = DenseTable(DOMAIN, np.random.default_rng(1).integers(0, 99, DOMAIN.sizes).astype(kind))
    every = [columns for size in range(4) for columns in combinations(range(3), size)]
    for wanted in (every, every[::-1], [*every, *every], [(1,)], [(0, 2), ()], []):
        found = source.project_all(wanted)
        assert set(found) == set(wanted)
        assert all(found[columns].tolist() == source.project(columns).tolist() for columns in wanted)
    with pytest.raises(ParameterError, match="ascending"):
        source.project_all([(0,), (2, 0)])


def test_sums_of_a_dense_table_do_not_wrap() -> None:
    assert DenseTable(Domain((2, 2)), np.full((2, 2), 2**62)).project_all([()])[()].tolist() == 2**64
    huge = DenseTable(Domain((2, 2)), np.full((2, 2), 2**62))
    assert huge.project((0,)).tolist() == [2**63, 2**63]
    assert huge.project(()).tolist() == 2**64
    signed = DenseTable(Domain((2, 2)), np.array([[2**62, -(2**62)], [5, 6]]))
    assert signed.project((0,)).tolist() == [0, 11]
    small = DenseTable(Domain((2, 2)), np.full((2, 2), 200, dtype=np.uint8))
    assert small.project(()).tolist() == 800


def test_a_dense_table_has_the_domains_shape() -> None:
    with pytest.raises(ParameterError, match=r"shape \(2, 3, 4\)"):
        DenseTable(DOMAIN, np.zeros((4, 3, 2)))


def test_rows_are_counted_by_cell() -> None:
    rows = RowTable(Domain((2, 3)), (np.array([0, 1, 1, 0]), np.array([2, 0, 0, 2], dtype=np.uint64)))
    assert rows.rows == 4
    assert rows.project((0, 1)).tolist() == [[0, 0, 2], [2, 0, 0]]
    assert rows.project((1,)).tolist() == [2, 0, 2]
    assert rows.project(()).tolist() == 4


def test_no_rows_are_counted_too() -> None:
    rows = RowTable(Domain((2, 3)), (np.array([], dtype=int), np.array([], dtype=int)))
    assert rows.project((0, 1)).tolist() == [[0] * 3] * 2
    assert rows.project(()).tolist() == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((np.array([0]),), "a tuple of 2 arrays"),
        ([np.array([0]), np.array([0])], "a tuple of 2 arrays"),
        ((np.array([0]), np.array([0, 1])), "arrays of one length"),
        ((np.array([0.0]), np.array([0])), "whole numbers in one dimension"),
        ((np.array([[0]]), np.array([[0]])), "whole numbers in one dimension"),
        (([0], [0]), "whole numbers in one dimension"),
        ((np.array([0]), np.array([3])), "places from 0 to 2"),
        ((np.array([-1]), np.array([0])), "places from 0 to 1"),
    ],
)
def test_rows_that_do_not_fit_the_domain_are_refused_without_quoting_them(values: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RowTable(Domain((2, 3)), values)


def test_a_table_of_too_many_cells_is_never_counted() -> None:
    rows = RowTable(Domain((2,) * 40), (np.array([1]),) * 40)
    assert rows.project((3, 39)).tolist() == [[0, 0], [0, 1]]
    with pytest.raises(ParameterError, match="fewer"):
        rows.project(tuple(range(40)))
