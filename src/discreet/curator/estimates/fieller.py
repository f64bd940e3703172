"""Fieller's interval of a mean: all means m for which the noise explains how far sum - m * count is from zero.

If the true mean is m, the noisy sum minus m times the noisy count is N_sum - m * N_count, whose law is known. So the
set of m at which Pr[|N_sum - m N_count| >= |sum - m count|] exceeds `miss` holds the true mean with probability at
least 1 - miss (Fieller 1954). The probability is bounded from above, so the interval is conservative.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.mechanisms import Gaussian, Laplace
from discreet.plan.grid import ClampedGrid

special = Later("scipy.special")


BINS = 400
"""Bins of the count's noise, each counted at its far end."""


def bound_tail(noise: Laplace | Gaussian, at: Floats) -> Floats:
    """Return Pr[noise >= t] of integer noise at real t."""
    whole = np.ceil(at)
    if isinstance(noise, Gaussian):
        found: Floats = special.ndtr(-(whole - 0.5) / noise.sigma)
        return found
    rate = 1 / noise.scale
    share = 1 / (1 + math.exp(-rate))
    right = np.exp(-rate * np.maximum(whole, 0)) * share
    left = 1 - np.exp(-rate * np.maximum(1 - whole, 0)) * share
    return np.where(whole > 0, right, left)


def bound_explained(first: Laplace | Gaussian, second: Laplace | Gaussian, factor: float, distance: float) -> float:
    """Bound Pr[|N1 - factor * N2| >= distance] from above.

    With U uniform in [-1/2, 1/2], N1 + U has a symmetric density that falls from its middle, so Pr[|N1 + U + x| >= t]
    grows with |x|: each bin of |N2| counts at its far end. U moves N1 by half a step, twice at most: hence t - 1.
    """
    both_ends, shares, last = _divide(second)
    tails = bound_tail(first, distance - 1 + abs(factor) * both_ends).sum(axis=0)
    return min(1.0, float(shares @ np.minimum(tails, 1.0) + last) * (1 + 1e-9))


@lru_cache(maxsize=64)
def _divide(noise: Laplace | Gaussian) -> tuple[Floats, Floats, float]:
    """Return the far ends of the bins of |N|, negative and positive, their shares, and what lies beyond the last."""
    spread = noise.sigma if isinstance(noise, Gaussian) else noise.scale
    edges = np.append(np.arange(BINS) * (spread * 40 / BINS), np.inf)
    inside = 2 * bound_tail(noise, np.maximum(edges, 0.5))
    inside[0] = 1.0
    shares = np.maximum(inside[:-1] - inside[1:], 0.0)
    return np.stack([-edges[1:-1], edges[1:-1]]), shares[:-1], float(shares[-1])


def bound_mean(
    total: int, count: int, noise: Laplace | Gaussian, count_noise: Laplace | Gaussian, grid: ClampedGrid, miss: float
) -> tuple[float, float]:
    """Return the interval, inside the grid's bounds."""

    def possible(mean: float) -> bool:
        return bound_explained(noise, count_noise, mean, abs(total - mean * count)) > miss

    middle = min(max(total / count if count > 0 else 0.0, grid.lower), grid.upper)
    ends = []
    for end in (float(grid.lower), float(grid.upper)):
        good, bad = middle, end
        if possible(end) or not possible(middle):
            good = end
        else:
            for _ in range(30):
                half = (good + bad) / 2
                good, bad = (half, bad) if possible(half) else (good, half)
            good = bad
        ends.append(float(grid.center) + good * float(grid.step))
    return ends[0], ends[1]
