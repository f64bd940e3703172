"""Models with a weight for each scaled feature: what they have in common, and coefficients in the units of the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base.grid import Floats
from discreet.learn.models.model import Model
from discreet.learn.targets import POISSON_SCALE, NumberTarget, Target


@dataclass(frozen=True, eq=False, repr=False)
class WeightedModel(Model):
    """A score that is a sum of weights times scaled features."""

    target: Target
    weights: Floats
    """A line for each scaled feature, the intercept last, and a column for each output."""

    @property
    def weight_names(self) -> list[str]:
        """The names of all weights, in their order."""
        return [*self.names, "intercept"]

    @property
    def units(self) -> Floats:
        """The matrix by which weights become coefficients: per 1 of a number, not of its scale.

        Numbers are predicted in their own units; a score of classes or of counts has none.
        """
        found = np.diag([*(1 / self.halves), 1.0])
        found[-1, :-1] = -self.middles / self.halves
        return np.asarray(found * self._target_scale[1])

    def list_coefficients(self) -> Iterator[tuple[str, Floats]]:
        """Yield each weight's name and its values in the units of the data."""
        found = self.units @ self.weights
        found[-1] += self._target_scale[0]
        yield from zip(self.weight_names, found, strict=True)

    def find_scores(self, table: Any) -> Floats:
        """Return the scores of rows that somebody holds: a line for each row, a column for each output."""
        return np.asarray(self.combine(table, self.weights[:-1]) + self.weights[-1])

    @property
    def _target_scale(self) -> tuple[float, float]:
        """What a score of 0 is, and how much more 1 is."""
        if isinstance(self.target, NumberTarget) and not self.target.counted:
            return find_scale(self.target)
        return 0.0, 1.0


def find_scale(target: NumberTarget) -> tuple[float, float]:
    """Return the middle of a target's bounds, and how far they are from it."""
    return float(target.lower + target.upper) / 2, float(target.upper - target.lower) / 2


def scale_back(target: NumberTarget, scaled: Floats) -> Floats:
    """Return predictions in the target's own units."""
    if target.counted:
        return np.asarray(scaled * (float(target.upper) / POISSON_SCALE))
    middle, half = find_scale(target)
    return np.asarray(middle + np.clip(scaled, -1, 1) * half)
