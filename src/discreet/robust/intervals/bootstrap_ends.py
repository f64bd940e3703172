"""From noisy resamples of sums to intervals of smooth functions of means, for sampling and noise together.

Let x be a person's vector, with entries between -1 and 1, and f a function of the means of x. The estimate is f at the
average of all B resamples. Near it f is a straight line with the slope g, so that a resample's value is a sum over
people of g (x - mean) / n, counted by their weights, plus noise of the known variance |L|^2 sigma^2 (L is g as a
function of sums). Its spread over resamples is the variance of sampling plus that of the noise. Bounds of the variance
of sampling are:
- what is left of the spread, at the upper end of its own interval, after the noise's part (deconvolution);
- ((sum of |g|)^2 - (g mean)^2) / n, whatever the people are: nobody's g x is larger than the sum (Bhatia, Davis 2000);
- what the function itself knows of its people (`SmoothFunction.limit`), the largest over simulated noise.

The last two are smaller where noise drowns the spread. The error of the estimate has the least of all, a B-th more for
the weights, and a B-th of the noise.

Where f is no straight line over the reach of the noise, none of this holds. That is looked at: the noise in the average
is simulated, and where f varies by a quarter more than its slope says, or is no number, nothing is told. This rule
reads noisy numbers alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.robust.testing.contingency import SEED

special = Later("scipy.special")

MeansFunction = Callable[[Floats], Floats]
"""From means, between -1 and 1 along the last axis, to numbers along the last axis; NaN where there is none."""


@dataclass(frozen=True, slots=True)
class SmoothFunction:
    """Numbers that follow smoothly from means.

    `limit` tells, of the same means, how large the mean square of one person's part of each number is at most: of what
    they change times how many people there are.
    """

    tell: MeansFunction
    limit: MeansFunction | None = None


SPREAD_MISS = 0.1
"""The part of the miss that the spread's own interval may have."""

COUNT_MISS = 0.01
"""The part of the miss that the number of people may have."""

TOO_FEW = 5
"""Deviations of the noise that the number of people must exceed: below, there is nothing to divide by."""

SIMULATED = 400
"""Draws of the noise from which it is seen whether a function is straight."""

MOST_CURVED = 1.25
"""By how much noise may make a function vary more than its slope says."""

ROUNDING = 1e-9
"""What floats may add to how much a number varies, as a part of it."""

LEAST_STEP = 1e-5
"""Of the differences that slopes are computed from."""


@dataclass(frozen=True, slots=True)
class BootstrapEnds:
    """Estimates with their intervals, one for each number; all numbers where `enough` is False."""

    estimates: Floats
    low: Floats
    high: Floats
    count: float
    enough: bool

    def hold(self, low: float, high: float) -> BootstrapEnds:
        """Return the same of numbers that cannot lie outside of these."""
        estimates, first, last = (np.clip(each, low, high) for each in (self.estimates, self.low, self.high))
        return BootstrapEnds(estimates, first, last, self.count, self.enough)


def bound_functions(sums: Floats, noise: float, function: SmoothFunction, miss: float) -> BootstrapEnds:
    """Return intervals of functions of means, from noisy sums of resamples whose last column counts people.

    Each entry of each resample has noise of this deviation. Every interval misses with at most this probability, each
    on its own.
    """
    resamples = len(sums)
    average, wide = sums.mean(axis=0), noise / math.sqrt(resamples)
    count = float(average[-1])
    if count <= max(TOO_FEW * wide, 1.0):
        return _tell_nothing(function, average, count)
    means, blurred = average[:-1] / count, blur(average, wide)
    estimates = function.tell(means)
    slopes = find_slopes(function.tell, means, max(wide / count, LEAST_STEP))
    lines = np.concatenate([slopes, -(slopes @ means)[:, None]], axis=1) / count
    noisy = noise**2 * (lines**2).sum(axis=1)
    if not np.isfinite(estimates).all() or not is_straight(function.tell(blurred), noisy / resamples):
        return _tell_nothing(function, average, count)
    spread = (sums @ lines.T).var(axis=0, ddof=1)
    upper = spread * (resamples - 1) / float(special.chdtri(resamples - 1, 1 - miss * SPREAD_MISS))
    people = count + find_quantile(miss * COUNT_MISS) * math.hypot(wide, math.sqrt(count / resamples))
    known = people * limit_parts(function, slopes, blurred) / count**2
    sampled = np.minimum(np.maximum(upper - noisy, 0.0), known)
    rest = miss * (1 - SPREAD_MISS - COUNT_MISS)
    reach = find_quantile(rest / 2) * np.sqrt(sampled * (1 + 1 / resamples) + noisy / resamples)
    return BootstrapEnds(estimates, estimates - reach, estimates + reach, count, True)


def find_slopes(function: MeansFunction, means: Floats, step: float) -> Floats:
    """Return the slopes of each number by each mean: over a step to either side, as far as the noise reaches."""
    moves = step * np.eye(len(means))
    found: Floats = ((function(means + moves) - function(means - moves)) / (2 * step)).T
    return found


def blur(average: Floats, wide: float) -> Floats:
    """Return simulated means: as the noise in the average may have made them, or they it."""
    sums = average + wide * _draw_normals(len(average))
    found: Floats = sums[:, :-1] / np.maximum(sums[:, -1:], 1.0)
    return found


@lru_cache(maxsize=64)
def _draw_normals(columns: int) -> Floats:
    """Return simulated noise of the deviation 1, which is the same for all resamples of so many columns."""
    found: Floats = np.random.default_rng(SEED).standard_normal((SIMULATED, columns))
    found.flags.writeable = False
    return found


def limit_parts(function: SmoothFunction, slopes: Floats, blurred: Floats) -> Floats:
    """Return the most that the mean square of one person's part of each number can be."""
    middles = np.abs(blurred @ slopes.T).min(axis=0)
    found: Floats = np.abs(slopes).sum(axis=1) ** 2 - middles**2
    if function.limit is None:
        return found
    own = function.limit(blurred).max(axis=0)
    return np.where(np.isfinite(own), np.minimum(found, own), found)


def is_straight(told: Floats, variances: Floats) -> bool:
    """Return whether noise makes the numbers vary as their slopes say: with these variances, and not much more."""
    if not np.isfinite(told).all() or not np.isfinite(variances).all():
        return False
    least = (ROUNDING * np.abs(told).max(axis=0)) ** 2
    return bool(np.all(told.var(axis=0, ddof=1) <= MOST_CURVED**2 * variances + least))


def find_quantile(miss: float) -> float:
    """Return how many deviations a normal error exceeds with this probability."""
    return float(special.ndtri(1 - miss))


def _tell_nothing(function: SmoothFunction, average: Floats, count: float) -> BootstrapEnds:
    """Return all numbers, as many as the function has."""
    shape = function.tell(np.zeros(len(average) - 1)).shape
    return BootstrapEnds(np.full(shape, math.nan), np.full(shape, -math.inf), np.full(shape, math.inf), count, False)
