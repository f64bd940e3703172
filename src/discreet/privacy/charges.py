"""Charges: what a loss costs in the currencies that filters add up, every sum rounded up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.base.check import Exact
from discreet.base.rounding import float_up
from discreet.privacy.loss import Loss
from discreet.privacy.losses.composed import ComposedLoss
from discreet.privacy.losses.guarantees import ApproximateLoss


@dataclass(frozen=True, slots=True)
class Charge:
    """What a loss costs in the currencies of filters: pure epsilon or infinity, rho, and a delta beside them.

    Fractions stay exact in sums, so that thirty charges of 1/10 are 3; floats are rounded up, and so is what is shown.

    >>> Charge(Fraction(1, 2), Fraction(1, 3))
    Charge(epsilon=0.5, rho=0.33333333333333337, delta=0.0)
    """

    epsilon: Exact
    rho: Exact
    delta: Exact = 0.0

    def __repr__(self) -> str:
        shown = (f"{name}={float_up(getattr(self, name))!r}" for name in ("epsilon", "rho", "delta"))
        return f"Charge({', '.join(shown)})"


GRAIN = 10**30
"""Charges are multiples of one part in this many: sums of such stay short, and tenths stay exact."""


def round_charge(charge: Charge) -> Charge:
    """Return a charge with every number rounded up to a multiple of 1e-30.

    >>> round_charge(Charge(Fraction(1, 10), Fraction(1, 3))).epsilon
    Fraction(1, 10)
    """
    return Charge(*(_round_up(each) for each in (charge.epsilon, charge.rho, charge.delta)))


def _round_up(value: Exact) -> Exact:
    return Fraction(math.ceil(Fraction(value) * GRAIN), GRAIN) if math.isfinite(value) else value


@lru_cache(maxsize=1 << 16)
def charge_of(loss: Loss) -> Charge:
    """Return the charge of a loss: (epsilon, delta) is delta-approximate (epsilon^2 / 2)-zCDP (Bun, Steinke 2016)."""
    if isinstance(loss, ApproximateLoss):
        epsilon, delta = loss.stated
        return Charge(epsilon, epsilon**2 / 2, delta)
    if isinstance(loss, ComposedLoss):
        charges = [(charge_of(part), count) for part, count in loss.parts]
        total, rho, lost = (
            total_up([(getattr(charge, name), count) for charge, count in charges])
            for name in ("epsilon", "rho", "delta")
        )
        return Charge(total, rho, lost)
    return Charge(loss.exact_pure, loss.exact_zcdp())


def total_up(terms: list[tuple[Exact, int]]) -> Exact:
    """Return the sum of value * count over the terms, rounded up."""
    total: Exact = 0.0
    for value, count in terms:
        total = add_up(total, value if count == 1 else times_up(value, count))
    return total


def times_up(a: Exact, b: Exact) -> Exact:
    """Return a * b, rounded up."""
    if not math.isfinite(a):
        return a
    product = Fraction(a) * Fraction(b)
    return product if isinstance(a, Fraction) else float_up(product)


def add_up(a: Exact, b: Exact) -> Exact:
    """Return a + b, exactly where one is a Fraction, else the least float that is at least as large.

    The sign of the float's error is exact: Knuth's two-sum.
    """
    if type(a) is not float or type(b) is not float:
        return Fraction(a) + Fraction(b) if math.isfinite(a) and math.isfinite(b) else math.inf
    total = a + b
    part = total - a
    return math.nextafter(total, math.inf) if (a - (total - part)) + (b - part) > 0 else total
