"""Losses of particular noises: the exact curve of one release, for the worst neighbours.

For a symmetric noise X on shift d with monotone likelihood ratio, delta(e) = sup over m of
Pr[X <= m] - e^e Pr[X <= m - d], which grows with d: the largest shift is the worst.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.rounding import ball, float_down, float_up, ratio_up, rounded_up
from discreet.privacy.accountant import pairs
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.discrete_normal import compute_upper_tail
from discreet.privacy.loss import Loss


@dataclass(frozen=True, repr=False)
class GaussianLoss(Loss):
    """Gaussian differential privacy: telling N(0, 1) from N(mu, 1) (Dong, Roth, Su 2022).

    The loss of Gaussian noise with L2 sensitivity / sigma = mu (Balle, Wang 2018, Theorem 8):
    delta(e) = Phi(mu/2 - e/mu) - e^e Phi(-mu/2 - e/mu).
    """

    kind = "gaussian"
    mu: float

    def __post_init__(self) -> None:
        self._store(mu=float_up(check.real("mu", self.mu, least=0)))

    @property
    def pure(self) -> float:
        """Infinity, unless mu is 0: the Gaussian's loss is unbounded."""
        return 0.0 if self.mu == 0 else math.inf

    def list_pairs(self) -> list[DominatingPair]:
        """Return N(mu, 1) against N(0, 1)."""
        return [pairs.make_gaussian(self.mu)] if self.mu else [pairs.make_atomic([0.0], [1.0])]

    def zcdp(self) -> float:
        """Return mu^2 / 2, which the Renyi divergence attains at every order."""
        return rounded_up(lambda: ball(self.mu) ** 2 / 2)

    def _group(self, size: int) -> Loss:
        """k people move the mean k times as far."""
        return GaussianLoss(rounded_up(lambda: ball(self.mu) * size))

    def _delta(self, epsilon: Exact) -> arb:
        return arb(0) if self.mu == 0 else compute_gaussian_delta(ball(self.mu), epsilon)


@dataclass(frozen=True, init=False, repr=False)
class LaplaceLoss(Loss):
    """Continuous Laplace noise with L1 sensitivity / scale = epsilon: delta(e) = 1 - e^((e - epsilon) / 2).

    For analysis only: no mechanism here adds continuous noise, and the discrete one costs more.
    """

    kind = "laplace"
    epsilon_: float

    def __init__(self, epsilon: float) -> None:
        self._store(epsilon_=float_up(check.real("epsilon", epsilon, least=0)))

    @property
    def pure(self) -> float:
        """The epsilon of the noise."""
        return self.epsilon_

    def list_pairs(self) -> list[DominatingPair]:
        """Return two Laplace distributions, epsilon scales apart."""
        return [pairs.make_laplace(self.epsilon_)] if self.epsilon_ else [pairs.make_atomic([0.0], [1.0])]

    def _renyi(self, order: Exact) -> float:
        """Return the exact divergence (Mironov 2017, Proposition 6)."""

        def divergence() -> arb:
            a, e = ball(order), ball(self.epsilon_)
            return ((a * ((a - 1) * e).exp() + (a - 1) * (-a * e).exp()) / (2 * a - 1)).log() / (a - 1)

        return rounded_up(divergence)

    def _group(self, size: int) -> Loss:
        return LaplaceLoss(rounded_up(lambda: ball(self.epsilon_) * size))

    def _delta(self, epsilon: Exact) -> arb:
        return arb(0) if epsilon >= self.epsilon_ else -((ball(epsilon) - ball(self.epsilon_)) / 2).expm1()


