"""A direct test of a claim by a sample of a size that was fixed before, and the bounds that come of it.

Pairs (X, Y) are independent, X an output on one input and Y on its neighbour, and S is an event that was fixed before
any of them was drawn. If the mechanism is (epsilon, delta)-differentially private, then x = P[X in S] is at most
e^epsilon y + delta, with y = P[Y in S]. Thin them: let X' be [X in S] with probability 1 / (e^epsilon + delta), else 0,
and let Y' be 1 where Y is in S, and elsewhere with probability delta / (e^epsilon + delta). Then

    P[X' = 1] = x / (e^epsilon + delta) <= (e^epsilon y + delta) / (e^epsilon + delta) = P[Y' = 1],

so among the pairs where X' and Y' differ, X' is the larger one with probability at most 1/2, however the two depend on
one another within a pair. The sign test is exact: no law of large numbers is used, whatever the size of the sample.
It is no test for people who look before the end: `betting` is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from discreet.audit.blackbox.asked import FARTHEST_CLAIM
from discreet.audit.blackbox.betting import PairCounts, find_gaussian_delta
from discreet.audit.blackbox.loudest import find_loudest
from discreet.base.grid import Floats
from discreet.base.later import Later

special = Later("scipy.special")

TINY, SURE = 1e-300, 1 - 1e-16
"""P-values below the one count as it, and those above the other, too: so that no number of deviations is infinite."""

GRID = np.concatenate([np.arange(0.0, 2.0, 0.0005), np.arange(2.0, 10.0, 0.005), np.arange(10.0, 60.0, 0.05)])
"""The claims that are tested, from below, until one is not refuted: a bound is the last that is."""


class ClaimTest(ABC):
    """What was counted, tested against whatever claims one likes: `test_claims` says how."""

    __slots__ = ()

    @property
    @abstractmethod
    def pairs(self) -> float:
        """How many pairs were counted in all."""

    @abstractmethod
    def test_claims(self, epsilons: Floats, deltas: Floats) -> Floats:
        """Return p-values of claims, which may be smaller by the luck of coins than any outputs warrant."""

    def find_p_values(self, epsilons: Floats, deltas: Floats) -> Floats:
        """Return how likely such counts are at the most, for each claim, if it holds.

        None is smaller than so many pairs can make it (`loudest`): so bounds are no larger than these can show.
        """
        near = np.minimum(epsilons, FARTHEST_CLAIM)
        return np.maximum(self.test_claims(near, deltas), find_loudest(near, deltas, self.pairs))

    def find_p_value(self, epsilon: float, delta: float) -> float:
        """Return how likely such counts are at the most if the claim holds."""
        return float(self.find_p_values(np.array([epsilon]), np.array([delta]))[0])

    def bound_epsilon(self, delta: float, miss: float) -> float:
        """Return the epsilon below which every claim is refuted at this delta, with confidence one less `miss`.

        To report more than the truth is to refute the first claim of the grid above it, which holds. It is never more
        than log((1 - delta) / (1 - miss^(1/n))), with n pairs (`loudest`).
        """
        return _climb(self.find_p_values(GRID, np.full(len(GRID), delta)), miss)

    def bound_mu(self, epsilon: float, miss: float) -> float:
        """Return the mu below which Gaussian privacy is refuted: mu-GDP is (epsilon, delta(mu))-DP at every epsilon.

        One epsilon, fixed before, is enough: it is a tangent of the trade-off curve (Dong, Roth, Su 2022). It is never
        more than 2 Phi^-1(miss^(1/2n)), with n pairs (`loudest`).
        """
        deltas = np.array([find_gaussian_delta(float(mu), epsilon) for mu in GRID])
        return _climb(self.find_p_values(np.full(len(GRID), epsilon), deltas), miss)


@dataclass(frozen=True, slots=True)
class DirectTest(ClaimTest):
    """Pairs that were counted, and what decides which of them are thinned: enough to test every claim again."""

    counts: PairCounts
    seed: int

    @property
    def pairs(self) -> float:
        """How many pairs were counted."""
        return self.counts.pairs

    def test_claims(self, epsilons: Floats, deltas: Floats) -> Floats:
        """Return how likely such counts are at the most, for each claim, if it holds: P[B >= won], B binomial."""
        return _reach(*self._throw(epsilons, deltas, np.random.default_rng(self.seed)))

    def find_uniform(self, epsilons: Floats, deltas: Floats) -> Floats:
        """Return P[B > won] + U P[B = won], U uniform: a p-value, too, just uniform where the sign is a fair coin.

        Tests with few pairs, or none, can be added up by it: `staged` does.
        """
        generator = np.random.default_rng(self.seed)
        share = 1 - generator.random()
        won, lost = self._throw(np.minimum(epsilons, FARTHEST_CLAIM), deltas, generator)
        more = np.where(lost > 0, _reach(won + 1, lost - 1), 0.0)
        return np.asarray(more + share * (_reach(won, lost) - more))

    def find_excess(self, epsilon: float, delta: float) -> float:
        """Return by how many deviations the counts exceed a claim."""
        p_value = float(self.find_uniform(np.array([epsilon]), np.array([delta]))[0])
        return -float(special.ndtri(min(max(p_value, TINY), SURE)))

    def _throw(self, epsilons: Floats, deltas: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Return for each claim how many pairs say so, and how many say the opposite, after they are thinned."""
        whole = np.exp(epsilons) + deltas
        kept, added = 1 / whole, deltas / whole
        both, first, neither = (
            np.sort(generator.random(round(count)))
            for count in (self.counts.both, self.counts.first, self.counts.neither if deltas.any() else 0)
        )
        won = np.searchsorted(first, np.minimum(kept, 1 - added), side="left")
        lost = self.counts.second + len(both) - np.searchsorted(both, kept, side="left")
        lost = lost + len(first) - np.searchsorted(first, np.maximum(kept, 1 - added), side="left")
        lost = lost + len(neither) - np.searchsorted(neither, 1 - added, side="left")
        return np.asarray(won, np.float64), np.asarray(lost, np.float64)


def find_deviations(miss: float) -> float:
    """Return by how many deviations the test must see a claim exceeded, about: for what is expected of an event."""
    return float(-special.ndtri(miss)) if miss < 0.5 else 0.0


def _reach(won: Floats, lost: Floats) -> Floats:
    """Return how likely so many fair coins, or more, fall on one side, and the others on the other side."""
    return np.where(won > 0, special.betainc(np.maximum(won, 1), np.maximum(lost, 0) + 1, 0.5), 1.0)


def _climb(p_values: Floats, miss: float) -> float:
    """Return the last of the grid's claims before the first that is not refuted; 0 where none is."""
    kept = np.flatnonzero(p_values > miss)
    first = int(kept[0]) if len(kept) else len(GRID)
    return float(GRID[first - 1]) if first else 0.0
