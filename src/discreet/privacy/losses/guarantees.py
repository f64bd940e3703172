"""Losses that state what a theorem promises, for the worst mechanism that keeps the promise.

Parameters that no float equals are rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import DiscreetError
from discreet.base.rounding import ball, float_up, rounded_up
from discreet.privacy.accountant import pairs
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.loss import Loss
from discreet.privacy.losses.noises import compute_gaussian_delta


@dataclass(frozen=True, init=False, repr=False)
class PureLoss(Loss):
    """epsilon-differential privacy (Dwork, McSherry, Nissim, Smith 2006).

    Its curve is that of randomized response, the worst such mechanism (Kairouz, Oh, Viswanath 2015).
    """

    kind = "pure"
    epsilon_: float

    def __init__(self, epsilon: float) -> None:
        self._store(epsilon_=float_up(check.real("epsilon", epsilon, least=0)))

    @property
    def pure(self) -> float:
        """The epsilon promised."""
        return self.epsilon_

    def list_pairs(self) -> list[DominatingPair]:
        """Return randomized response."""
        return [pairs.make_pure(self.epsilon_)]

    def _renyi(self, order: Exact) -> float:
        """Return that of randomized response: ln(p^a q^(1-a) + q^a p^(1-a)) / (a - 1) with p = e^epsilon q."""
        return rounded_up(lambda: _compute_response_renyi(ball(self.epsilon_), ball(order)))

    def _delta(self, epsilon: Exact) -> arb:
        return _compute_response_delta(self.epsilon_, epsilon)


@dataclass(frozen=True, init=False, repr=False)
class ApproximateLoss(Loss):
    """(epsilon, delta)-differential privacy (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006).

    Its curve is that of the worst such mechanism: with probability delta it tells all, else it is randomized
    response (Kairouz, Oh, Viswanath 2015).
    """

    kind = "approximate"
    epsilon_: float
    delta_: float

    def __init__(self, epsilon: float, delta: float) -> None:
        self._store(
            epsilon_=float_up(check.real("epsilon", epsilon, least=0)),
            delta_=float_up(check.delta("delta", delta)),
        )

    @property
    def pure(self) -> float:
        """The epsilon promised where delta is 0, else infinity."""
        return self.epsilon_ if self.delta_ == 0 else math.inf

    def list_pairs(self) -> list[DominatingPair]:
        """Return randomized response that tells all with probability delta."""
        return [pairs.make_pure(self.epsilon_, self.delta_)]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the same, unless epsilon is so large that the pair only bounds from above."""
        return None if self.epsilon_ > pairs.HUGE else self.list_pairs()

    def _group(self, size: int) -> Loss:
        """k steps: (k epsilon, delta (e^(k epsilon) - 1) / (e^epsilon - 1)) (Dwork, Roth 2014, Theorem 2.2)."""

        def delta() -> arb:
            step = ball(self.epsilon_)
            return ball(self.delta_) * ((step * size).expm1() / step.expm1() if self.epsilon_ > 0 else arb(size))

        total = rounded_up(delta)
        if total >= 1:
            raise DiscreetError(f"{size} people at once get no guarantee from {self!r}: delta would reach 1")
        return ApproximateLoss(rounded_up(lambda: ball(self.epsilon_) * size), total)

    def _delta(self, epsilon: Exact) -> arb:
        return ball(self.delta_) + (1 - ball(self.delta_)) * _compute_response_delta(self.epsilon_, epsilon)


