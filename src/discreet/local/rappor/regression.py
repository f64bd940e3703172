"""Non-negative least squares, with a penalty or a bound on the sum, given the Gram matrix."""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.noise.coin import Bools

linalg = Later("scipy.linalg")

MOST_TURNS = 200
SLACK = 1e-9
"""How far a gradient may be beyond its bound, in parts of it."""
RIDGE = 1e-10
"""What is added to the diagonal, in parts of it, so that equal columns share what none of them explains alone."""


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
        if (found.sum() <= 1 and not penalty) or abs(found.sum() - 1) <= SLACK:
            break
        low, high = (penalty, high) if found.sum() > 1 else (low, penalty)
        inside = found > 0
        slope = _solve(gram[np.ix_(inside, inside)], np.ones(int(inside.sum()))).sum()
        penalty += (found.sum() - 1) / slope if slope else 0.0
        penalty = penalty if low < penalty < high else (low + high) / 2
        found = fit_nonnegative(gram, pull - penalty, inside)
    return found


def drop_dependent(gram: Floats) -> Ints:
    """Return places of columns of which none is a combination of the others, by Cholesky with pivots."""
    if not len(gram):
        return np.zeros(0, dtype=np.int64)
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    _, pivots, rank, _ = linalg.lapack.dpstrf(gram / np.outer(scale, scale), tol=1e-7, lower=1)
    return np.sort(np.asarray(pivots[:rank], dtype=np.int64) - 1)


def _descend(gram: Floats, pull: Floats, start: Floats, inside: Bools) -> tuple[Floats, Bools]:
    """Go from a point to the best over the columns inside; those that would fall below 0 on the way stay outside."""
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
    """Return the solution for columns of length 1: how long they are says nothing about how near they are."""
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    held = gram / np.outer(scale, scale)
    held[np.diag_indices_from(held)] += RIDGE
    factor = linalg.cho_factor(held, lower=True, check_finite=False, overwrite_a=True)
    return np.asarray(linalg.cho_solve(factor, right / scale, check_finite=False)) / scale
