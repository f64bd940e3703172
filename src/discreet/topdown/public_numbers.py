"""Which queries public numbers answer already, in every area of a level: measuring them again buys nothing.

A measurement of a query at a level costs the same however many of its answers are public, since everybody is counted in
one of them. So a part of rho is wasted just where all of them are, in all areas.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from discreet.topdown.running.intervals import bound_answers
from discreet.topdown.running.problem import CensusProblem, make_problem
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.queries import Query

NUMBERS_AT_ONCE = 2**21
"""How many bounds are held at once: 16 MB."""


def find_public(spec: CensusSpec) -> frozenset[tuple[int, str]]:
    """Return the queries, by place of their level and name, whose every answer is fixed by what is public."""
    problem = make_problem(spec)
    return frozenset(_list_public(problem, spec.queries))


def _list_public(problem: CensusProblem, queries: Iterable[Query]) -> Iterable[tuple[int, str]]:
    for query in queries:
        for level in range(len(problem.geography.levels)):
            if problem.known[level] and _is_fixed(problem, level, query):
                yield level, query.name


def _is_fixed(problem: CensusProblem, level: int, query: Query) -> bool:
    """Say whether public bounds leave nothing open, looking at one area first, then at some at a time."""
    areas, step = len(problem.geography.levels[level]), max(1, NUMBERS_AT_ONCE // query.size)
    cuts = [slice(0, 1), *(slice(start, start + step) for start in range(1, areas, step))]
    return all(_leave_nothing(problem, level, query, some) for some in cuts)


def _leave_nothing(problem: CensusProblem, level: int, query: Query, areas: slice) -> bool:
    least, most = bound_answers(problem, level, query, areas)
    return bool(np.all(least == most))
