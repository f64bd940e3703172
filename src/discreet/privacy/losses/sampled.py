"""Amplification by sampling: a release on a random part of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from flint import acb, arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, down, float_up, precision, rounded_up, up
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled
from discreet.privacy.loss import Loss
from discreet.privacy.losses.noises import GaussianLoss


@dataclass(frozen=True, repr=False)
class SampledLoss(Loss):
    """A release on a Poisson sample: every unit is taken with probability `rate`, independently; add-remove neighbours.

    Theorem (Li, Qardaji, Su 2012; Balle, Barthe, Gaboardi 2018; Zhu, Dong, Wang 2022, Theorem 11): with (P, Q)
    dominating the base, ((1 - rate) Q + rate P, Q) dominates removing a unit and the swapped pair adding one.
    """

    kind = "sampled"
    base: Loss
    rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.base, Loss) or len(self.base.list_pairs() or []) != 1:
            raise ParameterError("base", self.base, "a loss with one dominating pair (not composed, sampled or zCDP)")
        self._store(rate=float_up(check.real("rate", self.rate, above=0, most=1)))

    @property
    def pure(self) -> float:
        """ln(1 + rate (e^epsilon - 1))."""
        top = self.base.pure
        return rounded_up(lambda: (1 + ball(self.rate) * ball(top).expm1()).log()) if math.isfinite(top) else math.inf

    def list_pairs(self) -> list[DominatingPair]:
        """Return the pairs for removing and for adding a unit."""
        (pair,) = self.base.list_pairs() or []
        return [pair] if self.rate == 1 else list(make_poisson_sampled(pair, self.rate))

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the pairs of a sample from what attains the base."""
        known = self.base.list_attained_pairs()
        if known is None:
            return None
        (pair,) = known
        return [pair] if self.rate == 1 else list(make_poisson_sampled(pair, self.rate))

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        """Removing: rate * delta(ln(1 + (e^epsilon - 1) / rate)). Adding: with s = 1 - (1 - rate) e^epsilon > 0,

        s * delta(epsilon + ln(rate / s)). Both by the linearity of the hockey stick in the mixture.
        """
        rate, grown = ball(self.rate), ball(epsilon).expm1()
        low, high = self._at((1 + grown / rate).log(), rate)
        kept = 1 - (1 - rate) * ball(epsilon).exp()
        if kept > 0:
            low_add, high_add = self._at(ball(epsilon) + (rate / kept).log(), kept)
            low, high = low.max(low_add), high.max(high_add)
        elif not kept <= 0:
            high = high.max(rate)
        return low, high

    def _at(self, point: arb, factor: arb) -> tuple[arb, arb]:
        early, late = max(0.0, down(point)), up(point)
        above = self.base._certified_delta(early).high
        below = self.base._certified_delta(late).low if math.isfinite(late) else 0.0
        return factor * arb(below), factor * arb(above)

    def _renyi(self, order: Exact) -> float:
        """Return ln E_Q[(1 - rate + rate P/Q)^a] / (a - 1), for a Gaussian base (Mironov, Talwar, Zhang 2019).

        Removing dominates adding there (their Theorem 5). Other bases are bounded through their pure epsilon.
        """
        if isinstance(self.base, GaussianLoss):
            return _bound_gaussian_renyi(self.base.mu, self.rate, order)
        return super()._renyi(order)

    def _parameters(self) -> dict[str, Any]:
        return {"base": self.base.to_dict(), "rate": self.rate}

    def __repr__(self) -> str:
        return f"SampledLoss(base={self.base!r}, rate={self.rate!r})"

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        return cls(**{**parameters, "base": Loss.from_dict(parameters["base"])})


def _bound_gaussian_renyi(mu: float, rate: float, order: Exact) -> float:
    """Integrate the density ratio's power, rigorously, where the integrand lives; bound the rest by Gaussian tails.

    The ratio 1 - q + q e^(mu x - mu^2/2) is below 1 + e^(mu x), so beyond [-T, T] the integrand is below
    2^a (1 + e^(a mu x)) phi(x), whose tails are closed forms.
    """
    if mu == 0 or rate == 0:
        return 0.0
    reach = float(order) * mu + math.sqrt(2 * (float(order) * math.log(2 / rate) + 60))
    with precision(192):
        m, q, a = ball(mu), ball(rate), ball(order)
        root = (2 * arb.pi()).sqrt()

        def integrand(x: acb, analytic: bool) -> acb:
            ratio = 1 - q + q * (m * x - m * m / 2).exp()
            return ratio.pow(a, analytic=analytic) * (-(x * x) / 2).exp() / root

        middle = acb.integral(integrand, acb(-reach), acb(reach), rel_tol=arb(2) ** -100).real
        tail = arb(reach)
        plain = (tail / arb(2).sqrt()).erfc()
        shifted = (a * a * m * m / 2).exp() * ((tail - a * m) / arb(2).sqrt()).erfc()
        total = middle + (arb(2) ** a * (plain + shifted)).union(arb(0))
        return max(0.0, up(total.log() / (a - 1)))
