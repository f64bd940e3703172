"""Intervals of variances and covariances from the joint noise of their sums.

Theorem. Let n values have mean m and variance V, and let n', s', q' be their noisy count, sum and sum of squares. Since
q - 2 m s + m^2 n = n V, the number T = q' - 2 m s' + (m^2 - V) n' is a combination of the noises alone, with factors 1,
-2 m and m^2 - V. Let |T| <= z except with a known probability. T = n' ((m - s'/n')^2 + V' - V) with the estimate
V' = q'/n' - (s'/n')^2; so for n' > 0

    V' + (m - s'/n')^2 - z / n' <= V <= V' + (m - s'/n')^2 + z / n',

where m lies in its own (Fieller's) interval: an error of m enters squared only. The noises are symmetric and unimodal,
so that z grows with every factor's size, and larger factors are on the safe side. Covariances alike, with the factors
1, -b, -a and a b - C for means a and b, and with (a - x'/n') (b - y'/n') in place of the square.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from discreet.base.later import Later
from discreet.curator.estimates.arithmetic import Interval
from discreet.curator.estimates.fieller import bound_mean
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.laplace_sums import bound_factors
from discreet.plan.grid import ClampedGrid

special = Later("scipy.special")

Noises = Sequence[Laplace | Gaussian]

MEAN_PART = 0.1
"""What of a miss goes to a mean's own interval."""

COUNT_PART = 0.05
"""What of a miss goes to the count's own interval, where the spread of a sample is asked for."""

ROUNDS = 4
"""How often an interval is used to bound the factors of its own noise."""


def bound_noise(noises: Noises, factors: Sequence[float], miss: float) -> float:
    """Return z with Pr[|sum of factor * noise| > z] <= miss; the sizes of factors may be larger than they are."""
    sizes = [_round_up(abs(factor)) for factor in factors]
    if all(isinstance(noise, Laplace) for noise in noises):
        terms = [(size, noise.scale) for size, noise in zip(sizes, noises, strict=True) if isinstance(noise, Laplace)]
        return bound_factors(tuple(terms), miss / 2)
    if all(isinstance(noise, Gaussian) for noise in noises):
        parts = [size * noise.sigma for size, noise in zip(sizes, noises, strict=True) if isinstance(noise, Gaussian)]
        return float(-special.ndtri(miss / 2)) * math.hypot(*parts) * (1 + 1e-9) + sum(sizes) / 2
    each = 1 - miss / len(noises)
    return math.fsum(size * noise.interval(each) for size, noise in zip(sizes, noises, strict=True))


def bound_variance(noisy: Sequence[int], noises: Noises, grid: ClampedGrid, miss: float) -> Interval:
    """Return what the variance of the values can be, in squared steps; `noisy` are count, sum and sum of squares."""
    count, total, squares = noisy
    most = ((grid.upper - grid.lower) / 2) ** 2
    if count <= 0:
        return 0.0, most
    low, high = _bound_mean(total, count, noises[1], noises[0], grid, miss * MEAN_PART)
    mean = total / count
    value = float(Fraction(squares, count) - Fraction(total, count) ** 2)
    far = max((low - mean) ** 2, (high - mean) ** 2)
    near = 0.0 if low <= mean <= high else min((low - mean) ** 2, (high - mean) ** 2)
    size, large, reach = max(abs(low), abs(high)), most, math.inf
    for _ in range(ROUNDS):
        factors = (max(size**2, large), 2 * size, 1.0)
        reach = bound_noise(noises, factors, miss * (1 - MEAN_PART)) / count
        large = max(0.0, min(large, value + far + reach))
    return min(max(0.0, value + near - reach), large), large


def bound_products(noisy: Sequence[int], noises: Noises, grids: Sequence[ClampedGrid], miss: float) -> Interval:
    """Return what a covariance can be, in products of steps; `noisy` are count, both sums and the sum of products."""
    count = noisy[0]
    most = math.prod((grid.upper - grid.lower) / 2 for grid in grids)
    if count <= 0:
        return -most, most
    ends = [
        _bound_mean(noisy[place], count, noises[place], noises[0], grid, miss * MEAN_PART / 2)
        for place, grid in ((1, grids[0]), (2, grids[1]))
    ]
    means = [noisy[1] / count, noisy[2] / count]
    value = float(Fraction(noisy[3], count) - Fraction(noisy[1], count) * Fraction(noisy[2], count))
    corners = [(x - means[0]) * (y - means[1]) for x in ends[0] for y in ends[1]]
    first, second = (max(abs(low), abs(high)) for low, high in ends)
    small, large = -most, most
    for _ in range(ROUNDS):
        factors = (first * second + max(abs(small), abs(large)), second, first, 1.0)
        reach = bound_noise(noises, factors, miss * (1 - MEAN_PART)) / count
        small, large = max(small, value + min(corners) - reach), min(large, value + max(corners) + reach)
        if small > large:
            return -most, most
    return small, large


def grow_sample(count: int, noise: Laplace | Gaussian, miss: float) -> float:
    """Return how many times larger the variance of a sample can be than that of its values: n / (n - 1) <= 2."""
    fewest = max(2, count - int(noise.interval(1 - miss)))
    return fewest / (fewest - 1)


def _bound_mean(
    total: int, count: int, noise: Laplace | Gaussian, count_noise: Laplace | Gaussian, grid: ClampedGrid, miss: float
) -> Interval:
    """Return a mean's interval in steps from the middle of the grid."""
    ends = bound_mean(total, count, noise, count_noise, grid, miss)
    low, high = ((end - float(grid.center)) / float(grid.step) for end in ends)
    slack = 1e-9 * max(abs(grid.lower), abs(grid.upper))
    return max(low - slack, float(grid.lower)), min(high + slack, float(grid.upper))


def _round_up(value: float) -> float:
    """Return a number at most one part in 64 larger, of which there are few: so that bounds are found again."""
    if value <= 0 or not math.isfinite(value):
        return value
    fraction, power = math.frexp(value)
    return math.ldexp(math.ceil(fraction * 128), power - 7)
