"""Amounts of privacy: epsilon, delta, rho, mu, as people write them and as code computes them.

One rule for all of them: a float that somebody writes is the decimal that it prints as, so that 0.1 is one tenth and
ten of them fill a filter of 1. What code computes is no such decimal: it is passed as a Fraction, and kept as it is.
Bounds on privacy hold for both readings of a float, as the decimal and as the double: they are computed from the
lesser or the larger of the two, whichever is safe. Filters add up decimals.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.rounding import float_down, float_up


@lru_cache(maxsize=1 << 14, typed=True)
def read_decimal(amount: Exact) -> Fraction:
    """Return the decimal that a float prints as; a Fraction is itself.

    >>> read_decimal(0.1), read_decimal(Fraction(0.1)) == Fraction(1, 10)
    (Fraction(1, 10), False)
    """
    return Fraction(repr(float(amount))) if isinstance(amount, float) else Fraction(amount)


@lru_cache(maxsize=1 << 14, typed=True)
def read_up(amount: Exact) -> float:
    """Return a float that is at least the amount, in both readings of a float."""
    return float_up(read_decimal(amount))


@lru_cache(maxsize=1 << 14, typed=True)
def read_down(amount: Exact) -> float:
    """Return a float that is at most the amount, in both readings of a float."""
    return float_down(read_decimal(amount))


def read_for_sums(amount: Exact) -> Fraction:
    """Return what a filter adds up: the decimal of a float, and a Fraction rounded up to a double.

    Fractions of all kinds would have ever longer denominators in a sum.
    """
    return read_decimal(amount) if isinstance(amount, float) else Fraction(float_up(amount))


def read_amount(
    name: str, value: object, *, above: float | None = None, below: float | None = None, least: float | None = None
) -> Fraction:
    """Return the amount that was given, exactly: a float is the decimal that it prints as."""
    number = check.real(name, value, above=above, below=below, least=least)
    return Fraction(number) if isinstance(value, Rational | Decimal) else read_decimal(float(number))


def state_amount(
    name: str, value: object, *, above: float | None = None, below: float | None = None, least: float | None = None
) -> Exact:
    """Return what a loss keeps of the amount given: a float where one prints as exactly that, else a Fraction.

    >>> state_amount("epsilon", 0.3), state_amount("epsilon", Fraction(3, 10)), state_amount("epsilon", Fraction(1, 3))
    (0.3, 0.3, Fraction(1, 3))
    """
    amount = read_amount(name, value, above=above, below=below, least=least)
    nearest = float(amount)
    return nearest if read_decimal(nearest) == amount else amount
