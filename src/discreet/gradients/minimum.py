"""The minimum of an objective: a solver whose steps follow from public facts, and how far it may be from the truth.

Nesterov's method from z = 0, where w = z - push / ridge. With m = ridge, B = smoothness, t = root and gradients g,

    y = x + t / (1 + t) (v - x),    x <- y - g(y) / B,    v <- v + t (y - v) - g(y) / (t B).

**It converges** (Nesterov 2004; this proof is that of Bansal, Gupta 2019). Let V = F(x) - F* + m'/2 |v - x*|^2, with
m' = t^2 B <= m. One exact step makes V at most (1 - t) V: F(x+) <= F(y) - |g|^2 / 2B; expanding |v+ - x*|^2 around
(1 - t) v + t y gives |g|^2 / 2B back, and -<g, (1 - t)(y - x) + t (y - x*)>, which convexity bounds by
(1 - t)(F(x) - F(y)) + t (F* - F(y) - m'/2 |y - x*|^2).

**Errors stay small.** The root of F - F* changes by at most sqrt(B/2) for each 1 that x moves, as |grad F|^2 is at
most 2 B (F - F*). So W = sqrt(V), the length of (sqrt(F - F*), sqrt(m'/2) |v - x*|), grows by at most
sqrt(B/2) |a| + sqrt(m'/2) |c| where x is off by a and v by c. An error of y by r is one of v by r (1 + t) / t before
the step, taken back after it. With u = 2^-53, reach = mass * L / ridge and a gradient that is off by e, the rounding
of the three lines makes |r| <= 25 u reach, |a| <= e / B + 8 u reach and |c| <= (e / B + 42 u reach) / t: together a
step adds at most sqrt(B/2) (2 e / B + 2^8 u reach) to W, and after T steps

    |x - x*| <= sqrt(2 / m) W <= sqrt(2) reach (1 - t)^(T/2) + 2 / t^2 (2 e / B + 2^8 u reach):   the *tolerance*.

At the start W <= sqrt(m) reach, since |grad F(0)| <= mass * L: whatever the push is. What was used for the rounding,
that x, v and y stay within 4 reach, holds as long as W stays below 1.5 sqrt(m) reach: `find_tolerance` checks it.

**How far a gradient is off.** A row of f features has a score that is off by at most g_(f+8) a |z| and 8 units in the
last place (g_k = k u / (1 - k u); Higham 2002, section 3.1: whatever the order of a sum), its slope by the second
derivative times the first, and `SLOPE_ERROR`. Rows are added in blocks, and blocks exactly rounded (`math.fsum`). So

    e <= mass L (g_(m+16) + SLOPE_ERROR / R + 2^-48) + g_(f+8) 4 reach (B - ridge), with blocks of m rows.

Nothing of this depends on the rows, and neither does what is computed: so many steps over all rows, no test on the way.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.base.errors import OperationError
from discreet.base.grid import Floats, nearest_float
from discreet.base.rounding import ball, rounded_up
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows
from discreet.gradients.objective import LinearObjective
from discreet.gradients.residuals import RESIDUAL_STEPS
from discreet.gradients.slopes import SLOPE_ERROR, find_slopes
from discreet.gradients.sums import (
    AT_ONCE,
    GRADIENT_STEPS,
    MOST_EXACT,
    find_scores,
    multiply_features,
)

MOST_STEPS = 1 << 12
"""How many steps a solver may take."""

UNIT = Fraction(1, 1 << 53)


def bound_log_start(objective: LinearObjective) -> float:
    """Return the logarithm of how far the start may be, over how near the solver is to come."""
    return math.log(math.sqrt(2) * float(objective.mass)) + objective.bits * math.log(2)


def count_steps(objective: LinearObjective) -> int:
    """Return how many steps bring the solver as near as the objective says: T above."""
    return max(1, math.ceil(2 * bound_log_start(objective) / -math.log1p(-objective.root)) + 1)


def find_tolerance(objective: LinearObjective) -> Fraction:
    """Return how far from the minimum the solver can end, in weights, or refuse what it cannot minimise."""
    steps = count_steps(objective)
    if steps > MOST_STEPS:
        raise OperationError(f"a minimum takes at most {MOST_STEPS:,} steps, and this one {steps:,}: raise the ridge")
    smoothness, ridge, root = (Fraction(each) for each in (objective.smoothness, objective.ridge, objective.root))
    pull, reach = objective.mass * objective.longest, objective.reach
    slope = Fraction(objective.slope, RESIDUAL_STEPS)
    summed = _bound_sum(AT_ONCE + 16) + Fraction(SLOPE_ERROR) / slope + Fraction(1, 1 << 48)
    gradient = pull * summed + _bound_sum(objective.gradients.encoding.width + 8) * 4 * reach * (smoothness - ridge)
    each = 2 * gradient / smoothness + (1 << 8) * UNIT * reach
    left = Fraction(rounded_up(lambda: ball(2).sqrt() * (1 - ball(root)) ** (ball(steps) / 2)))
    rounding = 2 * each / root**2
    if rounding > reach / 4 or gradient > smoothness * reach / 16:
        raise OperationError("the floats of this minimum could err by too much: raise the ridge, or expect fewer units")
    return left * reach + rounding


def bound_move(objective: LinearObjective, gradient: Fraction, more: Fraction = Fraction(0)) -> int:
    """Return how far a found minimum moves in whole steps, where the gradient of F moves by so much.

    Both minima are off by the tolerance, `more`, and half a step in every weight.
    """
    off = find_tolerance(objective) + more
    exact = objective.steps * (gradient / Fraction(objective.ridge) + 2 * off)
    return math.ceil(exact + Fraction(rounded_up(lambda: ball(objective.gradients.entries).sqrt())))


def find_minimum(
    objective: LinearObjective, rows: EncodedRows, offsets: Ints, push: list[int] | None = None
) -> list[int]:
    """Return the minimum in whole steps, weight by weight, within the tolerance and half a step.

    The rows of unit u are `rows[offsets[u]:offsets[u + 1]]`. A push is in the steps of gradients.
    """
    gradients = objective.gradients
    weights, before = objective.weigh_rows(rows, offsets), score_push(objective, rows, push)
    x = np.zeros(gradients.shape)
    v, root, smoothness = x, objective.root, objective.smoothness
    for _ in range(count_steps(objective)):
        y = x + root / (1 + root) * (v - x)
        slope = find_gradient(objective, rows, weights, before, y)
        x = y - slope / smoothness
        v = v + root * (y - v) - slope / (root * smoothness)
    steps, scale = objective.steps, Fraction(objective.ridge) * GRADIENT_STEPS
    moved = push if push is not None else [0] * gradients.entries
    return [round(steps * (Fraction(at) - each / scale)) for at, each in zip(x.ravel().tolist(), moved, strict=True)]


def find_gradient(objective: LinearObjective, rows: EncodedRows, weights: Floats, before: Floats, at: Floats) -> Floats:
    """Return the gradient of F at w = `at` - push / ridge, for rows of these weights and scores before."""
    gradients, cut, blocks = objective.gradients, objective.slope / RESIDUAL_STEPS, []
    for first in range(0, len(rows), AT_ONCE):
        last = min(first + AT_ONCE, len(rows))
        block = rows.take(first, last)
        scores = find_scores(gradients, block, at) / FEATURE_STEPS
        if len(before):
            scores += before[first:last]
        slopes = find_slopes(gradients.residual, scores, block.labels)
        if slopes.shape[1] == 1:
            slopes = np.clip(slopes, -cut, cut)
        blocks.append(multiply_features(gradients, block, slopes * weights[first:last, None]) / FEATURE_STEPS)
    total = np.array([math.fsum(entry) for entry in np.array(blocks).T]) if blocks else np.zeros(gradients.entries)
    return total.reshape(gradients.shape) + objective.ridge * at


def score_push(objective: LinearObjective, rows: EncodedRows, push: list[int] | None) -> Floats:
    """Return the scores of rows at -push / ridge, each within 3 units in the last place; nothing where there is none.

    A push is noise, and no size of it may spoil the solver's accuracy: products are exact, those of a push too large
    for floats in integers of Python.
    """
    if push is None:
        return np.zeros((0, 1))
    if objective.gradients.residual.outputs > 1:
        raise OperationError("a push is for losses of one score")
    shape, scale = objective.gradients.shape, -objective.ridge * GRADIENT_STEPS * FEATURE_STEPS
    if FEATURE_STEPS * sum(map(abs, push)) < MOST_EXACT:
        return find_scores(objective.gradients, rows, np.array(push, dtype=np.float64).reshape(shape)) / scale
    whole = EncodedRows(
        rows.encoding, rows.numbers.astype(np.int64).astype(object), rows.places, rows.lengths, rows.labels
    )
    exact = find_scores(objective.gradients, whole, np.array(push, dtype=object).reshape(shape))
    return np.array([nearest_float(each) for each in exact.ravel()]).reshape(exact.shape) / scale


def _bound_sum(terms: int) -> Fraction:
    """Return the relative error of a float sum of so many products, in whatever order: g_k."""
    return terms * UNIT / (1 - terms * UNIT)
