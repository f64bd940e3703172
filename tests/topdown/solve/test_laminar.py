"""Which sums are nested: the proof that rounding needs no search."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

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
