"""Gaussian noise on a Poisson sample under replace neighbours: the exact curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.rounding import ball, float_up
from discreet.privacy.accountant.pairs import DominatingPair, make_atomic, make_gaussian
from discreet.privacy.accountant.replace_pairs import make_replace_sampled_gaussian
from discreet.privacy.amounts import read_down, read_up, state_amount
from discreet.privacy.loss import Loss
from discreet.privacy.losses.noises import GaussianLoss


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ReplaceSampledGaussianLoss(Loss):
    """Gaussian noise on a sum over a Poisson sample at `rate`, where no unit moves the sum by more than mu deviations.

    Replace neighbours. For Gaussian noise itself only: a base that merely keeps mu-Gaussian differential privacy is
    `ReplaceSampledLoss(GaussianLoss(mu), rate)`, which costs more.

    Theorem. (1 - q) N(0, 1) + q N(mu, 1) against (1 - q) N(0, 1) + q N(-mu, 1) dominates both directions.

    Proof. Given the sample of all others, the unit moves the mean by b before and by c after, vectors of length at
    most mu, if it is taken. With a = 1 + (a' - 1) / q, the hockey stick at a' is q times the integral D of
    (f_b - (a - a') f_0 - a' f_c)+, f_m the density of N(m, I) (advanced joint convexity: Balle, Barthe, Gaboardi 2018,
    Theorem 2). Only the plane of b and c matters. (1) Turn c away from b at constant length, along u, orthogonal to c
    with b.u <= 0: D changes by -a' times the integral over {f_b > ...} of u.x f_c. On each line along u that event is
    {u.x < z}, for f_b / f_0 falls along it and f_c / f_0 is constant; the integral of z times a normal density up to
    any point is negative. So D grows until c points against b. (2) On that line f_b / ((a - a') f_0 + a' f_c) grows
    with x, so D is a supremum over {x > t} of N(b) - (a - a') N(0) - a' N(c), which grows with b and with -c.
    """

    kind = "replace-sampled-gaussian"
    for_replace = True
    mu: Exact
    rate: float

    def __init__(self, mu: Exact, rate: Exact) -> None:
        self._store(mu=state_amount("mu", mu, least=0), rate=float_up(check.real("rate", rate, above=0, most=1)))

    @property
    def pure(self) -> float:
        """Infinity, unless mu is 0."""
        return 0.0 if self.mu == 0 else math.inf

    def list_pairs(self) -> list[DominatingPair]:
        """Return the theorem's pair."""
        return self._make_pairs(read_up(self.mu))

    def list_attained_pairs(self) -> list[DominatingPair]:
        """Return the same with mu rounded down."""
        return self._make_pairs(read_down(self.mu))

    def _make_pairs(self, mu: float) -> list[DominatingPair]:
        if mu == 0:
            return [make_atomic([0.0], [1.0])]
        if self.rate == 1:
            return [make_gaussian(2 * mu)]
        return [make_replace_sampled_gaussian(mu, self.rate)]

    def zcdp(self) -> float:
        """Return that of all units taken: mixtures have no larger divergence than their parts."""
        return GaussianLoss(2 * Fraction(read_up(self.mu))).zcdp()

    def _delta(self, epsilon: Exact) -> arb | tuple[arb, arb]:
        if self.mu == 0:
            return arb(0)
        rate, at = ball(self.rate), ball(epsilon)
        low, high = (_compute_stick(ball(end), rate, at) for end in (read_down(self.mu), read_up(self.mu)))
        return low, high


def _compute_stick(mu: arb, rate: arb, epsilon: arb) -> arb:
    """Return P - e^epsilon Q beyond the root of L(x) = epsilon; see `make_replace_sampled_gaussian`.

    The stick is largest at the root, so a ball around it gives a ball around the stick.
    """
    half = epsilon / 2
    root = (half + ((1 - rate) / rate * (mu * mu / 2).exp() * half.sinh()).asinh()) / mu
    near, plain, far = (_compute_above(root - shift) for shift in (mu, arb(0), -mu))
    return (1 - rate) * plain + rate * near - epsilon.exp() * ((1 - rate) * plain + rate * far)


def _compute_above(point: arb) -> arb:
    return (point * arb(fmpq(1, 2)).sqrt()).erfc() / 2
