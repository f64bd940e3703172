"""Covariances and correlations from noisy counts, sums and products, and what they can be inside the noise."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.curator.estimates.arithmetic import Interval
from discreet.plan.grid import ClampedGrid
from discreet.plan.question import AggregateKind

Box = tuple[int, int]


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


def bound_covariance(kind: AggregateKind, boxes: list[Box], grids: list[ClampedGrid]) -> Interval:
    """Return what it can be for every count, sum and product inside their boxes, by interval arithmetic."""
    most = 1.0 if kind is AggregateKind.CORRELATION else _most(grids)
    least = 2 if kind is AggregateKind.COVARIANCE else 1
    if boxes[0][0] < least:
        return -most, most
    count = (boxes[0][0], boxes[0][1])
    x, y = (_held(_divided(box, count), grid) for box, grid in zip(boxes[1:3], grids, strict=True))
    low, high = _less(_divided(boxes[3], count), _times(x, y))
    if kind is AggregateKind.CORRELATION:
        squares = [_less(_divided(box, count), _square(mean)) for box, mean in zip(boxes[4:], (x, y), strict=True)]
        if min(square[0] for square in squares) <= 0:
            return -1.0, 1.0
        small = math.sqrt(squares[0][0] * squares[1][0])
        large = math.sqrt(squares[0][1] * squares[1][1])
        return max(-1.0, low / (small if low < 0 else large)), min(1.0, high / (large if high < 0 else small))
    steps = float(grids[0].step * grids[1].step)
    grown = count[0] / (count[0] - 1) if kind is AggregateKind.COVARIANCE else 1.0
    low, high = low * (grown if low < 0 else 1.0), high * (grown if high > 0 else 1.0)
    return max(-most, low * steps), min(most, high * steps)


def _most(grids: list[ClampedGrid]) -> float:
    """Return the largest covariance of values inside the bounds, that of a sample of two."""
    first, second = (float((grid.upper - grid.lower) * grid.step) for grid in grids)
    return first * second / 2


def _divided(box: Box, count: Box) -> Interval:
    low, high = box
    return low / (count[1] if low >= 0 else count[0]), high / (count[0] if high >= 0 else count[1])


def _held(mean: Interval, grid: ClampedGrid) -> Interval:
    low, high = max(mean[0], float(grid.lower)), min(mean[1], float(grid.upper))
    return (low, high) if low <= high else (float(grid.lower), float(grid.upper))


def _times(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _square(a: Interval) -> Interval:
    ends = sorted((a[0] ** 2, a[1] ** 2))
    return (0.0 if a[0] <= 0 <= a[1] else ends[0]), ends[1]


def _less(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]
