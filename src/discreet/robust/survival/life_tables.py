"""Survival from noisy counts by interval of time: Kaplan-Meier's curve and the log-rank test.

People are counted by the interval in which they were last seen and by whether the event happened then: a person is in
one cell, so that each count has the noise of the whole charge. Intervals are public. Who was last seen without the
event counts as at risk until the end of that interval.

The estimate is S(j) = product of (1 - d / Y) over intervals up to j (Kaplan, Meier 1958), with Y people at risk. Its
error is that of sampling, by Greenwood's formula (1926), plus what noise does to it: the derivative of log S by every
cell, squared, times the noise's variance. Intervals are on the scale of log S.
Where so few are at risk that their number is doubtful, the curve ends: noise alone decides then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.robust.intervals.laws import Booleans, SumNoise, find_quantile, find_reach
from discreet.robust.testing.contingency import find_variance

special = Later("scipy.special")

LEAST_SURE = 5.0
"""A curve goes on while the people at risk are at least so many deviations of the noise in their number."""


@dataclass(frozen=True, slots=True)
class NoisyLifeTable:
    """Noisy counts by interval: with the event, and last seen without it; and those seen beyond the last interval.

    The last axis is that of intervals; `beyond` has one axis less.
    """

    events: Floats
    censored: Floats
    beyond: Floats
    noise: SumNoise

    @property
    def at_risk(self) -> Floats:
        """How many people are at risk at the start of each interval."""
        leaving = (self.events + self.censored)[..., ::-1].cumsum(axis=-1)[..., ::-1]
        found: Floats = leaving + self.beyond[..., None]
        return found

    @property
    def doubt(self) -> Floats:
        """The deviation of the noise in these numbers."""
        intervals = self.events.shape[-1]
        cells = 2 * (intervals - np.arange(intervals)) + 1
        found: Floats = np.sqrt(cells * find_variance(self.noise))
        return found

    @property
    def told(self) -> Booleans:
        """Up to where the curve can be told: enough people at risk, in this and all earlier intervals."""
        enough = self.at_risk >= np.maximum(LEAST_SURE * self.doubt, 1.0)
        found: Booleans = np.logical_and.accumulate(enough, axis=-1)
        return found


def estimate_survival(table: NoisyLifeTable) -> tuple[Floats, Floats, Floats]:
    """Return the logarithm of the curve after each interval, Greenwood's variance, and the squared slopes by all cells.

    Noisy numbers of events may be negative, and count as they are: what is cut off at 0 would add up to a bias.
    """
    risk = np.maximum(table.at_risk, 1.0)
    hazard = np.clip(table.events / risk, -0.9, 1 - 1 / (risk + 1))
    positive = np.maximum(hazard, 0.0)
    greenwood = (positive / ((1 - positive) * risk)).cumsum(axis=-1)
    return np.log1p(-hazard).cumsum(axis=-1), greenwood, _square_slopes(risk, hazard)


def _square_slopes(risk: Floats, hazard: Floats) -> Floats:
    """Return the sum over all cells of the squared derivative of log S after each interval.

    log S = sum of log(Y_i - d_i) - log Y_i. A cell of interval k is at risk in all i <= k: it adds h_i / (Y_i - d_i)
    for each of them that the curve has passed, and where it is the event's own cell, -1 / (Y_k - d_k) more.
    """
    left = np.maximum(risk * (1 - hazard), 0.5)
    passed = (hazard / left).cumsum(axis=-1)
    intervals = risk.shape[-1]
    places = np.arange(intervals)
    after = 2 * (intervals - 1 - places) + 1
    censored = (passed**2).cumsum(axis=-1)
    events = ((passed - 1 / left) ** 2).cumsum(axis=-1)
    found: Floats = events + censored + after * passed**2
    return found


def bound_survival(table: NoisyLifeTable, miss: float) -> tuple[Floats, Floats, Floats]:
    """Return the curve, never rising, with its ends after each interval of time; 0 and 1 where it is not told.

    For few events z^2 / 2 are added before their variance is taken (as Agresti and Coull do for shares, 1998).
    """
    logarithm, greenwood, slopes = estimate_survival(table)
    few = find_quantile(miss) ** 2 / 2 / np.maximum(table.at_risk, 1.0) ** 2
    reach = find_reach(greenwood + few, find_variance(table.noise) * slopes, miss)
    curve = np.minimum(np.minimum.accumulate(np.exp(logarithm), axis=-1), 1.0)
    low = np.minimum(np.exp(logarithm - reach), curve)
    high = np.clip(np.exp(np.minimum(logarithm + reach, 0.0)), curve, 1.0)
    return curve, np.where(table.told, low, 0.0), np.where(table.told, high, 1.0)


def explain_equal_survival(first: NoisyLifeTable, second: NoisyLifeTable) -> tuple[Floats, Booleans]:
    """Return the p-value of the log-rank test (Mantel 1966), and whether anything can be told: else it is 1.

    U = sum of d1 - d Y1 / Y over the intervals that both groups tell. Its variance is the hypergeometric one plus the
    noise's variance times the squared derivatives of U by every cell.
    """
    told = first.told & second.told
    one, two = np.maximum(first.at_risk, 1.0), np.maximum(second.at_risk, 1.0)
    both, events = one + two, first.events + second.events
    share, hazard = one / both, np.clip(events / both, 0.0, 1.0)
    statistic = np.where(told, first.events - events * share, 0.0).sum(axis=-1)
    sampled = np.where(told, both * share * (1 - share) * hazard * (1 - hazard), 0.0).sum(axis=-1)
    noisy = np.zeros_like(statistic)
    for sign, other in ((1.0, 1 - share), (-1.0, share)):
        risk = np.where(told, -sign * hazard * other, 0.0).cumsum(axis=-1)
        event = np.where(told, sign * other, 0.0)
        noisy = noisy + ((risk + event) ** 2).sum(axis=-1) + (risk**2).sum(axis=-1) + risk[..., -1] ** 2
    deviation = np.sqrt(np.maximum(sampled, 0.0) + find_variance(first.noise) * noisy)
    found: Floats = 2 * special.ndtr(-np.abs(statistic) / np.maximum(deviation, 1e-300))
    enough: Booleans = np.any(told, axis=-1, keepdims=True)[..., 0]
    return np.where(enough, np.minimum(found, 1.0), 1.0), enough
