"""Bets against a claim: how far a sample of outputs speaks against a guarantee.

Pairs (X, Y) are independent, X an output on one input and Y on its neighbour, and S is an event that was fixed before
any of them was drawn. If the mechanism is (epsilon, delta)-differentially private, then

    z = [X in S] - e^epsilon [Y in S] - delta

is at most 0 on average. So who bets the share s of their wealth on z, again and again, with 0 <= s <= 1 / (e^epsilon +
delta), never owes anything, and their wealth, the product of all 1 + s z, is a supermartingale that begins with 1: it
ever reaches 1 / a with probability at most a (Ville 1939; Waudby-Smith, Ramdas 2024). One may look at it at any time.

With one stake for all epsilons each factor falls as epsilon grows, and so does the wealth. So the epsilon where it is
just 1 / a is a lower bound of the true one, with confidence 1 - a: whatever is below is refuted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.audit.blackbox.asked import FARTHEST_CLAIM
from discreet.noise.coin import Bools

LARGEST = 60.0
"""The largest epsilon that is looked for."""

TURNS = 60
"""Bisections of a bound or of a stake."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs had both outputs in the event, only the first, only the second, or none."""

    both: float
    first: float
    second: float
    neither: float

    @classmethod
    def count(cls, first: Bools, second: Bools) -> PairCounts:
        """Count pairs of outputs; those that have no partner are left out."""
        pairs = min(len(first), len(second))
        left, right = first[:pairs], second[:pairs]
        both, one, other = (int(np.count_nonzero(each)) for each in (left & right, left & ~right, right & ~left))
        return cls(both, one, other, pairs - both - one - other)

    @classmethod
    def expect(cls, first: float, second: float, pairs: int) -> PairCounts:
        """Return what is expected of so many pairs, given how likely each output is in the event."""
        return cls(
            pairs * first * second,
            pairs * first * (1 - second),
            pairs * (1 - first) * second,
            pairs * (1 - first) * (1 - second),
        )

    def add(self, other: PairCounts) -> PairCounts:
        """Return the counts of both together."""
        return PairCounts(
            self.both + other.both,
            self.first + other.first,
            self.second + other.second,
            self.neither + other.neither,
        )

    @property
    def pairs(self) -> float:
        """How many pairs there are."""
        return self.both + self.first + self.second + self.neither


@dataclass(frozen=True, slots=True)
class PairBets:
    """Pairs that were counted, and the stake that was fixed before: enough to test every claim again, at any time."""

    counts: PairCounts
    stake: float

    def find_p_value(self, epsilon: float, delta: float) -> float:
        """Return how likely such wealth is at the most if the claim holds: one over it."""
        return math.exp(-max(0.0, find_log_wealth(self.counts, self.stake, epsilon, delta)))


def find_log_wealth(counts: PairCounts, stake: float, epsilon: float, delta: float) -> float:
    """Return the logarithm of the wealth after all pairs; minus infinity where a stake was too high to be paid."""
    ratio = math.exp(min(epsilon, FARTHEST_CLAIM))
    total = 0.0
    for count, gain in (
        (counts.both, 1 - ratio - delta),
        (counts.first, 1 - delta),
        (counts.second, -ratio - delta),
        (counts.neither, -delta),
    ):
        if 1 + stake * gain < 0:
            return -math.inf
        if count:
            factor = 1 + stake * gain
            total += count * math.log1p(stake * gain) if factor > 0 else -math.inf
    return total


def choose_stake(expected: PairCounts, epsilon: float, delta: float) -> float:
    """Return the stake whose wealth is expected to grow the fastest against a claim: the growth is concave in it."""
    ratio = math.exp(min(epsilon, FARTHEST_CLAIM))
    gains = (1 - ratio - delta, 1 - delta, -ratio - delta, -delta)
    weights = (expected.both, expected.first, expected.second, expected.neither)
    low, high = 0.0, 1 / (ratio + delta)
    for _ in range(TURNS):
        stake = (low + high) / 2
        slope = sum(weight * gain / (1 + stake * gain) for weight, gain in zip(weights, gains, strict=True) if weight)
        low, high = (stake, high) if slope > 0 else (low, stake)
    return low


def bound_epsilon(counts: PairCounts, stake: float, delta: float, miss: float) -> float:
    """Return the epsilon below which every claim is refuted at this delta, with confidence one less `miss`."""
    return _bound(lambda epsilon: find_log_wealth(counts, stake, epsilon, delta), miss)


def bound_mu(counts: PairCounts, stake: float, epsilon: float, miss: float) -> float:
    """Return the mu below which Gaussian privacy is refuted: mu-GDP is (epsilon, delta(mu))-DP at every epsilon.

    One epsilon, fixed before, is enough: it is a tangent of the trade-off curve (Dong, Roth, Su 2022).
    """
    return _bound(lambda mu: find_log_wealth(counts, stake, epsilon, find_gaussian_delta(mu, epsilon)), miss)


def find_gaussian_delta(mu: float, epsilon: float) -> float:
    """Return the delta of mu-GDP at an epsilon (Balle, Wang 2018), rounded to floats: for audits alone."""
    if mu <= 0:
        return max(0.0, 1 - math.exp(epsilon))
    above = _tail(epsilon / mu - mu / 2)
    return max(0.0, above - math.exp(epsilon) * _tail(epsilon / mu + mu / 2))


def _tail(value: float) -> float:
    return math.erfc(value / math.sqrt(2)) / 2


def _bound(wealth: Callable[[float], float], miss: float) -> float:
    """Return where a wealth that falls reaches 1 / miss; 0 where it never does."""
    wanted = -math.log(miss)
    low, high = 0.0, LARGEST
    if wealth(0.0) < wanted:
        return 0.0
    for _ in range(TURNS):
        middle = (low + high) / 2
        low, high = (middle, high) if wealth(middle) >= wanted else (low, middle)
    return low
