"""Which sums are nested: the proof that rounding needs no search."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.solve.laminar import are_nested, find_crossing
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema((Attribute("a", tuple(range(4))), Attribute("b", (0, 1))))
TOTAL = Query("total", SCHEMA)
HALVES = Query("halves", SCHEMA, (QueryPart(0, (0, 0, 1, 1)),))
FIRST = Query("a", SCHEMA, (QueryPart(0, (0, 1, 2, 3)),))
SECOND = Query("b", SCHEMA, (QueryPart(1, (0, 1)),))
DETAIL = Query("detail", SCHEMA, (QueryPart(0, (0, 1, 2, 3)), QueryPart(1, (0, 1))))


def test_finer_and_finer_queries_are_nested() -> None:
    assert are_nested([TOTAL, HALVES, FIRST, DETAIL])
    assert are_nested([TOTAL, SECOND, DETAIL])


def test_margins_that_overlap_are_not() -> None:
    assert not are_nested([FIRST, SECOND])
    assert find_crossing([HALVES.places, FIRST.places, SECOND.places]) == (0, 2)


@pytest.mark.parametrize("seed", range(40))
def test_nesting_is_what_it_is_by_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groupings = [rng.integers(-1, 3, 5) for _ in range(3)]
    sets = [
        (place, {int(each) for each in np.flatnonzero(grouping == group)})
        for place, grouping in enumerate(groupings)
        for group in range(3)
    ]
    crossing = any(
        one & other and not one <= other and not other <= one
        for (_, one), (_, other) in itertools.combinations(sets, 2)
    )
    assert (find_crossing(groupings) is not None) == crossing


CHILDREN, CELLS = 2, 3


def write_matrix(groupings: list[Ints]) -> Floats:
    """Return the rows of a rounding: all children at each cell, and the sets of each grouping."""
    cells = np.tile(np.arange(CELLS), CHILDREN)
    rows = [cells == cell for cell in range(CELLS)]
    rows += [grouping == group for grouping in groupings for group in np.unique(grouping[grouping >= 0])]
    return np.array(rows, dtype=np.float64)


def is_unimodular(matrix: Floats) -> bool:
    """Say whether every square part has determinant -1, 0 or 1: by computing all of them."""
    for size in range(2, min(matrix.shape) + 1):
        rows = np.array([*itertools.combinations(range(matrix.shape[0]), size)])
        columns = np.array([*itertools.combinations(range(matrix.shape[1]), size)])
        parts = matrix[rows[:, None, :, None], columns[None, :, None, :]]
        if np.abs(np.linalg.det(parts)).max() > 1.5:
            return False
    return True


def test_rows_that_are_proven_nested_are_totally_unimodular_and_some_others_are_not() -> None:
    rng = np.random.default_rng(1)
    seen = {True: 0, False: 0}
    crossing_and_not = 0
    while min(seen.values()) < 12:
        nested = rng.random() < 0.5
        first = rng.integers(-1, 2, CHILDREN * CELLS)
        second = np.where(rng.random() < 0.5, first // 2, 0) if nested else rng.integers(-1, 2, CHILDREN * CELLS)
        children = np.repeat(np.arange(CHILDREN), CELLS)
        groupings = [np.where(each < 0, -1, children * 2 + each) for each in (first, np.asarray(second))]
        proven = find_crossing(groupings) is None
        seen[proven] += 1
        unimodular = is_unimodular(write_matrix(groupings))
        assert unimodular or not proven
        crossing_and_not += not unimodular
    assert crossing_and_not >= 2, "the determinants tell them apart"


def test_margins_that_overlap_in_one_child_are_found_whatever_the_others_are() -> None:
    nested, crossed = np.array([0, 0, 1]), np.array([0, 1, 1])
    one = np.concatenate([nested, nested + 2])
    other = np.concatenate([nested, crossed + 2])
    assert find_crossing([one, one]) is None
    assert find_crossing([one, other]) == (0, 1)
