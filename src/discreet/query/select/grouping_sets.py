"""GROUP BY with GROUPING SETS, ROLLUP and CUBE: which keys each grouping has."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.query.parse import quote_sql, refuse_other_parts

KeyIndex = Callable[[exp.Expression], int]
"""A key to its place."""

MOST_CUBE = 6
"""Columns of a CUBE: it has two to their number of groupings."""

WRITTEN = {
    "all": "GROUP BY ALL is not answered; list the columns",
    "rollup": "write GROUP BY ROLLUP (...)",
    "cube": "write GROUP BY CUBE (...)",
}


def read_grouping_sets(node: exp.Expression, place: KeyIndex) -> list[tuple[int, ...]]:
    """Return the groupings of a GROUP BY: those of all its parts, in all combinations."""
    refuse_other_parts(node, {"expressions"}, WRITTEN)
    parts = [_groupings(each, place) for each in node.expressions]
    return [tuple(itertools.chain(*chosen)) for chosen in itertools.product(*parts)]


def _groupings(node: exp.Expression, place: KeyIndex) -> list[tuple[int, ...]]:
    """Return the groupings of one part: of a plain key just one."""
    if isinstance(node, exp.Rollup):
        return _rollup(node, place)
    if isinstance(node, exp.Cube):
        return _cube(node, place)
    if isinstance(node, exp.GroupingSets):
        return [grouping for each in node.expressions for grouping in _groupings(each, place)]
    return [_members(node, place)]


def _rollup(node: exp.Expression, place: KeyIndex) -> list[tuple[int, ...]]:
    keys = [_members(each, place) for each in node.expressions]
    return [tuple(itertools.chain(*keys[:size])) for size in range(len(keys), -1, -1)]


def _cube(node: exp.Expression, place: KeyIndex) -> list[tuple[int, ...]]:
    keys = [_members(each, place) for each in node.expressions]
    if len(keys) > MOST_CUBE:
        raise QueryError(f"{quote_sql(node)}: CUBE takes {MOST_CUBE} columns at most; list GROUPING SETS")
    sizes = range(len(keys), -1, -1)
    return [tuple(itertools.chain(*chosen)) for size in sizes for chosen in itertools.combinations(keys, size)]


def _members(node: exp.Expression, place: KeyIndex) -> tuple[int, ...]:
    """Return the keys of (a, b), of a, or of the empty ()."""
    if isinstance(node, exp.Tuple):
        return tuple(place(each) for each in node.expressions)
    return (place(node.this if isinstance(node, exp.Paren) else node),)
