"""Two releases of continuous losses, plain and sampled, against direct integration over the first one's outcomes.

delta(e) of (A, B) is the integral over outcomes x of A of p(x) delta_B(e - L(x)), with delta_B in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from scipy import integrate

from discreet.privacy import BoundedRangeLoss, DiscreteLaplaceLoss, LaplaceLoss, Loss, PureLoss, SampledLoss
from discreet.privacy.losses.composed import compose
from support import laws

Real = Callable[[float], float]


@dataclass(frozen=True)
class Way:
    """One direction: the density of the first neighbour, the loss, its curve at every real epsilon, where to cut."""

    density: Real
    loss: Real
    delta: Real
    cuts: tuple[float, ...]


Release = tuple[Loss, list[Way]]


def both_signs(delta: Real) -> Real:
    return lambda e: delta(e) if e >= 0 else 1 - math.exp(e) + math.exp(e) * delta(-e)


def laplace(top: float) -> Release:
    def delta(e: float) -> float:
        return -math.expm1((min(e, top) - top) / 2)

    cuts = (-40.0, 0.0, top, top + 40)
    way = Way(lambda x: math.exp(-abs(x)) / 2, lambda x: abs(x - top) - abs(x), both_signs(delta), cuts)
    return LaplaceLoss(top), [way]


def bounded_range(top: float) -> Release:
    def delta(e: float) -> float:
        return (math.exp(top / 2) - math.exp(min(e, top) / 2)) ** 2 / math.expm1(top)

    share = math.exp(top / 2) / 2 / math.expm1(top)
    way = Way(lambda x: share * math.exp(x / 2), lambda x: x, both_signs(delta), (-top, 0.0, top))
    return BoundedRangeLoss(top), [way]


def sampled(base: Release, rate: float) -> Release:
    loss, (plain,) = base

    def outer(x: float) -> float:
        return math.log1p(rate * math.expm1(plain.loss(x)))

    def other(x: float) -> float:
        return plain.density(x) * math.exp(-plain.loss(x))

    def remove(e: float) -> float:
        inside = 1 + math.expm1(e) / rate
        return rate * plain.delta(math.log(inside)) if inside > 1e-300 else 1 - math.exp(e)

    def add(e: float) -> float:
        kept = 1 - (1 - rate) * math.exp(e)
        return kept * plain.delta(e + math.log(rate / kept)) if kept > 0 else 0.0

    return SampledLoss(loss, rate), [
        Way(lambda x: (1 - rate) * other(x) + rate * plain.density(x), outer, remove, plain.cuts),
        Way(other, lambda x: -outer(x), add, plain.cuts),
    ]


def together(one: Way, two: Way, epsilon: float) -> float:
    ends = [point for start, end in pairwise(one.cuts) for point in np.linspace(start, end, 9).tolist()]
    return math.fsum(
        integrate.quad(lambda x: one.density(x) * two.delta(epsilon - one.loss(x)), start, end, epsabs=1e-13)[0]
        for start, end in pairwise(ends)
        if end > start
    )


RELEASES = [
    laplace(1.0),
    bounded_range(5.0),
    sampled(laplace(4.0), 0.01),
    sampled(laplace(1.0), 0.97),
    sampled(bounded_range(1.0), 0.3),
]


@pytest.mark.parametrize(("one", "two"), list(combinations_with_replacement(RELEASES, 2)))
@pytest.mark.parametrize("share", [0.02, 0.6])
def test_two_releases_are_bracketed(one: Release, two: Release, share: float) -> None:
    loss = one[0] + two[0]
    ways = max(len(one[1]), len(two[1]))
    at = share * loss.pure
    truth = max(together(one[1][way % len(one[1])], two[1][way % len(two[1])], at) for way in range(ways))
    found = loss.delta(at)
    assert found.low * (1 - 1e-9) - 1e-12 <= truth <= found.high * (1 + 1e-9) + 1e-12
    assert found.high <= 1.01 * truth + 1e-7


@pytest.mark.many
@pytest.mark.parametrize("count", [10**6, 10**7])
@pytest.mark.parametrize("share", [0.1, 4.0])
def test_millions_of_responses_are_bracketed_by_the_binomial(count: int, share: float) -> None:
    loss = DiscreteLaplaceLoss(math.sqrt(count) / 0.7, 1)
    at = 0.7 * share + 0.245
    truth = laws.response_composed_delta(count, 1 / Fraction(loss.scale), at)
    found = (loss * count).delta(at)
    assert laws.at_most(truth, found.high, slack=0.0)
    assert laws.ball(found.low) <= truth


def test_many_groups_of_many_responses_are_bracketed_by_two_binomials() -> None:
    epsilons = [1e-3 * (1 + i * 1e-13) for i in range(3)]
    found = compose((PureLoss(epsilon), 10**5) for epsilon in epsilons).delta(1.5)
    assert laws.at_most(laws.response_composed_delta(3 * 10**5, epsilons[0], 1.5), found.high, slack=0.0)
    assert laws.ball(found.low) <= laws.response_composed_delta(3 * 10**5, epsilons[-1], 1.5)
