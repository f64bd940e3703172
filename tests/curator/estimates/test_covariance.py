"""Covariances and correlations: right without noise, and inside the interval for every truth that noise allows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.curator.estimates.covariance import bound_covariance, estimate_covariance
from discreet.mechanisms import Gaussian, Laplace
from discreet.noise.bits import replayed
from discreet.plan.grid import ClampedGrid
from discreet.plan.question import PAIRED, AggregateKind
from support import laws
from support.sampling import ALARM, GeneratorBits

X = [0, 1, 4, 4, 7, 9, 10, 3]
Y = [1, -2, 5, 3, 8, 2, 9, 0]
GRIDS = [ClampedGrid(Fraction(3), Fraction(1, 2), 0, 10), ClampedGrid(Fraction(0), Fraction(2), -10, 10)]


def sums(x: list[int], y: list[int]) -> list[int]:
    products = [sum(a * b for a, b in zip(one, two, strict=True)) for one, two in ((x, y), (x, x), (y, y))]
    return [len(x), sum(x), sum(y), *products]


def truth(kind: AggregateKind, x: list[int], y: list[int]) -> float:
    ours, theirs = (np.array(each, float) for each in (x, y))
    if kind is AggregateKind.CORRELATION:
        return float(np.corrcoef(ours, theirs)[0, 1])
    return float(np.cov(ours * 0.5, theirs * 2, ddof=0 if kind is AggregateKind.COVARIANCE_POP else 1)[0, 1])


@pytest.mark.parametrize("kind", PAIRED)
def test_without_noise_the_estimate_is_the_truth(kind: AggregateKind) -> None:
    noisy = sums(X, Y)[: 6 if kind is AggregateKind.CORRELATION else 4]
    assert estimate_covariance(kind, noisy, GRIDS) == pytest.approx(truth(kind, X, Y))


@pytest.mark.many
@pytest.mark.parametrize("kind", PAIRED)
@pytest.mark.parametrize("gaussian", [False, True])
def test_intervals_cover_the_truth(kind: AggregateKind, gaussian: bool) -> None:
    exact = sums(X * 40, Y * 40)[: 6 if kind is AggregateKind.CORRELATION else 4]
    wanted, missed = truth(kind, X * 40, Y * 40), 0
    noises = [(Gaussian if gaussian else Laplace)(4.0 * each) for each in (1, 10, 10, 100, 100, 100)[: len(exact)]]
    for _ in range(200):
        noisy = [int(noise.release(value)) for noise, value in zip(noises, exact, strict=True)]
        low, high = bound_covariance(kind, noisy, noises, GRIDS, 0.05)
        missed += not low <= wanted <= high
    assert laws.binomial_excess_p(missed, 200, 0.05) > ALARM


@pytest.mark.parametrize("kind", PAIRED)
def test_too_few_rows_leave_everything_open(kind: AggregateKind) -> None:
    count = 6 if kind is AggregateKind.CORRELATION else 4
    low, high = bound_covariance(kind, [0] * count, [Laplace(3.0)] * count, GRIDS, 0.05)
    assert low == -high
    whole = {AggregateKind.CORRELATION: 1.0, AggregateKind.COVARIANCE: 5 * 40 / 2}
    assert high == whole.get(kind, 5 * 40 / 4)


def test_a_correlation_at_an_ordinary_price_has_a_useful_interval() -> None:
    """Ten thousand rows at epsilon 3, six sums: boxes left everything from -1 to 1."""
    draw = np.random.default_rng(6)
    x = draw.integers(0, 11, 10_000)
    y = np.clip(2 * x - 10 + draw.integers(-2, 3, 10_000), -10, 10)
    noises = [Laplace(scale) for scale in (2.0, 20.0, 20.0, 200.0, 200.0, 200.0)]
    with replayed(GeneratorBits(7)):
        noisy = [int(n.release(value)) for n, value in zip(noises, sums(x.tolist(), y.tolist()), strict=True)]
    low, high = bound_covariance(AggregateKind.CORRELATION, noisy, noises, GRIDS, 0.05)
    assert high - low < 0.1


def test_estimates_stay_inside_what_the_bounds_allow() -> None:
    assert estimate_covariance(AggregateKind.COVARIANCE_POP, [1, 0, 0, 10**9], GRIDS) == 5 * 40 / 2
    assert estimate_covariance(AggregateKind.CORRELATION, [4, 0, 0, 10**9, 1, 1], GRIDS) == 1
    assert estimate_covariance(AggregateKind.CORRELATION, [4, 0, 0, 3, 0, 5], GRIDS) is None, "no spread at all"
    assert estimate_covariance(AggregateKind.COVARIANCE, [1, 0, 0, 3], GRIDS) is None
