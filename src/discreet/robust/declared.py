"""Values that a policy does not declare: refused before the charge, with the one that may have been meant.

A group of nobody costs as much as any other, and a misspelt name makes one. What is looked at is the policy and the
question, never a row: whoever asks about a value that is there without being declared writes an expression of it, such
as `LOWER(ward)`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from sqlglot import exp

from discreet.base.errors import ParameterError
from discreet.policy.model import DeclaredColumn
from discreet.policy.schema import Resolved

COMPARED = (exp.EQ, exp.NEQ, exp.In)
"""Where a column is compared with single values."""

MOST_SHOWN = 6


def check_declared(table: Resolved, name: str, column: str, values: Sequence[Any]) -> None:
    """Refuse values of a column that are none of those declared, or beyond its bounds; an expression has neither."""
    declared = table.column(column)
    for value in values if declared is not None else ():
        assert declared is not None
        _check_value(declared, name, value)
        _check_bounds(declared, name, value)


def check_comparisons(table: Resolved, name: str, expression: exp.Expression, parameters: Mapping[str, Any]) -> None:
    """Refuse an expression in which a column is compared with what is none of its declared values."""
    for node in expression.find_all(*COMPARED):
        assert isinstance(node, exp.Expression)
        for column, value in _list_pairs(node, parameters):
            if column.table and column.table.casefold() != table.table.name.casefold():
                continue
            _check_value(table.column(column.name), f"a value of {column.name} in {name}", value)


def _list_pairs(node: exp.Expression, parameters: Mapping[str, Any]) -> Iterator[tuple[exp.Column, Any]]:
    """Yield every column with each constant that one comparison compares it with."""
    if isinstance(node, exp.In):
        sides = [(node.this, each) for each in node.expressions]
    else:
        sides = [(node.this, node.expression), (node.expression, node.this)]
    for column, other in sides:
        if isinstance(column, exp.Column):
            yield from ((column, value) for value in _read_constant(other, parameters))


def _read_constant(node: exp.Expression, parameters: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the text, the whole number or the truth value that is written, or given as a parameter; else nothing."""
    if isinstance(node, exp.Literal):
        if node.is_string or node.is_int:
            yield node.this if node.is_string else int(node.this)
    elif isinstance(node, exp.Boolean):
        yield bool(node.this)
    elif isinstance(node, exp.Parameter | exp.Placeholder) and node.name in parameters:
        yield parameters[node.name]


def _check_value(column: DeclaredColumn | None, name: str, value: Any) -> None:
    """Refuse a text, a whole number or a truth value; how dates and times are written is for SQL to say."""
    if column is None or column.values is None or not isinstance(value, str | int) or value in column.values:
        return
    if isinstance(value, str) and not all(isinstance(each, str) for each in column.values):
        return
    raise ParameterError(name, value, f"one that the policy declares: {_list_near(column, value)}")


def _check_bounds(column: DeclaredColumn, name: str, value: Any) -> None:
    """Refuse a whole number or a day beyond the declared bounds of such."""
    low: Any = column.lower
    high: Any = column.upper
    numbers = isinstance(value, int) and not isinstance(value, bool) and isinstance(low, int | Fraction)
    if high is None or not (numbers or type(value) is type(low) is date):
        return
    if not low <= value <= high:
        raise ParameterError(name, value, f"one inside the bounds that the policy declares, {low} to {high}")


def _list_near(column: DeclaredColumn, value: Any) -> str:
    """Return the value that may have been meant, or else the first ones declared."""
    assert column.values is not None
    texts = {each.casefold(): each for each in column.values if isinstance(each, str)}
    near = difflib.get_close_matches(value.casefold(), list(texts), 1) if isinstance(value, str) else []
    if near:
        return f"did you mean {texts[near[0]]!r}?"
    listed = ", ".join(repr(each) for each in column.values[:MOST_SHOWN])
    more = len(column.values) - MOST_SHOWN
    return f"{listed} and {more:,} more" if more > 0 else listed
