"""Does a test of some size reject? For each run of noisy sums: what p-values are made from, and what power counts.

A tenth of the size (`NUISANCE`) bounds what is not asked about, variances and numbers of people; the rest is for what
is. Each is a function of what was released alone, with an element for each run.
"""

from __future__ import annotations

from discreet.base.grid import Floats
from discreet.robust.intervals.laws import Booleans
from discreet.robust.intervals.means import NUISANCE, explain_difference, explain_mean
from discreet.robust.intervals.proportions import NoisyShares, explain_share, explain_share_difference
from discreet.robust.intervals.sums import ValueSums
from discreet.robust.testing.analysis import explain_equal_means
from discreet.robust.testing.contingency import DRAWS


def reject_mean(sums: ValueSums, mean: Floats, size: float) -> Booleans:
    """Return whether that is not the mean."""
    return _is_small(explain_mean(sums, mean, size * NUISANCE), size)


def reject_equal_pair(first: ValueSums, second: ValueSums, size: float) -> Booleans:
    """Return whether two groups have different means; never where there are too few people to say."""
    return _is_small(explain_difference(first, second, 0.0, size * NUISANCE), size)


def reject_equal_means(groups: list[ValueSums], size: float, draws: int = DRAWS) -> Booleans:
    """Return whether some of several groups have different means; never where there are too few people to say."""
    return _is_small(explain_equal_means(groups, size * NUISANCE, draws)[0], size)


def reject_share(counts: NoisyShares, share: Floats, size: float) -> Booleans:
    """Return whether that is not the share."""
    return _is_small(explain_share(counts, share, size * NUISANCE), size)


def reject_equal_shares(first: NoisyShares, second: NoisyShares, size: float) -> Booleans:
    """Return whether two groups have different shares; never where there are too few people to say."""
    return _is_small(explain_share_difference(first, second, size * NUISANCE), size)


def _is_small(explained: Floats, size: float) -> Booleans:
    found: Booleans = explained <= size * (1 - NUISANCE)
    return found
