"""Non-negative least squares with a penalty, over few columns or over all candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.oracles.oracle import Bools
from discreet.local.rappor.candidates import Candidates
from discreet.local.rappor.rates import Rates

linalg = Later("scipy.linalg")

AT_ONCE = 64
"""Candidates that are let in together."""
MOST_TURNS = 200
SLACK = 1e-9
"""How far a gradient may be beyond its bound, in parts of it."""
RIDGE = 1e-11
"""What is added to the diagonal, in parts of it, so that equal columns share what none of them explains alone."""


@dataclass(frozen=True, eq=False)
class Design:
    """The linear model of rates: each row in units of its standard error.

    A text that is not listed sets every row with the chance of the background, and all texts' frequencies add up to
    1. So the rates less the background are the candidates' columns less the background, times their frequencies: the
    mass of unlisted texts needs no column, and biases nothing on average over hashes.
    """

    candidates: Candidates
    scales: Floats
    background: Floats
    target: Floats

    @classmethod
    def build(cls, candidates: Candidates, rates: Rates) -> Design:
        """Return the model of rates."""
        scales = np.sqrt(rates.weights.reshape(-1))
        background = candidates.background
        return cls(candidates, scales, background, scales * (rates.shares.reshape(-1) - background))

    @property
    def used(self) -> int:
        """How many rows there are reports of."""
        return int(np.count_nonzero(self.scales))

    def correlate(self, residual: Floats) -> Floats:
        """Return the product of every column with a vector of rows."""
        scaled = self.scales * residual
        return self.candidates.sum_rows(scaled) - scaled @ self.background

    def sum_squares(self, weights: Floats) -> Floats:
        """Return for every column the sum of its squares, times weights of rows."""
        scaled = self.scales**2 * weights
        return self.candidates.sum_rows(scaled * (1 - 2 * self.background)) + scaled @ self.background**2

    def write_columns(self, chosen: Ints) -> Floats:
        """Return columns of the model."""
        columns = self.candidates.write_columns(chosen)
        columns -= self.background[:, None]
        columns *= self.scales[:, None]
        return columns


def fit_nonnegative(gram: Floats, pull: Floats, start: Bools | None = None) -> Floats:
    """Return the x >= 0 with the least x'Gx/2 - pull'x: non-negative least squares, given the Gram matrix.

    An active-set method (Lawson, Hanson 1974) that lets in all that pull at once, and one by one where that does not
    help: what it minimises falls with every turn, so it ends. `pull` is the columns' product with the target, less a
    penalty: with one this is the non-negative lasso. `start` is a guess of what is above 0: it saves turns only.
    """
    inside = (pull > 0) if start is None else start
    found, bound, best, alone = np.zeros(len(pull)), SLACK * np.abs(pull).max(initial=0.0), 0.0, False
    while True:
        found, inside = _descend(gram, pull, found, inside)
        value = float(found @ (gram @ found) / 2 - pull @ found)
        left = np.where(inside, 0.0, pull - gram @ found)
        if left.max(initial=0.0) <= bound or (alone and value >= best):
            return found
        alone = value >= best
        best = min(best, value)
        inside = inside | ((left >= left.max()) if alone else (left > bound))


def fit_frequencies(gram: Floats, pull: Floats) -> Floats:
    """Return the least squares x >= 0 whose sum is at most 1.

    The bound on the sum is a penalty, the same for all: the more of it, the less the sum, in straight pieces. So where
    the piece at hand meets 1 is tried next, and the middle of what is left where that lies outside.
    """
    found, penalty = fit_nonnegative(gram, pull), 0.0
    low, high = 0.0, float(pull.max(initial=0.0))
    for _ in range(MOST_TURNS):
        if found.sum() <= 1 and not penalty or abs(found.sum() - 1) <= SLACK:
            break
        low, high = (penalty, high) if found.sum() > 1 else (low, penalty)
        inside = found > 0
        slope = _solve(gram[np.ix_(inside, inside)], np.ones(int(inside.sum()))).sum()
        penalty += (found.sum() - 1) / slope if slope else 0.0
        penalty = penalty if low < penalty < high else (low + high) / 2
        found = fit_nonnegative(gram, pull - penalty, inside)
    return found


def select(design: Design, threshold: float, most: int) -> Ints:
    """Return which candidates explain the rates, at most so many, in their order.

    The non-negative lasso lets candidates in, of which those stay that still stand out of the noise, by so many
    standard errors, when they are fitted together without its penalty (Belloni, Chernozhukov 2013).
    """
    return drop_weak(design, run_lasso(design, threshold, most), threshold)


def run_lasso(design: Design, threshold: float, most: int) -> Ints:
    """Return which candidates the non-negative lasso lets in, at most so many, in their order.

    A candidate's penalty is so many standard deviations of what noise alone makes its column's product with the
    residual. Candidates whose product exceeds it are let in, the furthest first, and the others never become columns.
    """
    penalties = threshold * np.sqrt(design.sum_squares(np.ones(design.candidates.rows)))
    chosen = np.zeros(0, dtype=np.int64)
    columns, found = design.write_columns(chosen), np.zeros(0)
    while len(chosen) < most:
        excess = design.correlate(design.target - columns @ found) / np.maximum(penalties, 1e-300) - 1
        excess[chosen] = 0.0
        worst = np.argsort(-excess, kind="stable")[: min(AT_ONCE, most - len(chosen))]
        fresh = worst[excess[worst] > SLACK * 1e3]
        if not len(fresh):
            break
        chosen = np.concatenate([chosen, fresh])
        columns = np.concatenate([columns, design.write_columns(fresh)], axis=1)
        start = np.concatenate([found > 0, np.ones(len(fresh), dtype=bool)])
        found = fit_nonnegative(columns.T @ columns, columns.T @ design.target - penalties[chosen], start)
        kept = found > 0
        chosen, columns, found = chosen[kept], columns[:, kept], found[kept]
        if not kept[-len(fresh) :].any():
            break
    return np.sort(chosen)


def drop_weak(design: Design, chosen: Ints, threshold: float) -> Ints:
    """Return those of the chosen whose least-squares estimates are all so many standard errors above 0.

    The weaker half of those that are not leave at a time: without them, the others' errors are smaller.
    """
    columns = design.write_columns(chosen)
    gram, pull = columns.T @ columns, columns.T @ design.target
    kept = drop_dependent(gram)
    while len(kept):
        inverse = _solve(gram[np.ix_(kept, kept)], np.eye(len(kept)))
        strengths = inverse @ pull[kept] / np.sqrt(np.diag(inverse))
        weak = np.flatnonzero(strengths < threshold)
        if not len(weak):
            break
        leaving = weak[np.argsort(strengths[weak], kind="stable")[: -(-len(weak) // 2)]]
        kept = np.delete(kept, leaving)
    return chosen[kept]


def drop_dependent(gram: Floats) -> Ints:
    """Return places of columns of which none is a combination of the others, by Cholesky with pivots."""
    if not len(gram):
        return np.zeros(0, dtype=np.int64)
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    _, pivots, rank, _ = linalg.lapack.dpstrf(gram / np.outer(scale, scale), tol=1e-7, lower=1)
    return np.sort(np.asarray(pivots[:rank], dtype=np.int64) - 1)


def _descend(gram: Floats, pull: Floats, start: Floats, inside: Bools) -> tuple[Floats, Bools]:
    """Return the best point over the columns inside that is not negative, on the way from a point to the best of all."""
    found, inside = start.copy(), inside.copy()
    while inside.any():
        goal = np.zeros(len(pull))
        goal[inside] = _solve(gram[np.ix_(inside, inside)], pull[inside])
        below = inside & (goal <= 0)
        if not below.any():
            return goal, inside
        steps = np.where(below, found / np.maximum(found - goal, 1e-300), np.inf)
        found = found + steps.min() * (goal - found)
        inside &= steps > steps.min()
        found[~inside] = 0.0
    return found, inside


def _solve(gram: Floats, right: Floats) -> Floats:
    held = gram + np.diag(RIDGE * np.diag(gram))
    return np.asarray(linalg.solve(held, right, assume_a="pos", check_finite=False))
