"""Discrete Gaussian noise: the exact curve of one release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.rounding import ball, float_down, rounded_up
from discreet.privacy.accountant import pairs
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.discrete_normal import compute_upper_tail
from discreet.privacy.loss import Loss


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteGaussianLoss(Loss):
    """Discrete Gaussian noise on an integer of sensitivity d (Canonne, Kamath, Steinke 2020, Theorem 7).

    delta(e) = Pr[X > e sigma^2 / d - d/2] - e^e Pr[X > e sigma^2 / d + d/2].
    """

    kind = "discrete-gaussian"
    sigma: float
    sensitivity: int

    def __post_init__(self) -> None:
        self._store(
            sigma=float_down(check.real("sigma", self.sigma, least=1e-6, most=1e15)),
            sensitivity=check.integer("sensitivity", self.sensitivity, least=1),
        )

    @property
    def pure(self) -> float:
        """Infinity: the loss is unbounded."""
        return math.inf

    @property
    def has_pairs(self) -> bool:
        """Whether the noise's atoms can be listed."""
        return self.sigma <= 1e4

    def list_pairs(self) -> list[DominatingPair] | None:
        """Return the noise and the noise moved by the sensitivity, where its atoms can be listed."""
        return [pairs.make_discrete_gaussian(self.sigma, self.sensitivity)] if self.has_pairs else None

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the same, unless the sensitivity is so large that the pair only bounds from above."""
        return None if (self.sensitivity / self.sigma) ** 2 / 2 > pairs.HUGE else self.list_pairs()

    def zcdp(self) -> float:
        """Return d^2 / (2 sigma^2) (Canonne, Kamath, Steinke 2020, Theorem 4)."""
        return rounded_up(lambda: ball(Fraction(self.sensitivity) / Fraction(self.sigma)) ** 2 / 2)

    def _group(self, size: int) -> Loss:
        return DiscreteGaussianLoss(self.sigma, self.sensitivity * size)

    def _delta(self, epsilon: Exact) -> arb:
        center = Fraction(epsilon) * Fraction(self.sigma) ** 2 / self.sensitivity
        start = math.floor(center - Fraction(self.sensitivity, 2)) + 1
        near = compute_upper_tail(self.sigma, start)
        far = compute_upper_tail(self.sigma, start + self.sensitivity)
        return near - ball(epsilon).exp() * far
