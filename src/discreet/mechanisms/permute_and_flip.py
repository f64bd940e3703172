"""Permute-and-flip: selection that errs less than the exponential mechanism at the same epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet import noise
from discreet.base.rounding import ball
from discreet.mechanisms.selection import Selection, union_shortfall
from discreet.noise.coin import exponential_coin
from discreet.privacy import Loss, PureLoss


@dataclass(frozen=True)
class PermuteAndFlip(Selection):
    """Visits the candidates in random order and takes the first whose coin, exp((score - best) / scale), is heads.

    Theorem (McKenna, Sheldon 2020): with scores of sensitivity d it is (2d / scale)-differentially private, and
    (d / scale) if the scores are monotone; it never errs more than the exponential mechanism, in expectation or in
    tail. It has the distribution of report noisy max with exponential noise (Ding et al. 2021). Its loss is not of
    bounded range, so it is charged as pure.

    The order is independent of the coins, so the first head in a random order is a uniform choice among all heads.
    """

    def release(self, scores: Any) -> int:
        """Return the index of the chosen candidate."""
        points = self._scores(scores)
        best, scale = int(points.max()), Fraction(self.scale)
        behind = [best - int(point) for point in points]
        exponent = np.array([float(min(distance / scale, Fraction(10**300))) for distance in behind])
        heads = np.flatnonzero(
            exponential_coin(exponent, exponent * 2.0**-52, lambda index: ball(behind[index] / scale))
        )
        return int(heads[noise.uniform_int(len(heads))])

    def shortfall(self, confidence: float, candidates: int) -> float:
        """Return how far the chosen score may fall short of the best, with this confidence.

        Its tail is below that of the exponential mechanism: scale * ln(candidates / (1 - confidence)).
        """
        return self._units(union_shortfall(self.scale, confidence, candidates))

    def _loss(self, epsilon: Fraction) -> Loss:
        return PureLoss(epsilon)
