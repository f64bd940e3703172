"""GROUP BY with GROUPING SETS, ROLLUP and CUBE: which keys each grouping has."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from discreet.plan.question import refer_to_set
from discreet.query.parse import quote_sql, refuse_other_parts

KeyIndex = Callable[[exp.Expression], int]
"""A key to its place."""

MOST_CUBE = 6
"""Columns of a CUBE: it has two to their number of groupings."""

MOST_BITS = 30
"""Columns of GROUPING."""

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


def read_grouping(node: exp.Expression, place: KeyIndex, sets: Sequence[tuple[int, ...]]) -> Expression:
    """Return what GROUPING(a, b) is in a released row: a bit for each key, the last one lowest, 1 where it is left out.

    It is a function of the grouping that a row is of, which is public: so nothing is read for it, nor charged.
    """
    refuse_other_parts(node, {"expressions"})
    keys = [place(each) for each in node.expressions]
    if not 1 <= len(keys) <= MOST_BITS:
        raise QueryError(f"{quote_sql(node)}: GROUPING takes 1 to {MOST_BITS} columns of GROUP BY")
    numbers = [sum((key not in each) << at for at, key in enumerate(reversed(keys))) for each in sets]
    (usual, _), *_ = Counter(numbers).most_common()
    arguments: list[Expression] = []
    for at, number in enumerate(numbers):
        if number != usual:
            arguments += [call("eq", refer_to_set(), Literal(at, Type.INTEGER)), Literal(number, Type.INTEGER)]
    otherwise = Literal(usual, Type.INTEGER)
    return call("case", *arguments, otherwise) if arguments else otherwise
