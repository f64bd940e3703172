"""Proportions of people from noisy counts of those with and without something.

If a share p of all people has it, then yes - p * (yes + no) = (1 - p) yes - p no is 0 on average, with a sampling
variance of n p (1 - p) and the noise (1 - p) N1 - p N0: the set of all p that this explains is Wilson's interval (1927)
with noise. n is bounded from above by the noisy counts, at a tenth of the miss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.laws import Booleans, ErrorLaw, SumNoise, bound_noises
from discreet.robust.intervals.means import DOUBT_MISS, MOST_DOUBT, NUISANCE, MeanEnds, walk_to_end


@dataclass(frozen=True, slots=True)
class NoisyShares:
    """Noisy counts of people with and without something, each with this noise."""

    yes: Floats
    no: Floats
    noise: SumNoise

    @property
    def count(self) -> Floats:
        """How many people there are."""
        return self.yes + self.no

    @property
    def share(self) -> Floats:
        """The estimated share, a half where there seems to be nobody."""
        inside = np.clip(self.yes / np.maximum(self.count, 1.0), 0.0, 1.0)
        found: Floats = np.where(self.count >= 1, inside, 0.5)
        return found

    def bound_count(self, miss: float) -> Floats:
        """Return by how much the numbers of people err at most, except with this probability on each side."""
        return np.full_like(self.count, bound_noises((self.noise, self.noise), miss))

    def err(self, share: Floats, count: Floats) -> ErrorLaw:
        """Return the law of yes - share * count, if that is the share of so many people."""
        variance = np.maximum(count, 0.0) * share * (1 - share)
        return ErrorLaw.of(variance, [(1 - share, self.noise), (share, self.noise)])


def explain_share(counts: NoisyShares, share: Floats, miss: float) -> Floats:
    """Return how probable counts like these, or farther ones, are if that is the share; `miss` is for the count."""
    most = counts.count + counts.bound_count(miss)
    return counts.err(share, most).explain(counts.yes - share * counts.count)


def bound_share(counts: NoisyShares, miss: float) -> MeanEnds:
    """Return an interval that misses the share with at most this probability."""
    nuisance = miss * NUISANCE
    middle = counts.share

    def explains(share: Floats) -> Booleans:
        found: Booleans = explain_share(counts, share, nuisance) > miss - nuisance
        return found

    low, high = (walk_to_end(explains, middle, np.full_like(middle, end)) for end in (0.0, 1.0))
    return MeanEnds(low, high, ~((low <= 0) & (high >= 1)))


def err_of_share(counts: NoisyShares, miss: float) -> tuple[Floats, ErrorLaw, Booleans]:
    """Return the estimated share, the law of its error at its widest, and whether there are enough people for it."""
    each = miss / 2
    doubt = counts.bound_count(each)
    enough = counts.bound_count(DOUBT_MISS) < MOST_DOUBT * counts.count
    count = np.where(enough, counts.count, 1.0)
    share = counts.share
    rough = counts.err(share, count + doubt).divide(count).reach(each / 2)
    widest = np.where(np.abs(share - 0.5) <= rough, 0.5, share + np.sign(0.5 - share) * rough)
    variance = (count + doubt) * widest * (1 - widest)
    factors = (np.minimum(1 - share + rough, 1.0), np.minimum(share + rough, 1.0))
    law = ErrorLaw.of(variance, [(factor, counts.noise) for factor in factors])
    return share, law.divide(count), enough


def bound_share_difference(first: NoisyShares, second: NoisyShares, miss: float) -> tuple[Floats, MeanEnds]:
    """Return the first share minus the second, and an interval that misses the truth with at most this probability."""
    nuisance = miss * NUISANCE
    one, err_one, enough_one = err_of_share(first, nuisance / 2)
    two, err_two, enough_two = err_of_share(second, nuisance / 2)
    reach = err_one.plus(err_two).reach((miss - nuisance) / 2)
    enough = enough_one & enough_two
    low = np.where(enough, np.maximum(one - two - reach, -1.0), -1.0)
    high = np.where(enough, np.minimum(one - two + reach, 1.0), 1.0)
    return one - two, MeanEnds(low, high, enough)


def explain_share_difference(first: NoisyShares, second: NoisyShares, miss: float) -> Floats:
    """Return how probable shares so far apart are, if they are equal: 1 where there are too few people to say."""
    one, err_one, enough_one = err_of_share(first, miss / 2)
    two, err_two, enough_two = err_of_share(second, miss / 2)
    return np.where(enough_one & enough_two, err_one.plus(err_two).explain(one - two), 1.0)
