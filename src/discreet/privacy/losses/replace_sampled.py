"""Amplification by sampling under replace neighbours: one unit has other values, and the size of the data is public."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, float_up, rounded_up
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.accountant.replace_pairs import (
    make_fixed_size_sampled,
    make_replace_sampled,
    make_replace_sampled_gaussian,
)
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled
from discreet.privacy.amounts import read_down
from discreet.privacy.loss import Loss
from discreet.privacy.losses.discrete_gaussian import DiscreteGaussianLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, PureLoss
from discreet.privacy.losses.noises import DiscreteLaplaceLoss, GaussianLoss, LaplaceLoss
from discreet.privacy.losses.sampled import amplify_pure, check_base, scale_curve


@dataclass(frozen=True, eq=False, repr=False)
class FixedSizeSampledLoss(Loss):
    """A release on a sample of `taken` of `size` units, drawn without replacement; replace neighbours.

    The base is stated for replace neighbours too. Theorem (Balle, Barthe, Gaboardi 2018, Theorems 2 and 9): with
    rate = taken / size, delta'(ln(1 + rate (e^epsilon - 1))) = rate * delta(epsilon), in both directions. It is
    attained: a base that answers P where the unit is in its sample with its old values, and Q else.
    """

    kind = "fixed-size-sampled"
    for_replace = True
    base: Loss
    taken: int
    size: int

    def __post_init__(self) -> None:
        check_base(self.base)
        size = check.integer("size", self.size, least=1, most=2**53)
        self._store(taken=check.integer("taken", self.taken, least=1, most=size), size=size)

    @property
    def rate(self) -> Fraction:
        """The share of the units that is taken."""
        return Fraction(self.taken, self.size)

    @property
    def pure(self) -> float:
        """ln(1 + rate (e^epsilon - 1))."""
        return amplify_pure(self.base.pure, self.rate)

    @property
    def has_pairs(self) -> bool:
        """Whether the base has."""
        return self.base.has_pairs

    def list_pairs(self) -> list[DominatingPair] | None:
        """Return the pair that has the theorem's curve in both directions."""
        if not self.has_pairs:
            return None
        (pair,) = self.base.list_pairs() or []
        return [pair] if self.taken == self.size else [make_fixed_size_sampled(pair, float_up(self.rate))]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the pairs of the base that answers P where the unit's old values are in its sample."""
        return list_sampled_pairs(self.base, float(self.rate) * (1 - 1e-15))

    def zcdp(self) -> float:
        """Return the base's rho, or what the pure epsilon implies if that is less: a sample is a mixture."""
        return min(self.base.zcdp(), super().zcdp())

    def _renyi(self, order: Exact) -> float:
        return min(super()._renyi(order), self.base.renyi(order))

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        rate = ball(self.rate)
        return scale_curve(self.base, (1 + ball(epsilon).expm1() / rate).log(), rate)

    def _write_parameters(self) -> dict[str, Any]:
        return {"base": self.base.to_dict(), "taken": self.taken, "size": self.size}

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        return cls(**{**parameters, "base": Loss.from_dict(parameters["base"])})


@dataclass(frozen=True, eq=False, repr=False)
class ReplaceSampledLoss(Loss):
    """A release on a Poisson sample at `rate`; replace neighbours. The base is stated for add-remove neighbours.

    Theorem. Let D1 and D2 be the base's curves where a unit is added or removed and where one is replaced
    (`base.replace()`), in alpha = e^epsilon. Then with alpha' = 1 + rate (alpha - 1) the sampled release has at most
    rate (1 - b) D1(alpha) + rate b D2(alpha), b = alpha' / alpha.

    Proof. Given the sample of all other units, the output is (1 - rate) A + rate B before and (1 - rate) A + rate B'
    after: A without the unit, B and B' with its old and new values. Advanced joint convexity (Balle, Barthe, Gaboardi
    2018, Theorem 2) makes the hockey stick at alpha' equal to rate times that at alpha between B and
    (1 - b) A + b B'. It is convex in its second argument: at most (1 - b) that of (B, A) plus b that of (B, B'). The
    other direction is the same with B and B' swapped, and the hockey stick is jointly convex over the other units.

    The curve is convex in alpha', so that a pair has it, where Pr_P[L > e] is no smaller for D2 than for D1: so it is
    for noise with monotone likelihood ratio, whose shift doubles, and for randomized response, whose epsilon does.
    Other bases are refused. The lower bound is that of Gaussian noise, or of a base which ignores the new values.
    """

    kind = "replace-sampled"
    for_replace = True
    base: Loss
    rate: float

    def __post_init__(self) -> None:
        allowed = (PureLoss, ApproximateLoss, GaussianLoss, LaplaceLoss, DiscreteLaplaceLoss, DiscreteGaussianLoss)
        if not isinstance(self.base, allowed) or not (
            self.base.has_pairs or isinstance(self.base, DiscreteLaplaceLoss)
        ):
            raise ParameterError("base", self.base, "a pure, approximate, Gaussian or Laplace loss, discrete or not")
        self._store(rate=float_up(check.real("rate", self.rate, above=0, most=1)))

    @property
    def pure(self) -> float:
        """ln of (1 - rate + rate e^epsilon) / (1 - rate + rate e^-epsilon), B and B' being within e^epsilon of A."""
        top = self.base.pure
        if not math.isfinite(top):
            return math.inf
        rate = ball(self.rate)
        return rounded_up(lambda: ((1 + rate * ball(top).expm1()) / (1 + rate * (-ball(top)).expm1())).log())

    @property
    def has_pairs(self) -> bool:
        """Whether the base has, both where a unit is removed and where one is replaced."""
        return self.base.has_pairs and self.base.replace().has_pairs

    def list_pairs(self) -> list[DominatingPair] | None:
        """Return the pair that has the theorem's curve in both directions."""
        if not self.has_pairs:
            return None
        (near,), (far,) = self.base.list_pairs() or [], self.base.replace().list_pairs() or []
        return [far] if self.rate == 1 else [make_replace_sampled(near, far, self.rate)]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the pairs of a base that ignores the new values, or of Gaussian noise itself."""
        if isinstance(self.base, GaussianLoss) and self.base.mu > 0 and self.rate < 1:
            return [make_replace_sampled_gaussian(read_down(self.base.mu), self.rate)]
        return list_sampled_pairs(self.base, self.rate)

    def zcdp(self) -> float:
        """Return the rho of the replaced base, or what the pure epsilon implies if that is less: both are mixtures."""
        return min(self.base.replace().zcdp(), super().zcdp())

    def _renyi(self, order: Exact) -> float:
        return min(super()._renyi(order), self.base.replace().renyi(order))

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        rate, grown = ball(self.rate), ball(epsilon).expm1()
        alpha = 1 + grown / rate
        share = ball(epsilon).exp() / alpha
        low, near = scale_curve(self.base, alpha.log(), rate)
        _, far = scale_curve(self.base.replace(), alpha.log(), rate)
        return low, arb(0) if epsilon >= self.pure else (1 - share) * near + share * far

    def _write_parameters(self) -> dict[str, Any]:
        return {"base": self.base.to_dict(), "rate": self.rate}

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        return cls(**{**parameters, "base": Loss.from_dict(parameters["base"])})


def list_sampled_pairs(base: Loss, rate: float) -> list[DominatingPair] | None:
    """Return the pairs of (mixture, Q) and (Q, mixture) for what attains the base."""
    known = base.list_attained_pairs()
    if known is None:
        return None
    (pair,) = known
    return [pair] if rate >= 1 else list(make_poisson_sampled(pair, rate))
