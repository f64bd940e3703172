"""Means of people's values from noisy sums: intervals and p-values for sampling and noise together.

Theorem (Fieller 1954, for sums with noise). If the mean is m, then T(m) = total - m * count is the sum of n independent
errors (x - m), each 0 on average, plus the noise N1 - m N0. Its law is a normal of variance n V plus known noises. So
the set of all m whose T(m) this law explains holds the true mean with the probability asked for, whatever the count is,
as far as the central limit theorem holds for the people. n V is not known: it is bounded from above by the noisy sum of
squares about m, at a tenth of the miss (`NUISANCE`), which the rest of the miss pays for: it is conservative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.laws import Booleans, ErrorLaw
from discreet.robust.intervals.sums import ValueSums

NUISANCE = 0.1
"""What of a miss goes to bounding what is not asked about: variances and counts."""

HALVINGS = 40

MOST_DOUBT = 0.5
"""Where the count may be off by this part of itself, two groups are not compared: there are too few to say."""

DOUBT_MISS = 0.025
"""On each side, where a count is compared with its doubt."""


@dataclass(frozen=True, slots=True)
class MeanEnds:
    """Intervals in steps, and whether anything can be said at all: else they are all that the bounds allow."""

    low: Floats
    high: Floats
    enough: Booleans


def explain_mean(sums: ValueSums, mean: Floats, miss: float) -> Floats:
    """Return how probable sums like these, or farther ones, are if that is the mean; `miss` is for the variance."""
    squares = sums.bound_squares(mean, miss)
    return sums.err(mean, squares).explain(sums.total - mean * sums.count)


def bound_mean(sums: ValueSums, miss: float) -> MeanEnds:
    """Return an interval that misses the mean with at most this probability, inside the bounds."""
    nuisance = miss * NUISANCE
    middle = sums.mean

    def explains(mean: Floats) -> Booleans:
        found: Booleans = explain_mean(sums, mean, nuisance) > miss - nuisance
        return found

    ends = [
        walk_to_end(explains, middle, np.full_like(middle, end, dtype=float))
        for end in (sums.scale.lower, sums.scale.upper)
    ]
    whole = (ends[0] <= sums.scale.lower) & (ends[1] >= sums.scale.upper)
    return MeanEnds(ends[0], ends[1], ~whole)


def walk_to_end(explains: Callable[[Floats], Booleans], middle: Floats, end: Floats) -> Floats:
    """Return how far from the middle towards an end means are explained."""
    to_end = explains(end) | ~explains(middle)
    good, bad = middle, end
    for _ in range(HALVINGS):
        half = (good + bad) / 2
        yes = explains(half)
        good, bad = np.where(yes, half, good), np.where(yes, bad, half)
    return np.where(to_end, end, bad)


def err_of_mean(sums: ValueSums, miss: float) -> tuple[Floats, ErrorLaw, Booleans]:
    """Return the estimated mean, the law of its error, and whether there are enough people for that to hold.

    total / count - mean is T(mean) / count exactly. The law is taken at the mean, of those that are possible, at which
    it is widest: except with the probability `miss`, errors are no farther spread. There are enough where the count is
    certain to within a half.
    """
    each = miss / 2
    enough = sums.bound_count(DOUBT_MISS) < MOST_DOUBT * sums.count
    count = np.where(enough, sums.count, 1.0)
    mean = sums.mean
    rough = sums.err(mean, sums.bound_squares(mean, each)).divide(count).reach(each / 2)
    size = np.minimum(np.abs(mean) + rough, sums.scale.reach)
    squares = sums.bound_squares(mean, each) + count * rough**2
    return mean, sums.err(size, squares).divide(count), enough


def bound_difference(first: ValueSums, second: ValueSums, miss: float) -> tuple[Floats, MeanEnds]:
    """Return the first mean minus the second, and an interval that misses the truth with at most this probability."""
    nuisance = miss * NUISANCE
    one, err_one, enough_one = err_of_mean(first, nuisance / 2)
    two, err_two, enough_two = err_of_mean(second, nuisance / 2)
    reach = err_one.plus(err_two).reach((miss - nuisance) / 2)
    enough = enough_one & enough_two
    most = first.scale.upper - second.scale.lower
    least = first.scale.lower - second.scale.upper
    low = np.where(enough, np.maximum(one - two - reach, least), least)
    high = np.where(enough, np.minimum(one - two + reach, most), most)
    return one - two, MeanEnds(low, high, enough)


def explain_difference(first: ValueSums, second: ValueSums, difference: float, miss: float) -> Floats:
    """Return how probable means like these are if the true ones differ by so much; 1 where too few people are there."""
    one, err_one, enough_one = err_of_mean(first, miss / 2)
    two, err_two, enough_two = err_of_mean(second, miss / 2)
    return np.where(enough_one & enough_two, err_one.plus(err_two).explain(one - two - difference), 1.0)
