"""Which queries public numbers answer already, in every area of a level: measuring them again buys nothing.

A measurement of a query at a level costs the same however many of its answers are public, since everybody is counted in
one of them. So a part of rho is wasted just where all of them are, in all areas. Areas that stand in for a level that
was skipped are not published there, and nothing is said of them: where all others are public, what a part of rho still
buys is one more measurement of these.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.base.wide import Ints
from discreet.topdown.running.intervals import bound_answers
from discreet.topdown.running.problem import CensusProblem, make_problem
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.queries import Query

NUMBERS_AT_ONCE = 2**21
"""How many bounds are held at once: 16 MB."""


def find_public(spec: CensusSpec, *, published: bool = False) -> frozenset[tuple[int, str]]:
    """Return the queries, by place of their level and name, whose every answer is fixed by what is public.

    Where `published`, areas that stand in for a level that was skipped are left out of account.
    """
    problem = make_problem(spec)
    shown = problem.shown if published else [np.ones(len(level), dtype=bool) for level in problem.geography.levels]
    areas = [np.flatnonzero(each) for each in shown]
    return frozenset(
        (level, query.name)
        for query in spec.queries
        for level, some in enumerate(areas)
        if problem.known[level] and _is_fixed(problem, level, query, some)
    )


def _is_fixed(problem: CensusProblem, level: int, query: Query, areas: Ints) -> bool:
    """Say whether public bounds leave nothing open, in some areas of a level."""
    return len(areas) > 0 and all(_leave_nothing(problem, level, query, some) for some in _cut(areas, query))


def _cut(areas: Ints, query: Query) -> Iterator[Ints]:
    """Yield one area first, then some at a time."""
    step = max(1, NUMBERS_AT_ONCE // query.size)
    yield areas[:1]
    for start in range(1, len(areas), step):
        yield areas[start : start + step]


def _leave_nothing(problem: CensusProblem, level: int, query: Query, areas: Ints) -> bool:
    least, most = bound_answers(problem, level, query, areas)
    return bool(np.all(least == most))
