"""delta(epsilon) of composed laws, bounded from above or from below.

delta(e) is E_P[(1 - e^(e - L))+] for the total loss L. Three kinds of outcomes are counted apart:

- Some release has infinite loss: their whole P-mass.
- Some release lies above the top of its grid: their P-mass minus e^e times their Q-mass. That is exact but for those
  with L < e, which add E_Q[(e^e - e^L)+]: at most e^e E_Q[(1 - e^(S - d))+] with d = e - top and S the sum of the
  other releases, whose lower tail is bounded by Chernoff.
- All others: the sum over the grid, from the tilted law.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.privacy.accountant.composed_laws import ComposedLaws, find_log_largest_weight
from discreet.privacy.accountant.pairs import LEAST, UNIT
from discreet.privacy.accountant.transforms import Tilted

signal = Later("scipy.signal")


class GridSum:
    """The sum over losses x > e of masses(x) e^(-tilt (x - e)) (1 - e^(e - x)), for every e.

    Sums are kept relative to the loss that they begin at, so that no weight leaves the floats, and are built up from
    the far end by adding positive terms, so that nothing cancels where all losses are small.
    """

    def __init__(self, law: Tilted, tilt: float, step: float) -> None:
        self.first, self.size, self.tilt, self.step = law.first, len(law.masses), tilt, step
        fall = math.exp(-tilt * step)
        self._plain = _discount(law.masses, fall)
        rise = fall * -math.expm1(-step) * self._plain[1:]
        self._weighted = _discount(rise, fall * math.exp(-step))

    def evaluate(self, epsilon: float) -> float:
        """Return the sum."""
        place = min(max(math.floor(epsilon / self.step) + 1 - self.first, 0), self.size)
        ahead = max(self.step * (self.first + place) - epsilon, 0.0)
        found = -math.expm1(-ahead) * float(self._plain[place]) + math.exp(-ahead) * float(self._weighted[place])
        return math.exp(-self.tilt * ahead) * found


def _discount(masses: Floats, fall: float) -> Floats:
    """Return the sums over j >= i of masses[j] fall^(j - i), for every i up to the length."""
    sums: Floats = signal.lfilter([1.0], [1.0, -fall], masses[::-1])
    return np.append(sums[::-1], 0.0)


class DeltaCurve:
    """A bound on delta(epsilon): close near the middle of the tilted law, and still a bound elsewhere."""

    def __init__(self, laws: ComposedLaws, tilt: float, upper: bool) -> None:
        law = laws.compose(tilt)
        self.laws, self.tilt, self.upper = laws, tilt, upper
        self._log_scale, self._sum = law.log_scale, GridSum(law, tilt, laws.step)
        self._doubt = UNIT * (64 * (2 + abs(law.log_scale) + laws.count) + 16 * len(law.masses)) + 1.01 * law.relative
        self._slack = law.error * _bound_weights(tilt, laws.step)
        self._slack += law.outside * math.exp(find_log_largest_weight(tilt)) * (1 + 1e-12)
        self._lower_tail = laws.find_lower_tail(tilt) if upper and laws.beyond_q > 0 else []

    def evaluate(self, epsilon: float) -> float:
        """Return the bound on delta."""
        beyond = self._bound_beyond(epsilon)
        at = epsilon + self.laws.offset
        if self.upper and at >= self.laws.top:
            return min(1.0, self.laws.infinite * (1 + 64 * UNIT) + beyond + LEAST)
        value = self._sum.evaluate(at - self.laws.shift)
        slack = self._slack + (self._doubt + 8 * UNIT * self.tilt * abs(at)) * (abs(value) + self._slack)
        log_weight = self._log_scale - self.tilt * at
        if self.upper and log_weight > 700:  # so far below the middle of the tilted law that nothing is known
            return 1.0
        weight = math.exp(min(700.0, log_weight))
        if self.upper:
            found = weight * max(value + slack, 0.0) + self.laws.infinite * (1 + 64 * UNIT)
            return min(1.0, found + beyond + LEAST)
        found = weight * max(value - slack, 0.0) + self.laws.infinite * (1 - 64 * UNIT)
        return min(1.0, max(found + beyond - LEAST, 0.0))

    def _bound_beyond(self, epsilon: float) -> float:
        """Bound what the outcomes with some release above the top add to delta."""
        laws = self.laws
        if laws.beyond_q + laws.beyond_excess == 0:
            return 0.0
        factor = math.expm1(min(epsilon, 600.0))
        found, doubt = laws.beyond_excess - factor * laws.beyond_q, laws.beyond_excess + factor * laws.beyond_q
        if not self.upper:
            every = laws.beyond_excess + laws.beyond_q
            return max(found - 1e-12 * doubt - laws.infinite * every * (1 + 1e-9), 0.0)
        missed = laws.below_lack + min(
            (math.exp(min(0.0, value + theta * (epsilon - laws.reach.top))) for theta, value in self._lower_tail),
            default=1.0,
        )
        every = laws.beyond_excess + laws.beyond_q
        return min(every * (1 + 1e-12), max(found + 1e-12 * doubt + (factor + 1) * laws.beyond_q * missed, 0.0))


def _bound_weights(tilt: float, step: float) -> float:
    """Bound the 2-norm over a grid of y >= 0 of (1 - e^-y) e^(-tilt y), which is below 1 and below y.

    A sum over a grid of a function that rises and then falls is at most its integral over the step plus its largest
    value: for (y e^(-tilt y))^2 these are 1 / (4 tilt^3) and 1 / (e tilt)^2.
    """
    whole = 1 / -math.expm1(-2 * tilt * step)
    small = 1 / (4 * tilt**3 * step) + 1 / (math.e * tilt) ** 2
    return math.sqrt(min(whole, small)) * (1 + 1e-12)
