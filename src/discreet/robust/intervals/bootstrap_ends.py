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
from discreet.robust.intervals.laws import Booleans
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


@dataclass(frozen=True, slots=True)
class RunEnds:
    """Estimates with their intervals for many runs: a line for each run, in it a place for each number."""

    estimates: Floats
    low: Floats
    high: Floats
    counts: Floats
    enough: Booleans


def bound_functions(sums: Floats, noise: float, function: SmoothFunction, miss: float) -> BootstrapEnds:
    """Return intervals of functions of means, from noisy sums of resamples whose last column counts people.

    Each entry of each resample has noise of this deviation. Every interval misses with at most this probability, each
    on its own.
    """
    ends = bound_runs(sums[None], noise, function, miss)
    return BootstrapEnds(ends.estimates[0], ends.low[0], ends.high[0], float(ends.counts[0]), bool(ends.enough[0]))


def bound_runs(sums: Floats, noise: float, function: SmoothFunction, miss: float) -> RunEnds:
    """Return the intervals of many runs, for each from its own resamples: sums by run, resample and column."""
    average, wide = sums.mean(axis=1), noise / math.sqrt(sums.shape[1])
    counts = average[:, -1]
    numbers = function.tell(np.zeros(average.shape[1] - 1)).shape
    estimates, reach = np.full((len(sums), *numbers), math.nan), np.full((len(sums), *numbers), math.inf)
    some = np.flatnonzero(counts > max(TOO_FEW * wide, 1.0))
    if len(some):
        with np.errstate(all="ignore"):
            told, far = _reach(sums[some], noise, function, miss)
        enough = np.isfinite(told).all(axis=1) & np.isfinite(far).all(axis=1)
        estimates[some[enough]], reach[some[enough]] = told[enough], far[enough]
    known: Booleans = np.asarray(np.isfinite(reach).all(axis=1))
    low, high = (np.where(known[:, None], estimates + side * reach, side * math.inf) for side in (-1, 1))
    return RunEnds(estimates, low, high, counts, known)


def _reach(sums: Floats, noise: float, function: SmoothFunction, miss: float) -> tuple[Floats, Floats]:
    """Return estimates, and how far each interval reaches to either side; no finite numbers where nothing is told."""
    resamples = sums.shape[1]
    average, wide = sums.mean(axis=1), noise / math.sqrt(resamples)
    count = average[:, -1:]
    means, blurred = average[:, :-1] / count, blur(average, wide)
    estimates = function.tell(means)
    slopes = find_slopes(function.tell, means, np.maximum(wide / count, LEAST_STEP))
    lines = np.concatenate([slopes, -(slopes @ means[..., None])], axis=2) / count[..., None]
    noisy = noise**2 * (lines**2).sum(axis=2)
    straight = is_straight(function.tell(blurred), noisy / resamples)
    spread = (sums @ lines.transpose(0, 2, 1)).var(axis=1, ddof=1)
    upper = spread * (resamples - 1) / float(special.chdtri(resamples - 1, 1 - miss * SPREAD_MISS))
    people = count + find_quantile(miss * COUNT_MISS) * np.hypot(wide, np.sqrt(count / resamples))
    known = people * limit_parts(function, slopes, blurred) / count**2
    sampled = np.minimum(np.maximum(upper - noisy, 0.0), known)
    rest = miss * (1 - SPREAD_MISS - COUNT_MISS)
    reach = find_quantile(rest / 2) * np.sqrt(sampled * (1 + 1 / resamples) + noisy / resamples)
    return estimates, np.where(straight[:, None], reach, math.inf)


def find_slopes(function: MeansFunction, means: Floats, steps: Floats) -> Floats:
    """Return the slopes of each number by each mean, for each run: over a step to either side, as far as noise is."""
    moves, here = steps[..., None] * np.eye(means.shape[1]), means[:, None, :]
    found: Floats = (function(here + moves) - function(here - moves)) / (2 * steps[..., None])
    return found.transpose(0, 2, 1)


def blur(average: Floats, wide: float) -> Floats:
    """Return simulated means for each run: as the noise in the average may have made them, or they it."""
    sums = average[:, None, :] + wide * _draw_normals(average.shape[1])
    found: Floats = sums[..., :-1] / np.maximum(sums[..., -1:], 1.0)
    return found


@lru_cache(maxsize=64)
def _draw_normals(columns: int) -> Floats:
    """Return simulated noise of the deviation 1, which is the same for all resamples of so many columns."""
    found: Floats = np.random.default_rng(SEED).standard_normal((SIMULATED, columns))
    found.flags.writeable = False
    return found


def limit_parts(function: SmoothFunction, slopes: Floats, blurred: Floats) -> Floats:
    """Return the most that the mean square of one person's part of each number can be, for each run."""
    middles = np.abs(blurred @ slopes.transpose(0, 2, 1)).min(axis=1)
    found: Floats = np.abs(slopes).sum(axis=2) ** 2 - middles**2
    if function.limit is None:
        return found
    own = function.limit(blurred).max(axis=1)
    return np.where(np.isfinite(own), np.minimum(found, own), found)


def is_straight(told: Floats, variances: Floats) -> Booleans:
    """Return in which runs noise makes the numbers vary as their slopes say: with these variances, and not much more.

    Where a number is none within the reach of the noise, it does not.
    """
    least = (ROUNDING * np.abs(told).max(axis=1)) ** 2
    with np.errstate(invalid="ignore"):
        varies = told.var(axis=1, ddof=1)
    found: Booleans = (varies <= MOST_CURVED**2 * variances + least).all(axis=1)
    finite = np.isfinite(told).all(axis=(1, 2)) & np.isfinite(variances).all(axis=1)
    return np.asarray(found & finite)


def find_quantile(miss: float) -> float:
    """Return how many deviations a normal error exceeds with this probability."""
    return float(special.ndtri(1 - miss))
