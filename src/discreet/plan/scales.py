"""How many digits behind the point a decimal expression has: a fact of its form, and never of what rows hold.

As in DuckDB: sums have as many as the longer of both, products as many as both together, and ROUND has as many as it is
told. Quotients, roots and whatever meets a float are floats. A constant has the digits that it needs: 0.50 is 0.5.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Literal

MOST_SCALE = 37
"""Digits behind the point, at most, and digits that a column of decimals is read with: 10^37 is below 2^126."""

SUMS = frozenset({"add", "sub", "mod", "coalesce", "least", "greatest"})


def find_scale(expression: Expression) -> int:
    """Return the digits behind the point; 0 for what is no decimal.

    >>> find_scale(Literal(Fraction(6, 100), Type.DECIMAL))
    2
    """
    if expression.type is not Type.DECIMAL:
        return 0
    if isinstance(expression, Column):
        assert expression.digits is not None
        return expression.digits[1]
    if isinstance(expression, Literal):
        return count_places(expression.value) if isinstance(expression.value, int | Fraction) else 0
    name, arguments = expression.function, expression.arguments
    if name == "mul":
        return sum(find_scale(each) for each in arguments)
    if name == "case":
        arguments = (*arguments[1:-1:2], arguments[-1])
    if name in SUMS or name == "case":
        return max(find_scale(each) for each in arguments)
    if name == "as_decimal":
        return read_whole(arguments[2])
    if name in ("floor", "ceil", "trunc"):
        return 0
    if name == "round":
        places = read_whole(arguments[1]) if len(arguments) > 1 else 0
        return min(find_scale(arguments[0]), max(places, 0))
    return find_scale(arguments[0])


def count_places(value: int | Fraction) -> int:
    """Return how many digits behind the point a number needs; more than any decimal has where it has no last one."""
    number, places = Fraction(value), 0
    while number.denominator != 1 and places <= MOST_SCALE:
        number, places = number * 10, places + 1
    return places


def has_places(value: Fraction, scale: int) -> bool:
    """Return whether a decimal of so many digits behind the point can be this number.

    >>> has_places(Fraction("0.07"), 2), has_places(Fraction("0.075"), 2), has_places(Fraction(10**37), 0)
    (True, False, False)
    """
    number = value * Fraction(10**scale)
    return number.denominator == 1 and abs(number) < 10**MOST_SCALE


def read_whole(expression: Expression) -> int:
    """Return a constant whole number: how many digits are meant."""
    assert isinstance(expression, Literal)
    assert isinstance(expression.value, int)
    return expression.value
