"""Passes over all cells: what one projection at a time gives, and its transpose."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from discreet.families.domain import DenseTable, Domain
from discreet.families.passes import project_all, spread_all


def list_sets(count: int, order: int) -> list[tuple[int, ...]]:
    return [chosen for size in range(1, order + 1) for chosen in combinations(range(count), size)]


@pytest.mark.parametrize("sizes", [(2, 3, 4), (1, 9, 1, 2), (12,), (2,) * 7])
def test_all_tables_at_once_are_those_of_one_at_a_time(sizes: tuple[int, ...]) -> None:
    domain = Domain(sizes)
    table = np.random.default_rng(1).normal(size=sizes)
    sets = [(), *list_sets(len(sizes), 3), tuple(range(len(sizes)))]
    found = project_all(sizes, table, sets)
    assert set(found) == set(sets)
    for columns in sets:
        assert found[columns] == pytest.approx(DenseTable(domain, table).project(columns))
    whole = project_all(sizes, np.arange(domain.cells).reshape(sizes) * 2**40, sets)
    for columns in sets:
        expected = DenseTable(domain, np.arange(domain.cells).reshape(sizes) * 2**40).project(columns)
        assert np.array_equal(whole[columns], expected), "whole numbers stay exact"


@pytest.mark.parametrize("sizes", [(2, 3, 4), (1, 9, 1, 2), (12,), (2,) * 7])
def test_spreading_is_the_transpose_of_projecting(sizes: tuple[int, ...]) -> None:
    generator = np.random.default_rng(2)
    table = generator.normal(size=sizes)
    for sets in ([()], [(0,)], [(), *list_sets(len(sizes), 2)], [tuple(range(len(sizes)))]):
        projected = project_all(sizes, table, sets)
        parts = {columns: generator.normal(size=projected[columns].shape) for columns in sets}
        expected = sum(float((parts[columns] * projected[columns]).sum()) for columns in sets)
        spread = spread_all(sizes, parts)
        assert spread.shape == sizes
        assert float((spread * table).sum()) == pytest.approx(expected)
    assert not spread_all(sizes, {}).any()
    assert project_all(sizes, table, []) == {}


def test_what_is_spread_is_nobody_elses() -> None:
    table = np.ones((2, 3))
    alone = spread_all((2, 3), {(0, 1): table})
    both = spread_all((2, 3), {(0, 1): table, (): np.array(1.0)})
    alone += 5
    both += 5
    assert (table == 1).all()
    assert (both == 7).all()