@dataclass(frozen=True, repr=False)
class ZcdpLoss(Loss):
    """rho-zero-concentrated differential privacy (Bun, Steinke 2016).

    The upper bound is the tight Renyi conversion (Canonne, Kamath, Steinke 2020, Proposition 12): the infimum over
    a > 1 of exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a, of which every a is a bound. The lower bound is
    the Gaussian mechanism with that rho.
    """

    kind = "zcdp"
    rho: float

    def __post_init__(self) -> None:
        self._store(rho=float_up(check.real("rho", self.rho, least=0)))

    @property
    def pure(self) -> float:
        """Infinity, unless rho is 0."""
        return 0.0 if self.rho == 0 else math.inf

    def zcdp(self) -> float:
        """Return rho."""
        return self.rho

    def _group(self, size: int) -> Loss:
        """k people: k^2 rho (Bun, Steinke 2016, Proposition 1.9)."""
        return ZcdpLoss(rounded_up(lambda: ball(self.rho) * size**2))

    def _delta(self, epsilon: Exact) -> arb | tuple[arb, arb]:
        if self.rho == 0:
            return arb(0)
        order = arb(_find_best_order(self.rho, float(epsilon)))
        exponent = (order - 1) * (order * ball(self.rho) - ball(epsilon)) + order * (1 - 1 / order).log()
        return compute_gaussian_delta((2 * ball(self.rho)).sqrt(), epsilon), exponent.exp() / (order - 1)


@dataclass(frozen=True, init=False, repr=False)
class BoundedRangeLoss(Loss):
    """epsilon-bounded range: the privacy loss varies by at most epsilon over all outcomes.

    This is what the exponential mechanism and report-noisy-max with Gumbel noise keep (Durfee, Rogers 2019), more
    than epsilon-differential privacy. The worst such loss takes two values, t and t - epsilon, for some t in
    [0, epsilon] (Dong, Durfee, Rogers 2020); its delta(e) = (e^epsilon - e^t)(1 - e^(e - t)) / (e^epsilon - 1) is
    largest at t = (epsilon + e) / 2, where it is (e^(epsilon/2) - e^(e/2))^2 / (e^epsilon - 1).
    """

    kind = "bounded-range"
    epsilon_: float

    def __init__(self, epsilon: float) -> None:
        self._store(epsilon_=float_up(check.real("epsilon", epsilon, least=0)))

    @property
    def pure(self) -> float:
        """The range, which bounds the loss as well."""
        return self.epsilon_

    def list_pairs(self) -> list[DominatingPair]:
        """Return the pair with this curve."""
        return [pairs.make_bounded_range(self.epsilon_)] if self.epsilon_ else [pairs.make_atomic([0.0], [1.0])]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return randomized response at epsilon / 2, the two-valued loss in the middle of the range.

        No one mechanism attains the whole curve, which is the worst over all t at each e.
        """
        return [pairs.make_pure(self.epsilon_ / 2)] if self.epsilon_ / 2 <= pairs.HUGE else None

    def zcdp(self) -> float:
        """Return epsilon^2 / 8 (Cesar, Rogers 2021, Lemma 3.2)."""
        return rounded_up(lambda: ball(self.epsilon_) ** 2 / 8)

    def _group(self, size: int) -> Loss:
        """k steps add up k ranges."""
        return BoundedRangeLoss(rounded_up(lambda: ball(self.epsilon_) * size))

    def _delta(self, epsilon: Exact) -> arb:
        if epsilon >= self.epsilon_:
            return arb(0)
        top, at = ball(self.epsilon_), ball(epsilon)
        return ((top / 2).exp() - (at / 2).exp()) ** 2 / top.expm1()


def _compute_response_delta(promised: float, epsilon: Exact) -> arb:
    """delta(epsilon) of randomized response: (e^promised - e^epsilon) / (1 + e^promised), or 0."""
    if epsilon >= promised:
        return arb(0)
    return -(ball(epsilon) - ball(promised)).expm1() / (1 + (-ball(promised)).exp())


def _compute_response_renyi(promised: arb, order: arb) -> arb:
    up, down = (order - 1) * promised, -order * promised
    return ((up.exp() + down.exp()) / (1 + (-promised).exp())).log() / (order - 1)


def _find_best_order(rho: float, epsilon: float) -> float:
    """Return an order a > 1 near the best of the conversion, by golden section on ln(a - 1)."""

    def log_bound(x: float) -> float:
        order = 1 + math.exp(x)
        return (order - 1) * (order * rho - epsilon) - x - order * math.log1p(math.exp(-x))

    low, high, ratio = -30.0, 30.0, (math.sqrt(5) - 1) / 2
    for _ in range(90):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if log_bound(left) < log_bound(right):
            high = right
        else:
            low = left
    return 1 + math.exp((low + high) / 2)