@dataclass(frozen=True, repr=False)
class DiscreteLaplaceLoss(Loss):
    """Discrete Laplace noise on an integer of sensitivity d (Ghosh, Roughgarden, Sundararajan 2009).

    With q = e^(-1/scale) the curve is the supremum in the head of this file with Pr[X <= m] = q^-m / (1 + q) for
    m <= 0 and 1 - q^(m + 1) / (1 + q) for m >= 0. At d = 1 it is randomized response.
    """

    kind = "discrete-laplace"
    scale: float
    sensitivity: int

    def __post_init__(self) -> None:
        self._store(
            scale=float_down(check.positive("scale", self.scale)),
            sensitivity=check.integer("sensitivity", self.sensitivity, least=1),
        )

    @property
    def pure(self) -> float:
        """sensitivity / scale."""
        return ratio_up(self.sensitivity, self.scale)

    def list_pairs(self) -> list[DominatingPair]:
        """Return the noise and the noise moved by the sensitivity: losses (d - 2x) / scale for x = 0 .. d."""
        return [pairs.make_discrete_laplace(self.scale, self.sensitivity)]

    def _group(self, size: int) -> Loss:
        return DiscreteLaplaceLoss(self.scale, self.sensitivity * size)

    def _delta(self, epsilon: Exact) -> arb:
        shift, scale = self.sensitivity, Fraction(self.scale)
        if Fraction(epsilon) * scale >= shift:
            return arb(0)
        best = math.ceil((shift - Fraction(epsilon) * scale) / 2) - 1  # the last m where the loss exceeds epsilon
        return self._below(best) - ball(epsilon).exp() * self._below(best - shift)

    def _below(self, point: int) -> arb:
        rate = 1 / ball(self.scale)
        share = 1 / (1 + (-rate).exp())
        return (rate * point).exp() * share if point <= 0 else 1 - (-rate * (point + 1)).exp() * share


@dataclass(frozen=True, repr=False)
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

    def list_pairs(self) -> list[DominatingPair] | None:
        """Return the noise and the noise moved by the sensitivity, where its atoms can be listed."""
        return [pairs.make_discrete_gaussian(self.sigma, self.sensitivity)] if self.sigma <= 1e4 else None

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


@dataclass(frozen=True, repr=False)
class RandomizedResponseLoss(Loss):
    """k-ary randomized response: another category than the true one with probability `lie`, evenly among them.

    Two neighbours are two true categories: delta(e) = (1 - lie) - e^e lie / (k - 1), where positive
    (Warner 1965; Kairouz, Bonawitz, Ramage 2016).
    """

    kind = "randomized-response"
    lie: float
    categories: int = 2

    def __post_init__(self) -> None:
        categories = check.integer("categories", self.categories, least=2, most=2**50)
        lie = check.real("lie", self.lie, above=0, most=(categories - 1) / categories)
        self._store(lie=float_down(lie), categories=categories)

    @property
    def pure(self) -> float:
        """ln((1 - lie)(k - 1) / lie), or its negative where rounding put lie just above (k - 1) / k."""
        lie = Fraction(self.lie)
        odds = (1 - lie) * (self.categories - 1) / lie
        return rounded_up(lambda: ball(max(odds, 1 / odds)).log())

    def list_pairs(self) -> list[DominatingPair]:
        """Return the answers of two true categories: losses +-epsilon, and 0 where both are other categories."""
        if self.pure > pairs.HUGE:
            return [pairs.make_revealing()]
        stray = self.lie / (self.categories - 1)
        odds = (1 - Fraction(self.lie)) * (self.categories - 1) / Fraction(self.lie)
        top = float(ball(odds).log())  # a float's logarithm would lose digits where odds are near 1
        losses, masses = [-top, 0.0, top], [stray, self.lie - stray, 1 - self.lie]
        return [pairs.make_atomic(losses, masses, lattice=top if top > 0 else None)]

    def _renyi(self, order: Exact) -> float:
        def divergence() -> arb:
            a, own, stray = ball(order), 1 - ball(self.lie), ball(self.lie) / (self.categories - 1)
            told = own**a * stray ** (1 - a) + stray**a * own ** (1 - a)
            return (told + (ball(self.lie) - stray)).log() / (a - 1)

        return max(0.0, rounded_up(divergence))

    def _delta(self, epsilon: Exact) -> arb:
        own, stray, factor = 1 - ball(self.lie), ball(self.lie) / (self.categories - 1), ball(epsilon).exp()
        return (own - factor * stray).max(stray - factor * own).max(arb(0))


def compute_gaussian_delta(mu: arb, epsilon: Exact) -> arb:
    """Return a ball around Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)."""
    root = arb(fmpq(1, 2)).sqrt()
    near, far = ball(epsilon) / mu - mu / 2, ball(epsilon) / mu + mu / 2
    return ((near * root).erfc() - ball(epsilon).exp() * (far * root).erfc()) / 2
