"""Covariances and correlations: right without noise, and inside the interval for every truth that noise allows."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from discreet.curator.estimates.covariance import bound_covariance, estimate_covariance
from discreet.plan.grid import ClampedGrid
from discreet.plan.question import PAIRED, AggregateKind

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


@pytest.mark.parametrize("kind", PAIRED)
def test_the_interval_holds_the_truth_wherever_the_noise_puts_the_sums(kind: AggregateKind) -> None:
    exact = sums(X * 10, Y * 10)[: 6 if kind is AggregateKind.CORRELATION else 4]
    wanted = truth(kind, X * 10, Y * 10)
    for moves in itertools.product((-2, 0, 2), repeat=len(exact)):
        boxes = [(value + move - 3, value + move + 3) for value, move in zip(exact, moves, strict=True)]
        low, high = bound_covariance(kind, boxes, GRIDS)
        assert low <= wanted <= high
        assert high - low < 2 * (1 if kind is AggregateKind.CORRELATION else 50)


@pytest.mark.parametrize("kind", PAIRED)
def test_too_few_rows_leave_everything_open(kind: AggregateKind) -> None:
    boxes = [(-3, 3), *[(-9, 9)] * 5]
    low, high = bound_covariance(kind, boxes, GRIDS)
    assert low == -high
    assert high == (1 if kind is AggregateKind.CORRELATION else 5 * 40 / 2)


def test_estimates_stay_inside_what_the_bounds_allow() -> None:
    assert estimate_covariance(AggregateKind.COVARIANCE_POP, [1, 0, 0, 10**9], GRIDS) == 5 * 40 / 2
    assert estimate_covariance(AggregateKind.CORRELATION, [4, 0, 0, 10**9, 1, 1], GRIDS) == 1
    assert estimate_covariance(AggregateKind.CORRELATION, [4, 0, 0, 3, 0, 5], GRIDS) is None, "no spread at all"
    assert estimate_covariance(AggregateKind.COVARIANCE, [1, 0, 0, 3], GRIDS) is None
