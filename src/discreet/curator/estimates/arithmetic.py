"""Intervals of arithmetic on aggregates: interval arithmetic over the expressions of the finish."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from discreet.plan.expressions import Column, Expression, Literal, Reference, Slot, find_columns
from discreet.plan.question import COUNTS, SUMS, AggregateKind
from discreet.plan.windows import Attached, Computed, Joined, find_released

Interval = tuple[float, float]

OTHERS = Computed | Attached | Joined
"""Columns beside released ones: they are known by their names."""


def find_aggregates(expression: Expression) -> tuple[int, ...]:
    """Return the places of the released aggregates that an expression depends on, each once.

    It also depends on those by which the rows were chosen that something in it was computed across.
    """
    found = [each for each in find_released(expression) if isinstance(each, Reference)]
    return tuple(dict.fromkeys(each.index for each in found if each.slot is Slot.AGGREGATE))


def is_noisy(expression: Expression) -> bool:
    """Say whether an expression depends on released aggregates, or on values of other answers."""
    return any(is_noisy_column(each) for each in find_released(expression))


def is_noisy_column(column: Column) -> bool:
    """Say whether a released column is anything but a key, or but a column of a public table."""
    if isinstance(column, Joined):
        return column.noisy
    return isinstance(column, Attached) or (isinstance(column, Reference) and not _is_key(column))


def has_simple_noise(kind: AggregateKind) -> bool:
    """Say whether an aggregate is a count or a sum: it has a value in every group, and an additive noise."""
    return kind in COUNTS or kind in SUMS


def find_parts(expression: Expression) -> tuple[int | Computed | Attached | Joined, ...]:
    """Return what an expression reads as it is, each once: aggregates by their places, and other noisy columns."""
    found = [each for each in find_columns(expression) if isinstance(each, OTHERS | Reference)]
    parts = [each.index if isinstance(each, Reference) else each for each in found if not _is_key(each)]
    return tuple(dict.fromkeys(parts))


def _is_key(column: Column) -> bool:
    return isinstance(column, Reference) and column.slot is not Slot.AGGREGATE


def bound_expression(expression: Expression, known: Mapping[int | str, Interval]) -> Interval | None:
    """Return what an expression can be when each aggregate lies in its interval; None where it is no arithmetic.

    Aggregates are known by their places, columns that were computed across rows and values of other answers by names.

    >>> from discreet.base.types import Type
    >>> from discreet.plan.expressions import refer
    >>> from discreet.plan.functions import call
    >>> a = refer("released", Slot.AGGREGATE, 0, Type.INTEGER)
    >>> bound_expression(call("mul", Literal(-2, Type.INTEGER), a), {0: (1.0, 3.0)})
    (-6.0, -2.0)
    """
    if isinstance(expression, Column):
        if isinstance(expression, Reference) and expression.slot is Slot.AGGREGATE:
            return known.get(expression.index)
        return known.get(expression.name) if isinstance(expression, OTHERS) else None
    if isinstance(expression, Literal):
        value = expression.value
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            return None
        return float(value), float(value)
    arguments = [bound_expression(argument, known) for argument in expression.arguments]
    rule = RULES.get(expression.function)
    present = [argument for argument in arguments if argument is not None]
    return rule(*present) if rule is not None and len(present) == len(arguments) else None


def _add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _sub(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _mul(a: Interval, b: Interval) -> Interval:
    corners = [_times(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def _div(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0 <= b[1]:
        return -math.inf, math.inf
    return _mul(a, (1 / b[1], 1 / b[0]))


def _neg(a: Interval) -> Interval:
    return -a[1], -a[0]


def _abs(a: Interval) -> Interval:
    ends = sorted((abs(a[0]), abs(a[1])))
    return (0.0 if a[0] <= 0 <= a[1] else ends[0]), ends[1]


def _round(a: Interval, digits: Interval = (0.0, 0.0)) -> Interval:
    half = 0.5 * 10.0 ** -digits[0]
    return a[0] - half, a[1] + half


RULES: dict[str, Callable[..., Interval]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "abs": _abs,
    "round": _round,
}
