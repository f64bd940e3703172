"""Intervals of a population's quantile from noisy counts of the people in pieces of the line.

A point near the quantile was drawn before, and the line is cut into pieces around it, wider the farther away. Each
person's value lies in one piece. Let q be a quantile of the population: Pr[x <= q] >= share >= Pr[x < q]; ties and
discrete values are allowed. For an edge e let G(e) = (1 - share) * #{x < e} - share * #{x >= e}, which needs no number
of people; its noisy value G'(e) errs by a sum N(e) of Laplace noises with known factors.

**Theorem.** For each edge let t(e) be such that B + N(e) <= -t(e) has a probability of at most a, where B + share * n
is binomial (n, share) and independent of N. Let the low end be the last edge of the longest row of edges, from the
left, all of which have G'(e) <= -t(e). Then the low end is above q with a probability of at most a.

Proof. Let e be the least edge above q. The low end is above q only if the row reaches e, so that G'(e) <= -t(e). All
x <= q are below e, hence G(e) = #{x < e} - share * n >= #{x <= q} - share * n, and #{x <= q} is binomial (n, at least
share). So the probability is at most that of B + N(e) <= -t(e). Which edge e is follows from q and from the point that
was drawn, and that may depend on the sample: the bound on #{x < e} above is of #{x <= q}, whatever e is, and the noise
of the counts is independent of both. So no union over edges is needed. The high end is the same from the right. As t(e)
is above 0, no edge can be in both rows: the low end is below the high end.

**Binomial tails.** For t >= 1, Pr[B <= -t] <= Phi(-sqrt(2 n D(share - (t - 1) / n, share))) with D the divergence of
two coins (Zubkov, Serov 2013: Pr[binomial <= k] is at most that of k + 1 without the - 1). As n grows, n D(share - u /
n, share) falls, since D is convex in its first argument and 0 at share. So the bound holds for all numbers of people up
to n, and n is taken as the noisy total plus what its noise reaches: except with a tenth of the miss (`NUISANCE`). The
rest is for the two ends, half of it each. The law of N(e) is rounded outwards (`mechanisms/laplace_sums.py`), and
its convolution with that bound is computed as it stands.

**Far edges.** For any h > 0, Pr[B + N(e) <= -t] is at most e^(-h t) E[e^(-h B)] E[e^(-h N)], where E[e^(-h B)] is at
most e^(n h^2 / 8) (Hoeffding 1963) and a noise has a known E (Chernoff 1952). Edges that this tells to be far below a
are passed by without the convolution, which would tell the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.mechanisms.laplace_sums import SLACK, bound_sum, find_sum_law
from discreet.robust.intervals.means import NUISANCE

special = Later("scipy.special")

GROWTH = Fraction(5, 4)
"""How much farther from the point that was drawn each edge is than the one before."""

POOLED = 8
"""Points of a law of noise that are taken together, at the farthest of them."""

NEVER = 1e-13
"""Shares of a law that are left out: all of them together are far below its slack."""

FAR = 20.0
"""By how much the quick bound is below what an end may miss where the convolution is left out."""

STEEPEST = 0.7
"""The greatest h of the quick bound, as a part of where a noise's own E ends."""


@dataclass(frozen=True, slots=True)
class QuantileEnds:
    """The least and the greatest point that the quantile may be, and whether counts say so: else they are the ends."""

    low: int
    high: int
    told_low: bool
    told_high: bool


@dataclass(frozen=True, slots=True)
class CountedPieces:
    """Noisy counts of people in the pieces of the points 0 .. points - 1, each with Laplace noise of this scale."""

    points: int
    edges: tuple[int, ...]
    counts: tuple[int, ...]
    scale: float

    @property
    def total(self) -> int:
        """The noisy number of people."""
        return sum(self.counts)

    def bound_total(self, miss: float) -> float:
        """Return by how much the total errs at most, except with this probability on each side."""
        return bound_sum(self.scale, ((1, len(self.counts)),), miss)

    def rank_edges(self, share: Fraction) -> list[int]:
        """Return the noisy G of each edge, times the share's denominator."""
        over, under, total = share.denominator - share.numerator, share.numerator, self.total
        return [over * count - under * (total - count) for count in accumulate(self.counts[:-1])]

    def end_at(self, below: int, above: int) -> QuantileEnds:
        """Return the ends, where so many edges are told to be below the quantile, and so many above it."""
        low = self.edges[below - 1] if below else 0
        high = self.edges[-above] if above else self.points
        return QuantileEnds(low, high - 1, below > 0, above > 0)


def list_piece_edges(drawn: int, points: int) -> tuple[int, ...]:
    """Return where pieces begin, but for the first: the point that was drawn is one, and others are wider outwards.

    >>> list_piece_edges(10, 40)
    (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 23, 26, 29, 33, 38)
    """
    steps = _list_steps(points)
    around = {drawn - step for step in steps} | {drawn + 1 + step for step in steps}
    return tuple(sorted(edge for edge in around if 0 < edge < points))


@lru_cache(maxsize=64)
def _list_steps(points: int) -> tuple[int, ...]:
    """Return how far edges are from the point that was drawn, until beyond all points."""
    far, steps = 0, [0]
    while far < points:
        far = max(far + 1, int(far * GROWTH))
        steps.append(far)
    return tuple(steps)


