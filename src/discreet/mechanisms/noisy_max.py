"""Report noisy max: the candidate whose score is largest after noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet import noise
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.mechanisms.selection import Selection, union_shortfall
from discreet.privacy import Loss, PureLoss


@dataclass(frozen=True)
class NoisyMax(Selection):
    """Adds continuous noise of this scale to every score, exactly, and reports which is largest.

    Theorem (Dwork, Roth 2014, Claim 3.9, and for exponential noise McKenna, Sheldon 2020): with scores of sensitivity
    d it is (2d / scale)-differentially private, and (d / scale) if the scores are monotone. Fix the noise of all
    others: the reported candidate stays ahead on a neighbour if its own noise is larger by 2d (or d), and both noises
    are at least e^-epsilon as likely to be that much larger. Exponential noise errs less; Laplace noise also gives
    the gap.

    The gap to the runner-up is free with Laplace noise (Ding, Wang, Zhang, Kifer 2019): moving the winner's noise by at
    most 2d (or d) makes winner and gap the same on the neighbour. With exponential noise that move may lead below 0,
    where there is no such noise, so the gap is refused.
    """

    noise: str = field(default="exponential", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check.choice("noise", self.noise, ("exponential", "laplace"))

    @classmethod
    def with_gap(cls, epsilon: float, sensitivity: float = 1, **named: Any) -> NoisyMax:
        """Return the epsilon-differentially private mechanism with Laplace noise, which can also tell the gap."""
        plain = cls.calibrate(epsilon, sensitivity, **named)
        return cls(plain.scale, plain.monotone, plain.grid, noise="laplace")

    def release(self, scores: Any) -> int:
        """Return the index of the largest noisy score."""
        points = self._scores(scores)
        if self.noise == "exponential":
            return noise.exponential_argmax(points, self.scale)
        return noise.laplace_argmax(points, self.scale)[0] if len(points) > 1 else 0

    def release_with_gap(self, scores: Any) -> tuple[int, Any]:
        """Return the index of the largest noisy score and how far it is ahead of the next, rounded down."""
        if self.noise != "laplace":
            raise ParameterError("noise", self.noise, "'laplace' to release the gap (see NoisyMax.with_gap)")
        winner, gap = noise.laplace_argmax(self._scores(scores), self.scale)
        return winner, self.grid.value(gap) if self.grid else gap

    def shortfall(self, confidence: float, candidates: int) -> float:
        """Return how far the true score of the winner may fall short of the best, with this confidence.

        With exponential noise somebody must gain that much: candidates * exp(-shortfall / scale). With Laplace noise
        some noise must exceed half of it in magnitude: candidates * exp(-shortfall / (2 scale)).
        """
        reach = union_shortfall(self.scale, confidence, candidates)
        return self._units(reach if self.noise == "exponential" else 2 * reach)

    def _loss(self, epsilon: Fraction) -> Loss:
        return PureLoss(epsilon)
