"""Losses that state what a theorem promises, for the worst mechanism that keeps the promise.

Amounts are decimals (see `amounts`): what no short decimal equals is rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from discreet.base.check import Exact
from discreet.base.errors import DiscreetError
from discreet.base.rounding import ball, float_up, rounded_up
from discreet.privacy.accountant import pairs
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.amounts import read_down, read_for_sums, read_up, state_amount
from discreet.privacy.loss import Loss


@dataclass(frozen=True, eq=False, init=False, repr=False)
class PureLoss(Loss):
    """epsilon-differential privacy (Dwork, McSherry, Nissim, Smith 2006).

    Its curve is that of randomized response, the worst such mechanism (Kairouz, Oh, Viswanath 2015).
    """

    kind = "pure"
    epsilon_: Exact

    def __init__(self, epsilon: Exact) -> None:
        self._store(epsilon_=state_amount("epsilon", epsilon, least=0))

    @property
    def pure(self) -> float:
        """The epsilon promised."""
        return read_up(self.epsilon_)

    @property
    def exact_pure(self) -> Fraction:
        """The epsilon promised, as filters add it."""
        return read_for_sums(self.epsilon_)

    def exact_zcdp(self) -> Fraction:
        """Return epsilon^2 / 2 (Bun, Steinke 2016, Proposition 3.3)."""
        return self.exact_pure**2 / 2

    def zcdp(self) -> float:
        """Return epsilon^2 / 2, rounded up."""
        return float_up(Fraction(self.pure) ** 2 / 2)

    def list_pairs(self) -> list[DominatingPair]:
        """Return randomized response."""
        return [pairs.make_pure(self.pure)]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the same with epsilon rounded down."""
        return [pairs.make_pure(read_down(self.epsilon_))] if self.pure <= pairs.HUGE else None

    def _renyi(self, order: Exact) -> float:
        """Return that of randomized response: ln(p^a q^(1-a) + q^a p^(1-a)) / (a - 1) with p = e^epsilon q."""
        return rounded_up(lambda: _compute_response_renyi(ball(self.pure), ball(order)))

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        low, high = (_compute_response_delta(end, epsilon) for end in (read_down(self.epsilon_), self.pure))
        return low, high


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ApproximateLoss(Loss):
    """(epsilon, delta)-differential privacy (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006).

    Its curve is that of the worst such mechanism: with probability delta it tells all, else it is randomized
    response (Kairouz, Oh, Viswanath 2015).
    """

    kind = "approximate"
    epsilon_: Exact
    delta_: Exact

    def __init__(self, epsilon: Exact, delta: Exact) -> None:
        self._store(
            epsilon_=state_amount("epsilon", epsilon, least=0),
            delta_=state_amount("delta", delta, least=0, below=1),
        )

    @property
    def stated(self) -> tuple[Fraction, Fraction]:
        """The epsilon and the delta promised, as filters add them."""
        return read_for_sums(self.epsilon_), read_for_sums(self.delta_)

    @property
    def pure(self) -> float:
        """The epsilon promised where delta is 0, else infinity."""
        return read_up(self.epsilon_) if self.delta_ == 0 else math.inf

    @property
    def exact_pure(self) -> Exact:
        """The same, exactly."""
        return self.stated[0] if self.delta_ == 0 else math.inf

    def list_pairs(self) -> list[DominatingPair]:
        """Return randomized response that tells all with probability delta."""
        return [pairs.make_pure(read_up(self.epsilon_), read_up(self.delta_))]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the same rounded down, unless epsilon is so large that the pair only bounds from above."""
        if self.epsilon_ > pairs.HUGE:
            return None
        return [pairs.make_pure(read_down(self.epsilon_), read_down(self.delta_))]

    def _group(self, size: int) -> Loss:
        """k steps: (k epsilon, delta (e^(k epsilon) - 1) / (e^epsilon - 1)) (Dwork, Roth 2014, Theorem 2.2)."""
        epsilon, delta = Fraction(read_up(self.epsilon_)), Fraction(read_up(self.delta_))

        def find_delta() -> arb:
            step = ball(epsilon)
            return ball(delta) * ((step * size).expm1() / step.expm1() if epsilon > 0 else arb(size))

        total = rounded_up(find_delta)
        if total >= 1:
            raise DiscreetError(f"{size} people at once get no guarantee from {self!r}: delta would reach 1")
        return ApproximateLoss(epsilon * size, Fraction(total))

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        low, high = (
            ball(round_to(self.delta_))
            + (1 - ball(round_to(self.delta_))) * _compute_response_delta(round_to(self.epsilon_), epsilon)
            for round_to in (read_down, read_up)
        )
        return low, high


@dataclass(frozen=True, eq=False, init=False, repr=False)
class BoundedRangeLoss(Loss):
    """epsilon-bounded range: the privacy loss varies by at most epsilon over all outcomes.

    This is what the exponential mechanism and report-noisy-max with Gumbel noise keep (Durfee, Rogers 2019), more
    than epsilon-differential privacy. The worst such loss takes two values, t and t - epsilon, for some t in
    [0, epsilon] (Dong, Durfee, Rogers 2020); its delta(e) = (e^epsilon - e^t)(1 - e^(e - t)) / (e^epsilon - 1) is
    largest at t = (epsilon + e) / 2, where it is (e^(epsilon/2) - e^(e/2))^2 / (e^epsilon - 1).
    """

    kind = "bounded-range"
    epsilon_: Exact

    def __init__(self, epsilon: Exact) -> None:
        self._store(epsilon_=state_amount("epsilon", epsilon, least=0))

    @property
    def pure(self) -> float:
        """The range, which bounds the loss as well."""
        return read_up(self.epsilon_)

    @property
    def exact_pure(self) -> Fraction:
        """The range, as filters add it."""
        return read_for_sums(self.epsilon_)

    def list_pairs(self) -> list[DominatingPair]:
        """Return the pair with this curve."""
        return [pairs.make_bounded_range(self.pure)] if self.epsilon_ else [pairs.make_atomic([0.0], [1.0])]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return randomized response at epsilon / 2, the two-valued loss in the middle of the range.

        No one mechanism attains the whole curve, which is the worst over all t at each e.
        """
        half = read_down(self.epsilon_) / 2
        return [pairs.make_pure(half)] if half <= pairs.HUGE else None

    def exact_zcdp(self) -> Fraction:
        """Return epsilon^2 / 8 (Cesar, Rogers 2021, Lemma 3.2)."""
        return self.exact_pure**2 / 8

    def zcdp(self) -> float:
        """Return epsilon^2 / 8, rounded up."""
        return float_up(Fraction(self.pure) ** 2 / 8)

    def _group(self, size: int) -> Loss:
        """k steps add up k ranges."""
        return BoundedRangeLoss(Fraction(self.pure) * size)

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        low, high = (_compute_range_delta(end, epsilon) for end in (read_down(self.epsilon_), self.pure))
        return low, high


def _compute_range_delta(range_: float, epsilon: Exact) -> arb:
    """Return (e^(range/2) - e^(epsilon/2))^2 / (e^range - 1), or 0."""
    if epsilon >= range_:
        return arb(0)
    top, at = ball(range_), ball(epsilon)
    return ((top / 2).exp() - (at / 2).exp()) ** 2 / top.expm1()


def _compute_response_delta(promised: float, epsilon: Exact) -> arb:
    """Return delta(epsilon) of randomized response: (e^promised - e^epsilon) / (1 + e^promised), or 0."""
    if epsilon >= promised:
        return arb(0)
    return -(ball(epsilon) - ball(promised)).expm1() / (1 + (-ball(promised)).exp())


def _compute_response_renyi(promised: arb, order: arb) -> arb:
    up, down = (order - 1) * promised, -order * promised
    return ((up.exp() + down.exp()) / (1 + (-promised).exp())).log() / (order - 1)