def bound_population_quantile(found: CountedPieces, share: Fraction, miss: float) -> QuantileEnds:
    """Return points between which the population's quantile lies, except with this probability."""
    return bound_population_quantiles([found], share, miss)[0]


def bound_population_quantiles(found: Sequence[CountedPieces], share: Fraction, miss: float) -> list[QuantileEnds]:
    """Return the ends of each of many runs; all of them have as many pieces, and noise of one scale."""
    people = np.array([max(each.total + each.bound_total(miss * NUISANCE), 1.0) for each in found])
    ranks = np.array([each.rank_edges(share) for each in found], dtype=float)
    below, above = count_told_edges(ranks, people, found[0].scale, share, miss * (1 - NUISANCE) / 2)
    return [each.end_at(*told) for each, *told in zip(found, below.tolist(), above.tolist(), strict=True)]


def count_told_edges(ranks: Floats, people: Floats, scale: float, share: Fraction, miss: float) -> tuple[Ints, Ints]:
    """Return how many edges, from the left, are told to be below a quantile, and from the right above it, by run.

    Of each run there is a line of ranks, and the number of people at the most. Either end misses with this probability.
    """
    factors = over, under = share.denominator - share.numerator, share.numerator
    pieces = ranks.shape[1] + 1
    sure = bound_far_edges(ranks, scale, factors, people) < np.log(miss / FAR)

    def walk(places: range, side: int, part: Fraction) -> Ints:
        told, left = np.zeros(len(ranks), dtype=np.int64), np.arange(len(ranks))
        for place in places:
            if not len(left):
                break
            away = side * ranks[left, place]
            doubted = ~(sure[left, place] & (away > 0))
            if doubted.any():
                law = _pool_law(scale, over, place + 1, under, pieces - place - 1)
                doubted[doubted] = _explain(away[doubted], law, people[left[doubted]], part) > miss
                left = left[~doubted]
            told[left] += 1
        return told

    edges = range(pieces - 1)
    return walk(edges, -1, share), walk(edges[::-1], 1, 1 - share)


def bound_far_edges(ranks: Floats, scale: float, factors: tuple[int, int], people: float | Floats) -> Floats:
    """Return the logarithm of what the probability of each edge's rank, or of one farther from 0, is at most.

    There is a rank for each edge, times the share's denominator, in a line for each run; noises of the pieces below an
    edge are multiplied by the first factor, those above it by the second. The h of each edge is the best one if all
    were normal.
    """
    over, under = factors
    far, below = np.abs(ranks), np.arange(1, ranks.shape[-1] + 1)
    above = ranks.shape[-1] + 1 - below
    sampled = np.asarray(people, dtype=float)[..., None] * (over + under) ** 2
    spread = sampled + 8 * scale**2 * (over**2 * below + under**2 * above)
    steep = np.minimum(4 * far / spread, STEEPEST / (scale * max(over, under)))
    noise = below * _log_moment(steep * over, scale) + above * _log_moment(steep * under, scale)
    found: Floats = steep**2 * sampled / 8 + noise - steep * far
    return found


def bound_binomial_tail(distance: Floats, people: float | Floats, share: float) -> Floats:
    """Return what Pr[binomial <= share * n - distance] is at most, for all n up to so many people."""
    less = np.clip((np.asarray(distance, dtype=float) - 1) / people, 0.0, share)
    apart = special.xlog1py(share - less, -less / share) + special.xlog1py(1 - share + less, less / (1 - share))
    found: Floats = special.ndtr(-np.sqrt(np.maximum(2 * people * apart, 0.0)))
    found = np.where(np.asarray(distance) - 1 > share * people, 0.0, found)
    return np.where(np.asarray(distance) < 1, 1.0, found)


def _explain(ranks: Floats, law: tuple[Floats, Floats], people: Floats, share: Fraction) -> Floats:
    """Return how probable it is at most that sampling and noise together bring ranks so far from where they should be.

    Ranks are times the share's denominator; each has a number of people.
    """
    values, shares = law
    beyond = bound_binomial_tail((ranks[:, None] - values) / share.denominator, people[:, None], float(share))
    found: Floats = beyond @ shares + 2 * SLACK
    return found


def _log_moment(steep: Floats, scale: float) -> Floats:
    """Return the logarithm of E[e^(h N)] of one noise."""
    rate = 1 / scale
    inside = 2 * np.log(-np.expm1(-rate))
    found: Floats = inside - np.log(-np.expm1(steep - rate)) - np.log(-np.expm1(-steep - rate))
    return found


@lru_cache(maxsize=1 << 12)
def _pool_law(scale: float, over: int, below: int, under: int, above: int) -> tuple[Floats, Floats]:
    """Return the law of an edge's noise as values and their shares, some neighbours together at the farthest one."""
    law = find_sum_law(scale, ((over, below), (under, above)))
    values = law.values[POOLED - 1 :: POOLED]
    shares = np.maximum(law.shares, 0.0).reshape(-1, POOLED).sum(axis=1)
    kept = shares > NEVER
    return values[kept], shares[kept]
