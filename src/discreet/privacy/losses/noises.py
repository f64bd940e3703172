"""Losses of particular noises: the exact curve of one release, for the worst neighbours.

Scales and probabilities are doubles, exactly what the noise is drawn with; mu and epsilon are amounts (see `amounts`).

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
from discreet.privacy.accountant.limits import MOST_ATOMS
from discreet.privacy.accountant.pairs import DominatingPair
from discreet.privacy.amounts import read_decimal, read_down, read_for_sums, read_up, state_amount
from discreet.privacy.loss import Loss


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GaussianLoss(Loss):
    """Gaussian differential privacy: telling N(0, 1) from N(mu, 1) (Dong, Roth, Su 2022).

    The loss of Gaussian noise with L2 sensitivity / sigma = mu (Balle, Wang 2018, Theorem 8):
    delta(e) = Phi(mu/2 - e/mu) - e^e Phi(-mu/2 - e/mu).
    """

    kind = "gaussian"
    mu: Exact

    def __init__(self, mu: Exact) -> None:
        self._store(mu=state_amount("mu", mu, least=0))

    @property
    def stated(self) -> Fraction:
        """mu, as filters add it."""
        return read_for_sums(self.mu)

    @property
    def pure(self) -> float:
        """Infinity, unless mu is 0: the Gaussian's loss is unbounded."""
        return 0.0 if self.mu == 0 else math.inf

    def list_pairs(self) -> list[DominatingPair]:
        """Return N(mu, 1) against N(0, 1)."""
        return [pairs.make_gaussian(read_up(self.mu))] if self.mu else [pairs.make_atomic([0.0], [1.0])]

    def list_attained_pairs(self) -> list[DominatingPair]:
        """Return the same with mu rounded down."""
        return [pairs.make_gaussian(read_down(self.mu))] if self.mu else self.list_pairs()

    def exact_zcdp(self) -> Fraction:
        """Return mu^2 / 2, which the Renyi divergence attains at every order."""
        return self.stated**2 / 2

    def zcdp(self) -> float:
        """Return mu^2 / 2, rounded up."""
        return float_up(Fraction(read_up(self.mu)) ** 2 / 2)

    def exact_renyi(self, alpha: Exact) -> Exact:
        """Return alpha mu^2 / 2."""
        return self.exact_zcdp() * read_decimal(alpha)

    def _group(self, size: int) -> Loss:
        """k people move the mean k times as far."""
        return GaussianLoss(Fraction(read_up(self.mu)) * size)

    def _delta(self, epsilon: Exact) -> arb | tuple[arb, arb]:
        if self.mu == 0:
            return arb(0)
        low, high = (compute_gaussian_delta(ball(end), epsilon) for end in (read_down(self.mu), read_up(self.mu)))
        return low, high


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LaplaceLoss(Loss):
    """Continuous Laplace noise with L1 sensitivity / scale = epsilon: delta(e) = 1 - e^((e - epsilon) / 2).

    For analysis only: no mechanism here adds continuous noise, and the discrete one costs more.
    """

    kind = "laplace"
    epsilon_: Exact

    def __init__(self, epsilon: Exact) -> None:
        self._store(epsilon_=state_amount("epsilon", epsilon, least=0))

    @property
    def pure(self) -> float:
        """The epsilon of the noise."""
        return read_up(self.epsilon_)

    @property
    def exact_pure(self) -> Fraction:
        """The epsilon of the noise, as filters add it."""
        return read_for_sums(self.epsilon_)

    def list_pairs(self) -> list[DominatingPair]:
        """Return two Laplace distributions, epsilon scales apart."""
        return [pairs.make_laplace(self.pure)] if self.epsilon_ else [pairs.make_atomic([0.0], [1.0])]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return the same with epsilon rounded down."""
        if self.epsilon_ == 0:
            return self.list_pairs()
        return [pairs.make_laplace(read_down(self.epsilon_))] if self.pure <= pairs.HUGE else None

    def _renyi(self, order: Exact) -> float:
        """Return the exact divergence (Mironov 2017, Proposition 6)."""

        def find_divergence() -> arb:
            a, e = ball(order), ball(self.pure)
            return ((a * ((a - 1) * e).exp() + (a - 1) * (-a * e).exp()) / (2 * a - 1)).log() / (a - 1)

        return rounded_up(find_divergence)

    def _group(self, size: int) -> Loss:
        return LaplaceLoss(Fraction(self.pure) * size)

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        low, high = (
            arb(0) if epsilon >= end else -((ball(epsilon) - ball(end)) / 2).expm1()
            for end in (read_down(self.epsilon_), self.pure)
        )
        return low, high


@dataclass(frozen=True, eq=False, repr=False)
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

    @property
    def exact_pure(self) -> Fraction:
        """The same as filters add it: at scale 10 it is one tenth."""
        return read_for_sums(state_amount("epsilon", Fraction(self.sensitivity) / Fraction(self.scale)))

    @property
    def has_pairs(self) -> bool:
        """Whether the losses can be listed: there are as many as the sensitivity."""
        return self.sensitivity <= MOST_ATOMS

    def list_pairs(self) -> list[DominatingPair] | None:
        """Return the noise and the noise moved by the sensitivity: losses (d - 2x) / scale for x = 0 .. d."""
        return [pairs.make_discrete_laplace(self.scale, self.sensitivity)] if self.has_pairs else None

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


@dataclass(frozen=True, eq=False, repr=False)
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
