"""Between which dates or times an expression lies, and how far two of them are apart at most.

Every function here never decreases with its time, so that the ends of its values are its values at the ends.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Constant, Expression, Literal
from discreet.plan.ranges import Range
from discreet.query.catalog import Evaluate

Moments = tuple[dt.date, dt.date]
"""The first and the last date, or the first and the last point in time."""


ONE_OF = ("coalesce", "least", "greatest")
"""Functions whose value is one of their arguments'."""

RISING = ("date_trunc", "time_trunc", "last_day", "plus_months", "plus_days", "plus_microseconds", "as_date")
"""Functions of one time and constants that never decrease with it; so does `as_timestamp`."""

TIMES = (Type.DATE, Type.TIMESTAMP)


def find_moments(
    expression: Expression, column: Callable[[Column], Moments | None], evaluate: Evaluate
) -> Moments | None:
    """Return the first and the last time of an expression, where those of its columns are known."""
    if expression.type not in TIMES:
        return None
    if isinstance(expression, Column):
        return column(expression)
    if isinstance(expression, Literal):
        return (expression.value, expression.value) if isinstance(expression.value, dt.date) else None
    name, arguments = expression.function, expression.arguments
    if name in ONE_OF or name == "case":
        values = (*arguments[1:-1:2], arguments[-1]) if name == "case" else arguments
        values = tuple(each for each in values if not (isinstance(each, Literal) and each.value is None))
        return cover_moments([find_moments(each, column, evaluate) for each in values], expression.type)
    if name not in (*RISING, "as_timestamp"):
        return None
    moved = [place for place, each in enumerate(arguments) if each.type in TIMES]
    if len(moved) != 1 or not all(
        isinstance(arguments[place], Literal) for place in {*range(len(arguments))} - {*moved}
    ):
        return None
    inner = find_moments(arguments[moved[0]], column, evaluate)
    if inner is None:
        return None
    ends = [compute_at(expression, {moved[0]: end}, evaluate) for end in inner]
    return (ends[0], ends[1]) if isinstance(ends[0], dt.date) and isinstance(ends[1], dt.date) else None


def cover_moments(found: list[Moments | None], type_: Type) -> Moments | None:
    """Return the first and the last of all, where all are known and of one type."""
    known = [each for each in found if each is not None]
    ends = [end for each in known for end in each]
    if (
        not known
        or len(known) < len(found)
        or any(isinstance(end, dt.datetime) is (type_ is Type.DATE) for end in ends)
    ):
        return None
    return min(ends), max(ends)


def cut_moments(found: Moments, ends: list[tuple[str, Constant]]) -> Moments:
    """Return the first and the last time that fulfil comparisons as well; those with other types say nothing."""
    first, last = found
    next_ = dt.timedelta(microseconds=1) if isinstance(first, dt.datetime) else dt.timedelta(days=1)
    for name, value in ends:
        if not isinstance(value, dt.date) or isinstance(value, dt.datetime) is not isinstance(first, dt.datetime):
            continue
        if not first <= value <= last:
            continue
        if name in ("ge", "eq") or (name == "gt" and value < last):
            first = value + next_ if name == "gt" else value
        if name in ("le", "eq") or (name == "lt" and first < value):
            last = value - next_ if name == "lt" else value
    return first, last


def bound_times(expression: Call, moments: Callable[[Expression], Moments | None], evaluate: Evaluate) -> Range | None:
    """Return between which whole numbers the years of a time lie, or the difference of two times.

    DATE_DIFF(unit, a, b) never decreases with b and never increases with a.
    """
    name, arguments = expression.function, expression.arguments
    if name == "date_part" and isinstance(arguments[0], Literal) and arguments[0].value == "year":
        found = moments(arguments[1])
        corners = None if found is None else ({1: found[0]}, {1: found[1]})
    elif name == "date_diff":
        one, other = moments(arguments[1]), moments(arguments[2])
        corners = None if one is None or other is None else ({1: one[1], 2: other[0]}, {1: one[0], 2: other[1]})
    else:
        return None
    if corners is None:
        return None
    low, high = (compute_at(expression, corner, evaluate) for corner in corners)
    return Range(Fraction(low), Fraction(high), Fraction(1)) if isinstance(low, int) and isinstance(high, int) else None


def compute_at(expression: Call, values: dict[int, dt.date], evaluate: Evaluate) -> Constant:
    """Return the value of a call with some arguments replaced by times; NULL where it has none there."""
    given = {place: Column("given", f"x{place}", expression.arguments[place].type) for place in values}
    arguments = tuple(given.get(place, each) for place, each in enumerate(expression.arguments))
    held = tuple(Call("is_null", (column,), Type.BOOLEAN) for column in given.values())
    made: Expression = Call(expression.function, arguments, expression.type)
    for missing in held:  # all combinations with NULL are computed too, and one of them could have a value
        made = Call("case", (missing, Literal(None, expression.type), made), expression.type)
    found = evaluate(made, {column: (values[place],) for place, column in given.items()})
    return found[0] if len(found) == 1 else None
