"""Directed rounding: real numbers enclosed in balls, and floats that lie on a known side of them.

python-flint's balls (Johansson 2017) carry a proven error radius, so an enclosure computed at any
precision is true; a higher precision only makes it narrower. Its working precision is one global of the
process, hence the lock.
"""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

WORKING_BITS = 128
"""Enough that a float made from a ball is almost always the neighbour of the real number."""


class _Lock:
    """A re-entrant lock that a forked child finds open, whoever held it in the parent."""

    def __init__(self) -> None:
        self.renew()
        os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.now = threading.RLock()


_lock = _Lock()


@contextmanager
def precision(bits: int = WORKING_BITS) -> Iterator[None]:
    """Compute with balls of this many bits; other threads wait."""
    with _lock.now, ctx.workprec(bits):
        yield


def ball(value: int | float | Fraction) -> arb:
    """Return a ball that contains `value` (exactly it, where its digits fit the precision)."""
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


def up(value: arb) -> float:
    """Return a float at least as large as every number in the ball; NaN and the unbounded become infinity."""
    return -down(-value) + 0.0  # never -0.0


def down(value: arb) -> float:
    """Return a float at most as large as every number in the ball; NaN and the unbounded become -infinity."""
    if not value.is_finite():
        return -math.inf
    guess = float(value.lower())
    while math.isinf(guess) or not (arb(guess) <= value):
        if guess == -math.inf:
            return guess
        guess = math.nextafter(guess, -math.inf)
    return guess


def rounded_up(formula: Callable[[], arb]) -> float:
    """Evaluate a formula in balls and round it up."""
    with precision():
        return up(formula())


def rounded_down(formula: Callable[[], arb]) -> float:
    """Evaluate a formula in balls and round it down."""
    with precision():
        return down(formula())


def float_up(value: int | float | Fraction) -> float:
    """Return the least float that is at least `value`."""
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf if value > 0 else -sys.float_info.max
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def float_down(value: int | float | Fraction) -> float:
    """Return the greatest float that is at most `value`."""
    return -float_up(-value) + 0.0


def ratio_up(numerator: int | float | Fraction, denominator: int | float | Fraction) -> float:
    """Return the least float that is at least numerator / denominator.

    >>> ratio_up(1, 3) > Fraction(1, 3), ratio_up(1, 4)
    (True, 0.25)
    """
    return float_up(Fraction(numerator) / Fraction(denominator))


def ratio_down(numerator: int | float | Fraction, denominator: int | float | Fraction) -> float:
    """Return the greatest float that is at most numerator / denominator."""
    return float_down(Fraction(numerator) / Fraction(denominator))


def floor_of(formula: Callable[[], arb]) -> int:
    """Return the exact floor of a real number that is not a whole number (or is one the balls can see).

    Doubles the precision until the ball holds no step of the floor.
    """
    bits = WORKING_BITS
    while bits <= 1 << 20:
        with precision(bits):
            whole = formula().floor().unique_fmpz()
        if whole is not None:
            return int(whole)
        bits *= 2
    raise ArithmeticError("a formula stayed undecided at a million bits")
