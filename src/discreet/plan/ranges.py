"""Interval arithmetic: bounds that an expression keeps whenever every column keeps its own.

What comes out is useful rather than relied on: a derived bound is enforced by a final clamp, so the last digit of a
float and values outside the declared bounds cost nothing but their being clamped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.intervals import NOTHING, RULES, Ends, gcd, round_out
from discreet.plan.scales import find_scale


@dataclass(frozen=True, slots=True)
class Range:
    """From `lower` to `upper`, both reached or not; `step` is a grid through zero that all exact values lie on."""

    lower: Fraction
    upper: Fraction
    step: Fraction | None


PARTS = {
    "month": (1, 12),
    "quarter": (1, 4),
    "week": (1, 53),
    "day": (1, 31),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
    "dow": (0, 6),
    "isodow": (1, 7),
    "doy": (1, 366),
}


def find_range(
    expression: Expression,
    column: Callable[[Column], Range | None],
    times: Callable[[Call], Range | None] = lambda call: None,
) -> Range | None:
    """Return bounds of an expression's values, where the ranges of its columns and its functions give any.

    `times` gives those of numbers that are made from dates and times.

    >>> x = Column("t", "x", Type.FLOAT)
    >>> held = Call("least", (Call("greatest", (x, Literal(0, Type.INTEGER)), Type.FLOAT), Literal(9, Type.INTEGER)),
    ...     Type.FLOAT)
    >>> find_range(held, lambda column: None)
    Range(lower=Fraction(0, 1), upper=Fraction(9, 1), step=None)
    """
    found = _ends(expression, column, times)
    if found is None or found.lower is None or found.upper is None or found.lower > found.upper:
        return None
    return Range(found.lower, found.upper, found.step)


def _ends(
    expression: Expression, column: Callable[[Column], Range | None], times: Callable[[Call], Range | None]
) -> Ends | None:
    """Return what is known of an expression's values; None where they are no numbers or there are none at all."""
    whole = expression.type is Type.INTEGER
    if isinstance(expression, Literal):
        value = expression.value
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            return None
        return Ends(Fraction(value), Fraction(value), Fraction(1, Fraction(value).denominator))
    if isinstance(expression, Column):
        known = column(expression) if expression.type.numeric else None
        ends = NOTHING if known is None else Ends(known.lower, known.upper, known.step)
    elif not expression.type.numeric:
        return None
    else:
        arguments = [_ends(argument, column, times) for argument in expression.arguments]
        ends = _called(expression, arguments)
        if ends is NOTHING and expression.function in ("date_part", "date_diff"):
            known = times(expression)
            ends = NOTHING if known is None else Ends(known.lower, known.upper, known.step)
    if whole and ends.step is None:
        return Ends(ends.lower, ends.upper, Fraction(1))
    return _on_places(ends, find_scale(expression)) if expression.type is Type.DECIMAL else ends


def _on_places(ends: Ends, scale: int) -> Ends:
    """Return the ends of a decimal, which lies on the grid of its last places where it lies on none that is coarser."""
    unit = Fraction(1, 10**scale)
    coarse = ends.step is not None and (ends.step / unit).denominator == 1
    return ends if coarse else Ends(ends.lower, ends.upper, unit)


def _called(made: Call, arguments: list[Ends | None]) -> Ends:
    name = made.function
    if name in HULLS:
        values = arguments if name == "coalesce" else arguments[:1]
        if name == "case":
            values = [*arguments[1:-1:2], arguments[-1]]
        return _hull([each for each in values if each is not None])
    if name in ("least", "greatest"):
        present = [each for each in arguments if each is not None]
        sure = [ends for given, ends in zip(made.arguments, arguments, strict=True) if ends and is_never_null(given)]
        return _extreme(name, present, sure)
    if name == "date_part":
        part = made.arguments[0]
        known_part = PARTS.get(str(part.value)) if isinstance(part, Literal) else None
        return NOTHING if known_part is None else Ends(Fraction(known_part[0]), Fraction(known_part[1]), Fraction(1))
    if name in ("as_integer", "as_float", "as_decimal") and not made.arguments[0].type.numeric:
        return Ends(Fraction(0), Fraction(1), Fraction(1)) if made.arguments[0].type is Type.BOOLEAN else NOTHING
    if name == "as_integer" and made.arguments[0].type is Type.DECIMAL:
        return round_out(arguments[0] or NOTHING)
    rule = RULES.get(name)
    known = [each for each in arguments if each is not None]
    return rule(*known) if rule is not None and (len(known) == len(arguments) or name in TEXTUAL) else NOTHING


HULLS = frozenset({"case", "coalesce", "nullif"})
TEXTUAL = frozenset({"length", "strpos"})


def is_never_null(expression: Expression) -> bool:
    """Say whether an expression has a value on every row."""
    if isinstance(expression, Call) and expression.function in ("least", "greatest", "coalesce"):
        return any(is_never_null(argument) for argument in expression.arguments)
    return isinstance(expression, Literal) and expression.value is not None


def _hull(values: list[Ends]) -> Ends:
    lowers, uppers = [each.lower for each in values], [each.upper for each in values]
    lower = min((each for each in lowers if each is not None), default=None) if None not in lowers else None
    upper = max((each for each in uppers if each is not None), default=None) if None not in uppers else None
    return Ends(lower, upper, gcd([each.step for each in values]))


def _extreme(name: str, values: list[Ends], sure: list[Ends]) -> Ends:
    """The least is at most what is surely there; NULLs are left out, so any of the others may be the least."""
    hull = _hull(values)
    if name == "least":
        uppers = [each.upper for each in [hull, *sure] if each.upper is not None]
        return Ends(hull.lower, min(uppers, default=None), hull.step)
    lowers = [each.lower for each in [hull, *sure] if each.lower is not None]
    return Ends(max(lowers, default=None), hull.upper, hull.step)
