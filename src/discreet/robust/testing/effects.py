"""Effect sizes from noisy sums: how large a difference is beside the spread of people's values, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.answers.numbers import format_interval, format_percent, format_value
from discreet.base.grid import Floats
from discreet.robust.intervals.means import MeanEnds, bound_difference, err_of_mean
from discreet.robust.intervals.sums import ValueSums

SPREAD_PART = 0.3
"""What of a miss goes to the spread that a difference is divided by."""


@dataclass(frozen=True, slots=True)
class EffectSize:
    """A size that does not depend on how many people there are, with an interval for sampling and noise together."""

    name: str
    estimate: float
    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        pair = (self.low, self.high)
        shown = f"{format_value(self.estimate, pair)} {format_interval(self.estimate, pair)}"
        return f"{self.name} {shown} ({format_percent(self.confidence)})"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"name": self.name, "estimate": self.estimate, "low": self.low, "high": self.high}


def bound_deviation(groups: list[ValueSums], miss: float) -> tuple[Floats, Floats, Floats]:
    """Return the deviation within groups, estimated, and bounds of it that miss with at most this probability.

    Squared distances of values are at most W = reach^2, so that their variance is at most W V (Bhatia, Davis 2000):
    their sum over n people errs by at most z sqrt(n W V) through sampling, and by the noise of squares, sums and
    counts.
    """
    each = miss / (4 * len(groups))
    z = np.sqrt(2 * np.log(1 / each))
    low, high, own, least, most, count = (np.zeros_like(groups[0].count) for _ in range(6))
    for sums in groups:
        mean, law, _ = err_of_mean(sums, 2 * each)
        people, doubt = np.maximum(sums.count, 1.0), sums.bound_count(each)
        squares = np.maximum(sums.squares - 2 * mean * sums.total + mean**2 * sums.count, 0.0)
        above = sums.bound_squares(mean, each) + people * law.reach(each) ** 2
        below = np.maximum(2 * squares - sums.bound_squares(mean, each), 0.0)
        widest = (np.abs(mean) + sums.scale.reach) ** 2
        sampled = z * np.sqrt(widest * above)
        own, count = own + squares, count + people
        high, least = high + above + sampled, least + np.maximum(people - doubt, 1.0)
        low, most = low + np.maximum(below - sampled, 0.0), most + people + doubt
    return np.sqrt(own / count), np.sqrt(low / most), np.sqrt(high / least)


def bound_standardised(first: ValueSums, second: ValueSums, miss: float) -> tuple[Floats, MeanEnds]:
    """Return Cohen's d, the difference of two means over the deviation within groups, and an interval."""
    difference, ends = bound_difference(first, second, miss * (1 - SPREAD_PART))
    spread, low, high = bound_deviation([first, second], miss * SPREAD_PART)
    return difference / np.maximum(spread, 1e-9), _divide(ends, low, high)


def _divide(ends: MeanEnds, low: Floats, high: Floats) -> MeanEnds:
    """Return what a number between ends over a positive one between others can be."""
    small = np.maximum(low, 1e-9)
    below = np.minimum(ends.low / small, ends.low / high)
    above = np.maximum(ends.high / small, ends.high / high)
    return MeanEnds(below, above, ends.enough & (low > 0))
