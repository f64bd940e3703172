"""Amplification by Poisson sampling, add-remove neighbours: every unit is taken independently, with one probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, down, float_up, rounded_up, up
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled
from discreet.privacy.amounts import read_up
from discreet.privacy.loss import Loss
from discreet.privacy.losses.noises import DiscreteLaplaceLoss, GaussianLoss
from discreet.privacy.losses.sampled_renyi import bound_sampled_gaussian_renyi


def check_base(base: object) -> Loss:
    """Return a loss that can be sampled: one with one dominating pair, though its atoms may be too many to list."""
    listed = base.list_pairs() if isinstance(base, Loss) and base.has_pairs else None
    if not isinstance(base, Loss) or (len(listed or []) != 1 and not isinstance(base, DiscreteLaplaceLoss)):
        raise ParameterError("base", base, "a loss with one dominating pair (not composed, sampled or zCDP)")
    return base


@dataclass(frozen=True, eq=False, repr=False)
class SampledLoss(Loss):
    """A release on a Poisson sample: every unit is taken with probability `rate`, independently; add-remove neighbours.

    Theorem (Li, Qardaji, Su 2012; Balle, Barthe, Gaboardi 2018; Zhu, Dong, Wang 2022, Theorem 11): with (P, Q)
    dominating the base, ((1 - rate) Q + rate P, Q) dominates removing a unit and the swapped pair adding one.
    """

    kind = "sampled"
    base: Loss
    rate: float

    def __post_init__(self) -> None:
        if check_base(self.base).for_replace:
            raise ParameterError("base", self.base, "a loss stated for add-remove neighbours; see FixedSizeSampledLoss")
        self._store(rate=float_up(check.real("rate", self.rate, above=0, most=1)))

    @property
    def pure(self) -> float:
        """ln(1 + rate (e^epsilon - 1))."""
        return amplify_pure(self.base.pure, self.rate)

    @property
    def has_pairs(self) -> bool:
        """Whether the base has."""
        return self.base.has_pairs

    def list_pairs(self) -> list[DominatingPair] | None:
        """Return the pairs for removing and for adding a unit."""
        if not self.has_pairs:
            return None
        (pair,) = self.base.list_pairs() or []
        return [pair] if self.rate == 1 else list(make_poisson_sampled(pair, self.rate))

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the pairs of a sample from what attains the base."""
        known = self.base.list_attained_pairs()
        if known is None:
            return None
        (pair,) = known
        return [pair] if self.rate == 1 else list(make_poisson_sampled(pair, self.rate))

    def zcdp(self) -> float:
        """Return the base's rho, or what the pure epsilon implies if that is less.

        A sample is a mixture, and the Renyi divergence of mixtures is at most the largest of their parts (joint
        quasi-convexity: van Erven, Harremoes 2014, Theorem 13).
        """
        return min(self.base.zcdp(), super().zcdp())

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        """Removing: rate * delta(ln(1 + (e^epsilon - 1) / rate)). Adding: with s = 1 - (1 - rate) e^epsilon > 0,

        s * delta(epsilon + ln(rate / s)). Both by the linearity of the hockey stick in the mixture.
        """
        rate, grown = ball(self.rate), ball(epsilon).expm1()
        low, high = scale_curve(self.base, (1 + grown / rate).log(), rate)
        kept = 1 - (1 - rate) * ball(epsilon).exp()
        if kept > 0:
            low_add, high_add = scale_curve(self.base, ball(epsilon) + (rate / kept).log(), kept)
            low, high = low.max(low_add), high.max(high_add)
        elif not kept <= 0:
            high = high.max(rate)
        return low, high

    def _renyi(self, order: Exact) -> float:
        """Return ln E_Q[(1 - rate + rate P/Q)^a] / (a - 1), for a Gaussian base (Mironov, Talwar, Zhang 2019).

        Removing dominates adding there (their Theorem 5). Other bases are bounded by their divergence without sampling,
        see `zcdp`.
        """
        found = min(super()._renyi(order), self.base.renyi(order))
        if isinstance(self.base, GaussianLoss):
            return min(found, bound_sampled_gaussian_renyi(Fraction(read_up(self.base.mu)), self.rate, order))
        return found

    def _write_parameters(self) -> dict[str, Any]:
        return {"base": self.base.to_dict(), "rate": self.rate}

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        return cls(**{**parameters, "base": Loss.from_dict(parameters["base"])})


def amplify_pure(epsilon: float, rate: Exact) -> float:
    """Return ln(1 + rate (e^epsilon - 1)), rounded up; infinity stays."""
    return rounded_up(lambda: (1 + ball(rate) * ball(epsilon).expm1()).log()) if math.isfinite(epsilon) else math.inf


def scale_curve(base: Loss, point: arb, factor: arb) -> tuple[arb, arb]:
    """Return bounds on factor * delta(point) of a loss, from below and from above."""
    early, late = max(0.0, down(point)), up(point)
    above = base._certified_delta(early).high
    below = base._certified_delta(late).low if math.isfinite(late) else 0.0
    return factor * arb(below), factor * arb(above)
