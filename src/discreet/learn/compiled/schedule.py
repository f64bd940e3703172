"""What a run is charged: so many Gaussian releases, each on a Poisson sample of the units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.privacy import GaussianLoss, Loss, SampledLoss

CLOSE = 1.0005
"""How near the least noise multiplier is searched for, as a ratio; the larger end is taken."""

LEAST_NOISE, MOST_NOISE = 1e-2, 1e6
"""Noise multipliers that are searched."""

MOST_REVEALED = 0.01
"""delta * size may not exceed this: at delta >= 1 / size a whole person might be published."""


@dataclass(frozen=True, slots=True)
class SampledSchedule:
    """`steps` releases of noise `multiplier` times the clipping norm, each unit in each with probability `rate`."""

    rate: float
    steps: int
    multiplier: float
    delta: float

    def loss_after(self, steps: int) -> Loss:
        """Return the loss of the first steps."""
        return make_loss(self.multiplier, self.rate) * steps

    @property
    def loss(self) -> Loss:
        """The loss of the whole run."""
        return self.loss_after(self.steps)

    def epsilon_after(self, steps: int) -> float:
        """Return the certified epsilon of the first steps, at the schedule's delta."""
        return float(self.loss_after(steps).epsilon(self.delta).high) if steps else 0.0


def make_loss(multiplier: float, rate: float) -> Loss:
    """Return the loss of one step: that of the Gaussian mechanism itself where every unit is taken."""
    base = GaussianLoss(1 / multiplier)
    return base if rate == 1 else SampledLoss(base, rate)


def plan_schedule(epsilon: float, delta: float, steps: int, batch: int, size: int) -> SampledSchedule:
    """Return the schedule with the least noise that is certified to cost at most (epsilon, delta) in all.

    `size` is a public number of units, and `batch` how many of them a step takes on average: the rate is their ratio.
    """
    most, miss = float(check.positive("epsilon", epsilon)), float(check.real("delta", delta, above=0, below=1))
    steps, size = check.integer("steps", steps, least=1), check.integer("size", size, least=1)
    batch = check.integer("batch", batch, least=1)
    if batch > size:
        raise ParameterError("batch", batch, f"at most size, {size:,} units: a step takes batch of them on average")
    if miss * size > MOST_REVEALED:
        raise ParameterError("delta", delta, f"at most {MOST_REVEALED / size:.1g}: delta * size stays under .01")
    rate = batch / size
    return SampledSchedule(rate, steps, _find_multiplier(most, miss, rate, steps), miss)


@lru_cache(maxsize=256)
def _find_multiplier(epsilon: float, delta: float, rate: float, steps: int) -> float:
    """Return a noise multiplier whose certified delta at epsilon is small enough, within CLOSE of the least."""

    def fits(multiplier: float) -> bool:
        return bool((make_loss(multiplier, rate) * steps).delta(epsilon).high <= delta)

    high = _guess(epsilon, delta, rate, steps)
    while high > MOST_NOISE or not fits(high):
        if high > MOST_NOISE:
            raise ParameterError("epsilon", epsilon, f"more, or fewer steps than {steps:,}: no noise is large enough")
        high *= 1.3
    low = high / 1.3
    while low > LEAST_NOISE and fits(low):
        high, low = low, low / 1.3
    while high / low > CLOSE:
        middle = math.sqrt(high * low)
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _guess(epsilon: float, delta: float, rate: float, steps: int) -> float:
    """Return about the multiplier by the central limit theorem (Bu, Dong, Long, Su 2020), where to start the search."""
    tail = math.sqrt(2 * math.log(1 / delta))
    mu = math.sqrt(tail * tail + 2 * epsilon) - tail
    return max(LEAST_NOISE * 2, 1 / math.sqrt(math.log1p((mu / rate) ** 2 / steps)))
