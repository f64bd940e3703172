"""Claims of losses beside exact distributions: what two distributions that have a loss really give away.

For distributions P and Q of whole numbers, delta(epsilon) = sum over x of max(0, P(x) - e^epsilon Q(x)), exactly: no
loss may claim less, in either direction. The distributions are written down here from their definitions, and not with
what the accountant uses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy.stats import norm

from discreet.base.grid import Floats
from discreet.privacy.loss import Loss
from discreet.privacy.losses.concentrated import ZcdpLoss
from discreet.privacy.losses.discrete_gaussian import DiscreteGaussianLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, BoundedRangeLoss, PureLoss
from discreet.privacy.losses.noises import DiscreteLaplaceLoss, GaussianLoss, LaplaceLoss, RandomizedResponseLoss
from discreet.privacy.losses.sampled import SampledLoss

EPSILONS = (0.0, 0.1, 0.5, 1.0, 2.0)
WIDTH = 400
"""How far from 0 distributions of whole numbers are written down; what lies beyond counts as nobody's."""

ROUNDING = 1e-12
"""What sums of floats may be off by."""

TrueDeltas = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class LossClaim:
    """A loss, and a pair of distributions that has it: what they give away at each epsilon."""

    name: str
    loss: Loss
    true: TrueDeltas = field(repr=False)

    def find_shortfall(self) -> float:
        """Return by how much the claim is too small, at the worst of some epsilons: 0 or less where it holds."""
        return max(self.true(epsilon) - float(self.loss.delta(epsilon).high) for epsilon in EPSILONS) - ROUNDING


def compare(first: Floats, second: Floats) -> TrueDeltas:
    """Return what two distributions give away, in the worse direction."""

    def find(epsilon: float) -> float:
        e = math.exp(epsilon)
        return float(max(np.maximum(first - e * second, 0).sum(), np.maximum(second - e * first, 0).sum()))

    return find


def list_loss_claims() -> list[LossClaim]:
    """Return losses beside distributions that have them."""
    x = np.arange(-WIDTH, WIDTH + 1)
    normal, laplace = np.exp(-(x**2) / (2 * 3.0**2)), np.exp(-np.abs(x) / 3.0)
    normal, laplace = normal / normal.sum(), laplace / laplace.sum()
    answer = np.array([math.e, 1, 1]) / (math.e + 2)
    return [
        LossClaim("PureLoss", PureLoss(Fraction(1)), compare(*_respond(1.0))),
        LossClaim("ApproximateLoss", ApproximateLoss(Fraction(1), Fraction(1, 100)), compare(*_respond(1.0, 0.01))),
        LossClaim(
            "RandomizedResponseLoss", RandomizedResponseLoss(2 / (math.e + 2), 3), compare(answer, np.roll(answer, 1))
        ),
        LossClaim("DiscreteLaplaceLoss", DiscreteLaplaceLoss(3.0, 1), compare(laplace, np.roll(laplace, 1))),
        LossClaim("LaplaceLoss", LaplaceLoss(Fraction(1, 3)), _laplace(1 / 3)),
        LossClaim("GaussianLoss", GaussianLoss(1.0), _gaussian(1.0)),
        LossClaim("DiscreteGaussianLoss", DiscreteGaussianLoss(3.0, 1), compare(normal, np.roll(normal, 1))),
        LossClaim("ZcdpLoss of a Gaussian", ZcdpLoss(Fraction(1, 2)), _gaussian(1.0)),
        LossClaim("BoundedRangeLoss of a choice", BoundedRangeLoss(Fraction(1)), compare(*_choose(1.0))),
        LossClaim("ten Gaussians", GaussianLoss(0.3) * 10, _gaussian(0.3 * math.sqrt(10))),
        LossClaim(
            "eight Laplaces", DiscreteLaplaceLoss(3.0, 1) * 8, compare(*_compose(laplace, np.roll(laplace, 1), 8))
        ),
        LossClaim(
            "a Laplace and a Gaussian",
            DiscreteLaplaceLoss(3.0, 1) + DiscreteGaussianLoss(3.0, 1),
            compare(np.outer(laplace, normal).ravel(), np.outer(np.roll(laplace, 1), np.roll(normal, 1)).ravel()),
        ),
        LossClaim(
            "SampledLoss of a Laplace",
            SampledLoss(DiscreteLaplaceLoss(3.0, 1), 0.1),
            compare(*_sample(laplace, np.roll(laplace, 1), 0.1)),
        ),
        LossClaim(
            "SampledLoss of what may fail",
            SampledLoss(ApproximateLoss(Fraction(1), Fraction(1, 100)), 0.1),
            compare(*_sample(*_respond(1.0, 0.01), 0.1)),
        ),
        LossClaim(
            "two samples of what may fail",
            SampledLoss(ApproximateLoss(Fraction(1), Fraction(1, 100)), 0.1) * 2,
            compare(*(np.outer(each, each).ravel() for each in _sample(*_respond(1.0, 0.01), 0.1))),
        ),
    ]


def _respond(epsilon: float, delta: float = 0.0) -> tuple[Floats, Floats]:
    """Return two answers that lose just so much: with probability delta they tell which it is."""
    e = math.exp(epsilon)
    first = np.array([delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0.0])
    return first, first[::-1].copy()


def _sample(first: Floats, second: Floats, rate: float) -> tuple[Floats, Floats]:
    """Return the first, and a mixture in which the second comes as often as somebody is drawn into a sample."""
    return first, (1 - rate) * first + rate * second


def _choose(reach: float) -> tuple[Floats, Floats]:
    """Return choices of an exponential mechanism between two neighbours: one score of two moves by the whole range."""
    first, second = np.array([1.0, 1.0]), np.array([math.exp(reach), 1.0])
    return first / first.sum(), second / second.sum()


def _gaussian(mu: float) -> TrueDeltas:
    return lambda epsilon: float(norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


def _laplace(pure: float) -> TrueDeltas:
    return lambda epsilon: max(0.0, 1 - math.exp((epsilon - pure) / 2))


def _compose(first: Floats, second: Floats, times: int) -> tuple[Floats, Floats]:
    """Return the distributions of how often each loss came, of so many releases: all that tells two of them apart.

    Draws of one loss are alike, so that only the number of them counts; a Laplace of whole numbers has three losses.
    """
    losses = np.round(np.log(first / second), 9)
    kinds, place = np.unique(losses, return_inverse=True)
    one, two = (np.bincount(place, each, len(kinds)) for each in (first, second))
    total = [dict[float, float](), dict[float, float]()]
    for side, single in enumerate((one, two)):
        held = {0.0: 1.0}
        for _ in range(times):
            held = _add(held, kinds.tolist(), single.tolist())
        total[side] = held
    both = sorted({*total[0], *total[1]})
    return np.array([total[0].get(each, 0.0) for each in both]), np.array([total[1].get(each, 0.0) for each in both])


def _add(held: dict[float, float], kinds: list[float], single: list[float]) -> dict[float, float]:
    after: dict[float, float] = {}
    for loss, mass in held.items():
        for kind, more in zip(kinds, single, strict=True):
            key = round(loss + kind, 6)
            after[key] = after.get(key, 0.0) + mass * more
    return after
