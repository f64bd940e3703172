"""Passes over all cells: what one projection at a time gives, and its transpose."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.families.domain import DenseTable, Domain
from discreet.synthetic.fit.passes import project_all, spread_all
from synthetic.support.tiny import list_sets


@pytest.mark.parametrize("sizes", [(2, 3, 4), (1, 9, 1, 2), (12,), (2,) * 7])
def test_all_tables_at_once_are_those_of_one_at_a_time(sizes: tuple[int, ...]) -> None:
    domain = Domain(sizes)
    table = np.random.default_rng(1).normal(size=sizes)
    sets = [(), *list_sets(len(sizes), 3), tuple(range(len(sizes)))]
    found = project_all(domain, table, sets)
    assert set(found) == set(sets)
    for columns in sets:
        assert found[columns] == pytest.approx(DenseTable(domain, table).project(columns))
    whole = project_all(domain, np.arange(domain.cells).reshape(sizes) * 2**40, sets)
    for columns in sets:
        expected = DenseTable(domain, np.arange(domain.cells).reshape(sizes) * 2**40).project(columns)
        assert np.array_equal(whole[columns], expected), "whole numbers stay exact"


@pytest.mark.parametrize("sizes", [(2, 3, 4), (1, 9, 1, 2), (12,), (2,) * 7])
def test_spreading_is_the_transpose_of_projecting(sizes: tuple[int, ...]) -> None:
    domain = Domain(sizes)
    generator = np.random.default_rng(2)
    table = generator.normal(size=sizes)
    for sets in ([()], [(0,)], [(), *list_sets(len(sizes), 2)], [tuple(range(len(sizes)))]):
        projected = project_all(domain, table, sets)
        parts = {columns: generator.normal(size=projected[columns].shape) for columns in sets}
        expected = sum(float((parts[columns] * projected[columns]).sum()) for columns in sets)
        spread = spread_all(domain, parts)
        assert spread.shape == sizes
        assert float((spread * table).sum()) == pytest.approx(expected)
    assert not spread_all(domain, {}).any()
    assert project_all(domain, table, []) == {}
