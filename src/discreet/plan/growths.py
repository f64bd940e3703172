"""How long texts that a function makes are at most, from those that it is given."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

Growth = tuple[Fraction, Fraction]
"""Times the longest text of a column, and bytes besides: a bound on the bytes of a text."""

NO_GROWTH: Growth = (Fraction(0), Fraction(0))


def bound_any(growths: list[Growth]) -> Growth:
    """Return a bound on any one of the texts."""
    factors, letters = [each for each, _ in growths], [each for _, each in growths]
    return max(factors, default=Fraction(0)), max(letters, default=Fraction(0))


def bound_joined(growths: list[Growth]) -> Growth:
    """Return a bound on all of the texts, one after the other."""
    return sum((each for each, _ in growths), Fraction(0)), sum((each for _, each in growths), Fraction(0))


def replace_constant(growths: list[Growth]) -> Growth:
    """Each occurrence of the searched text becomes the replacement."""
    (factor, letters), (_, searched), (_, put) = growths
    ratio = max(Fraction(1), put / searched if searched else put + 1)
    return factor * ratio, letters * ratio


def replace_once(growths: list[Growth]) -> Growth:
    """One match becomes the replacement."""
    (factor, letters), _, (_, put) = growths
    return factor, letters + put


def replace_often(growths: list[Growth]) -> Growth:
    """Each match, of one letter or more, becomes the replacement."""
    (factor, letters), _, (_, put) = growths
    ratio = max(Fraction(1), put)
    return factor * ratio, letters * ratio


def bound_by(letters: int) -> Callable[[list[Growth]], Growth]:
    """Return the rule of a text that is no longer than those that it is made from, or has so many letters."""
    return lambda growths: bound_any([(Fraction(0), Fraction(letters)), *growths])
