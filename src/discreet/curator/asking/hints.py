"""What an asker may have meant otherwise, seen from the policy alone: constants outside of what is declared."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from discreet.plan.expressions import Call, Column, Constant, Expression, Literal, Reference
from discreet.plan.question import Question
from discreet.plan.relations import list_expressions, list_scans
from discreet.policy.model import DeclaredColumn, Policy, Table

SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
"""Comparisons, and what they are with their sides exchanged."""

SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=", "ne": "<>", "in": "IN"}
MOST_SHOWN = 6


class HintWarning(UserWarning):
    """A question that may not mean what its asker thinks: said before it is charged for."""


def find_hints(question: Question, policy: Policy) -> tuple[str, ...]:
    """Return where a question compares a column with a constant outside of its declared values or bounds.

    Before the charge, and from public facts alone: no row is read, so a hint says nothing about the data.
    """
    tables = {scan.relation: policy.table(scan.table) for scan in list_scans(question.block)}
    everything = [*list_expressions(question.block), *question.keys]
    everything += [each for asked in question.aggregates for each in (asked.argument, asked.other) if each is not None]
    found = (hint for each in everything for call in _list_calls(each) for hint in _look_at(call, tables))
    return tuple(dict.fromkeys(found))


def _list_calls(expression: Expression) -> Iterator[Call]:
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Call):
            yield each
            waiting += reversed(each.arguments)


def _look_at(call: Call, tables: Mapping[str, Table]) -> Iterator[str]:
    """Yield what is to be said of one comparison."""
    if call.function not in SWAPPED and call.function != "in":
        return
    first, *others = call.arguments
    function = call.function
    if isinstance(first, Literal) and len(others) == 1:
        first, others, function = others[0], [first], SWAPPED[function]
    if not isinstance(first, Column) or isinstance(first, Reference) or first.relation not in tables:
        return
    declared = tables[first.relation].column(first.name)
    constants = [each.value for each in others if isinstance(each, Literal) and each.value is not None]
    if declared is None or len(constants) != len(others):
        return
    for value in constants:
        words = _find_unlisted(declared, function, value) or _find_beyond(declared, function, value)
        if words is not None:
            yield f"{declared.name} {SIGNS[function]} {_show(value)}: {words}"


def _find_unlisted(column: DeclaredColumn, function: str, value: Constant) -> str | None:
    """Say that a constant is none of the declared values."""
    if column.values is None or function not in ("eq", "ne", "in") or value in column.values:
        return None
    listed = ", ".join(_show(each) for each in column.values[:MOST_SHOWN])
    more = f" and {len(column.values) - MOST_SHOWN:,} more" if len(column.values) > MOST_SHOWN else ""
    texts = [each for each in column.values if isinstance(each, str)]
    near = difflib.get_close_matches(value, texts, 1) if isinstance(value, str) else []
    meant = f"; did you mean {_show(near[0])}?" if near else ""
    return f"this is none of the declared values ({listed}{more}){meant}"


def _find_beyond(column: DeclaredColumn, function: str, value: Constant) -> str | None:
    """Say that a constant is outside of the declared bounds."""
    low, high = column.lower, column.upper
    if low is None or high is None or _sort(low) is None or _sort(low) is not _sort(value):
        return None
    constant: Any = value
    below, above = constant < low, constant > high
    if not below and not above:
        return None
    met = function == "ne" or (function in ("gt", "ge") and below) or (function in ("lt", "le") and above)
    rows = "every value within them meets it" if met else "no value within them meets it"
    bounds = f"{_show(low)} to {_show(high)}"
    return f"this is outside of the declared bounds ({bounds}), and {rows}"


def _sort(value: object) -> type | None:
    """Return what a value can be compared with: numbers with numbers, days with days, points in time with such."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return None
    return Fraction if isinstance(value, int | Fraction) else datetime if isinstance(value, datetime) else type(value)


def _show(value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    return f"{float(value):,.10g}" if isinstance(value, Fraction) else str(value)
