"""Noisy sums over people: how many have a value, its sum and the sum of its squares, each with its noise.

They are whole numbers of public steps from the middle of the public bounds, as the curator releases them: one element
for each group, or for each run of a simulation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.laws import ErrorLaw, ThreeNoises, bound_noises

NODES = 256
"""Places between the middle of the bounds and their farther end at which the noise of squares is bounded."""


@dataclass(frozen=True, slots=True)
class ValueScale:
    """A public grid: a value is `center` plus a whole number of steps between `lower` and `upper`."""

    center: float
    step: float
    lower: float
    upper: float

    @property
    def reach(self) -> float:
        """The farthest from the middle that a value lies, in steps."""
        return max(abs(self.lower), abs(self.upper))

    def to_value(self, steps: Floats) -> Floats:
        """Return numbers of steps as values."""
        return self.center + self.step * np.asarray(steps, dtype=float)

    def to_steps(self, value: float) -> float:
        """Return a value as a number of steps."""
        return (value - self.center) / self.step


@dataclass(frozen=True, slots=True)
class ValueSums:
    """Noisy counts, sums and sums of squares, in steps, and the noises of the three."""

    count: Floats
    total: Floats
    squares: Floats
    noises: ThreeNoises
    scale: ValueScale

    @property
    def mean(self) -> Floats:
        """The estimated means, inside the bounds; their middle where there seems to be nobody."""
        inside = np.clip(self.total / np.maximum(self.count, 1.0), self.scale.lower, self.scale.upper)
        found: Floats = np.where(self.count >= 1, inside, 0.0)
        return found

    def err(self, mean: Floats, variance: Floats) -> ErrorLaw:
        """Return the law of total - mean * count, if that is the mean, of this many squared steps of sampling error.

        Each person's value differs from the mean by something that is 0 on average, so that it has no bias, however
        noisy the count is.
        """
        return ErrorLaw.of(variance, [(1.0, self.noises[1]), (mean, self.noises[0])])

    def bound_squares(self, mean: Floats, miss: float) -> Floats:
        """Return the most that the sum of (value - mean)^2 can be, except with this probability; never below 0."""
        squared = self.squares - 2 * mean * self.total + mean**2 * self.count
        return np.maximum(squared + bound_square_noise(self.noises, self.scale.reach, mean, miss), 0.0)

    def bound_count(self, miss: float) -> Floats:
        """Return by how much the counts err at most, except with this probability on each side."""
        return np.full_like(self.count, bound_noises((self.noises[0],), miss))


def bound_square_noise(noises: ThreeNoises, reach: float, mean: Floats, miss: float) -> Floats:
    """Return how far the noise of squares - 2 mean total + mean^2 count reaches up, at most, at these means."""
    places = np.ceil(np.abs(np.asarray(mean, dtype=float)) / reach * NODES)
    found: Floats = _list_square_noise(noises, reach, miss)[np.clip(places, 0, NODES).astype(int)]
    return found


@lru_cache(maxsize=64)
def _list_square_noise(noises: ThreeNoises, reach: float, miss: float) -> Floats:
    """Return the same at public places: it grows with the size of the mean."""
    means = np.linspace(0.0, reach, NODES + 1)
    law = ErrorLaw.of(np.zeros_like(means), [(1.0, noises[2]), (2 * means, noises[1]), (means**2, noises[0])])
    return np.maximum.accumulate(law.reach(miss))
