"""Covariances and correlations from noisy counts, sums and products, and what they can be inside the noise."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.curator.estimates.arithmetic import Interval
from discreet.curator.estimates.moments import COUNT_PART, Noises, bound_products, bound_variance, grow_sample
from discreet.plan.grid import ClampedGrid
from discreet.plan.question import AggregateKind


def estimate_covariance(kind: AggregateKind, noisy: list[int], grids: list[ClampedGrid]) -> float | None:
    """Return the estimate from count, sums of x and y, products, and for a correlation squares of x and of y."""
    count = noisy[0]
    x, y = Fraction(noisy[1], count), Fraction(noisy[2], count)
    covariance = Fraction(noisy[3], count) - x * y
    if kind is AggregateKind.CORRELATION:
        spreads = [Fraction(square, count) - mean**2 for square, mean in zip(noisy[4:], (x, y), strict=True)]
        if min(spreads) <= 0:
            return None
        return max(-1.0, min(1.0, float(covariance) / math.sqrt(float(spreads[0]) * float(spreads[1]))))
    if kind is AggregateKind.COVARIANCE:
        if count < 2:
            return None
        covariance *= Fraction(count, count - 1)
    most = _most(grids)
    return max(-most, min(most, float(covariance * grids[0].step * grids[1].step)))


def bound_covariance(
    kind: AggregateKind, noisy: list[int], noises: Noises, grids: list[ClampedGrid], miss: float
) -> Interval:
    """Return what a covariance or a correlation can be; a correlation by that of its covariance and both variances."""
    if kind is AggregateKind.CORRELATION:
        third = miss / 3
        low, high = bound_products(noisy[:4], noises[:4], grids, third)
        squares = [
            bound_variance([noisy[0], noisy[at], noisy[at + 3]], [noises[0], noises[at], noises[at + 3]], grid, third)
            for at, grid in ((1, grids[0]), (2, grids[1]))
        ]
        if min(square[0] for square in squares) <= 0:
            return -1.0, 1.0
        small = math.sqrt(squares[0][0] * squares[1][0])
        large = math.sqrt(squares[0][1] * squares[1][1])
        return max(-1.0, low / (small if low < 0 else large)), min(1.0, high / (large if high < 0 else small))
    most, steps = _most(grids), float(grids[0].step * grids[1].step)
    if kind is not AggregateKind.COVARIANCE:
        low, high = bound_products(noisy, noises, grids, miss)
        return max(-most, low * steps), min(most, high * steps)
    low, high = bound_products(noisy, noises, grids, miss * (1 - COUNT_PART))
    grown = grow_sample(noisy[0], noises[0], miss * COUNT_PART)
    low, high = low * (grown if low < 0 else 1.0), high * (grown if high > 0 else 1.0)
    return max(-most, low * steps), min(most, high * steps)


def _most(grids: list[ClampedGrid]) -> float:
    """Return the largest covariance of values inside the bounds, that of a sample of two."""
    first, second = (float((grid.upper - grid.lower) * grid.step) for grid in grids)
    return first * second / 2
