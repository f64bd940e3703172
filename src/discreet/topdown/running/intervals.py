"""Where the true count lies, at 95 %: an interval of whole numbers for every answer, from the measurements alone.

The least squares estimate g of an answer is Gaussian around the true count x, but for the rounding of the noise, with a
deviation s that is known exactly. Released counts are not: they are biased by what makes them whole, consistent and not
negative, and by how much depends on a truth that nobody has. So the interval is made from g. What makes it better than
g and its margin is what is known of x beforehand: it is whole, at least some `least`, 0 if nothing else is public, and
at most some `most`.

Theorem (Feldman, Cousins 1998, by Neyman's construction of 1937). Let u = (g - least) / s and t = (x - least) / s >= 0.
For each t accept the u whose likelihood is largest beside that of the best t they allow, until 95 % of all u are: those
from t - d to t + d where that is 0 and more, else those from -(d^2 - t^2) / (2 t) to t + d. The interval of u are all t
that accept it. It holds the true one with 95 %, *whatever the truth is*; it is never empty, and never wider than the
1.96 deviations to both sides that it becomes far from the bound.

Ends are rounded to the nearest whole number. Noise is rounded too, so that where one measurement says nearly all, x is
held just if it is within some whole number of g; with m rounded to the nearest, that is the case where the noise before
its own rounding is within round(m) + 1/2 >= m. Public bounds are kept, which costs nothing: the truth keeps them.

The true count is that of the rows that a release counts, and all of it rests on public numbers being what these rows
have: where the owner states others (`measure.inspecting` tells), least squares is off by as much, and so is this.

What holds the truth 95 times in 100 is the interval of an answer that was chosen before looking. Among answers chosen
by what was released, the largest say, more may be missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.running.error_sums import Z
from discreet.topdown.running.problem import CensusProblem
from discreet.topdown.spec.bounds import AnswerBounds
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.queries import Query

CONFIDENCE = 0.95
SMALLEST = 0.02
"""The least t that is tabled, in deviations: intervals of u below -60 end there."""

POINTS = 1024


@dataclass(frozen=True, eq=False)
class TruthIntervals:
    """The least and the most that each true count is, at 95 %: whole numbers, infinite where nothing is known."""

    low: Floats
    high: Floats

    def find_margins(self, counts: Ints) -> Floats:
        """Return how far around counts one must go to both sides to hold all of their intervals."""
        return np.asarray(np.maximum(counts - self.low, self.high - counts))


def find_intervals(estimates: Floats, deviations: Floats, least: Floats, most: Floats) -> TruthIntervals:
    """Return the intervals of answers, from their estimates, the deviations of these, and public bounds."""
    known = np.isfinite(deviations)
    scale = np.where(known & (deviations > 0), deviations, 1.0)
    ends = _table_ends()
    u = np.where(known, (estimates - least) / scale, 0.0)
    below = np.where(u >= ends.upper[-1], u - Z, np.interp(u, ends.upper, ends.truths))
    above = np.where(u >= 0, u + Z, np.interp(u, ends.lower, ends.truths))
    exact = known & (deviations == 0)
    low = np.where(exact, np.rint(estimates), np.where(known, np.rint(least + scale * below), least))
    high = np.where(exact, np.rint(estimates), np.where(known, np.rint(least + scale * above), np.inf))
    return TruthIntervals(np.clip(low, least, most), np.clip(high, least, most))


@dataclass(frozen=True, eq=False)
class _Ends:
    """For rising t, the least and the largest u that it accepts."""

    truths: Floats
    lower: Floats
    upper: Floats


@lru_cache(maxsize=1)
def _table_ends() -> _Ends:
    """Return the ends of what is accepted, from t next to the bound up to where both are Z away.

    The d of each t is found by halving: what is accepted grows with it.
    """
    truths = np.geomspace(SMALLEST, Z, POINTS)
    short, long = np.zeros(POINTS), np.full(POINTS, 2 * Z)
    for _ in range(60):
        middle = (short + long) / 2
        accepted = ndtr(middle) - ndtr(_find_lower(truths, middle) - truths)
        short, long = np.where(accepted < CONFIDENCE, middle, short), np.where(accepted < CONFIDENCE, long, middle)
    lower, upper = _find_lower(truths, long), truths + long
    start = np.concatenate([[0.0], truths]), np.concatenate([[-np.inf], lower])
    return _Ends(start[0], np.maximum(start[1], -1e9), np.concatenate([[_find_first()], upper]))


def _find_lower(truths: Floats, reach: Floats) -> Floats:
    """Return the least u that is accepted with t + d."""
    far = (truths**2 - reach**2) / (2 * truths)
    return np.where(reach <= truths, truths - reach, far)


def _find_first() -> float:
    """Return the largest u that t = 0 accepts: all below are as likely as they can be."""
    short, long = 0.0, 2 * Z
    for _ in range(60):
        middle = (short + long) / 2
        short, long = (middle, long) if ndtr(middle) < CONFIDENCE else (short, middle)
    return long


def enclose(
    problem: CensusProblem, level: int, query: Query, areas: slice | Ints, estimates: Floats, deviations: Floats
) -> TruthIntervals:
    """Return the intervals of a query's answers in some areas; those that public facts give are points."""
    least, most = bound_answers(problem, level, query, areas)
    is_open = least < most
    found = find_intervals(estimates[is_open], deviations[is_open], least[is_open], most[is_open])
    least[is_open], most[is_open] = found.low, found.high
    return TruthIntervals(least, most)


def bound_answers(problem: CensusProblem, level: int, query: Query, areas: slice | Ints) -> tuple[Floats, Floats]:
    """Return what public facts say of the answers of a query in some areas: the least and the most they can be."""
    count = len(np.arange(len(problem.geography.levels[level]))[areas])
    least, most = np.zeros((count, query.size)), np.full((count, query.size), np.inf)
    possible = ~problem.schema.impossible.reshape(-1)
    for each in problem.known[level]:
        low, high = _bound_by(each, query, possible, areas)
        least, most = np.maximum(least, low), np.minimum(most, high)
    most[:, np.bincount(query.places[possible], minlength=query.size) == 0] = 0.0
    return least, most


def _bound_by(invariant: Invariant, query: Query, possible: Bools, areas: slice | Ints) -> tuple[Floats, Floats]:
    """Return what one invariant says: answers hold all of its answers inside them, and lie in those that they touch."""
    touches = np.zeros((invariant.query.size, query.size))
    touches[invariant.query.places[possible], query.places[possible]] = 1.0
    inside = touches * (touches.sum(axis=1, keepdims=True) == 1)
    bounds = AnswerBounds.of_invariant(invariant)
    low, high = bounds.low[areas].astype(np.float64), bounds.high[areas]
    open_above = (high == NO_MOST).astype(np.float64) @ touches > 0
    known = np.where(high == NO_MOST, 0, high).astype(np.float64) @ touches
    return low @ inside, np.where(open_above, np.inf, known)
