"""How bits are found from counts of groups: numbers from 0 to 1 that fit best, rounded."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later

optimize = Later("scipy.optimize")
sparse = Later("scipy.sparse")

PIECES = (0.5, 1.0, 2.0)
"""Where an error becomes dearer in the linear program, in deviations of the noise."""

NORMAL_OVER_MEDIAN, NO_NOISE = 1.4826, 1e-3


def fit_least_squares(groups: Floats, answers: Floats) -> Floats:
    """Return numbers from 0 to 1 whose sums over the groups are nearest to the answers, in squares."""
    squares, sums = groups.T @ groups, groups.T @ answers
    size = float(np.trace(squares)) or 1.0

    def lose(bits: Floats) -> tuple[float, Floats]:
        pulled = squares @ bits
        return float(bits @ (pulled / 2 - sums)) / size, (pulled - sums) / size

    start = np.full(groups.shape[1], 0.5)
    how = {"jac": True, "method": "L-BFGS-B", "options": {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 1_000}}
    return np.asarray(optimize.minimize(lose, start, bounds=[(0, 1)] * len(start), **how).x)


def fit_linear_program(groups: Floats, answers: Floats) -> Floats:
    """Return numbers from 0 to 1 whose sums over the groups are nearest to the answers, by a linear program (HiGHS).

    A unit of error costs the more the farther it goes, in a few straight pieces: against Gaussian noise that finds more
    than distances alone. Where the pieces begin follows from what least squares leave.
    """
    count, people = groups.shape
    left = float(np.median(np.abs(answers - groups @ fit_least_squares(groups, answers))))
    noise = left * NORMAL_OVER_MEDIAN * math.sqrt(count / max(1, count - people))
    scale = noise if noise > NO_NOISE else 1.0
    edges = [0.0, *PIECES]
    ends = [*(scale * (high - low) for low, high in itertools.pairwise(edges)), None]
    prices = [*((low + high) / 2 for low, high in itertools.pairwise(edges)), edges[-1] + 0.5]
    eye = sparse.identity(count, format="csr")
    matrix = sparse.hstack([sparse.csr_matrix(groups), *[eye, -eye] * len(prices)], format="csr")
    price = np.concatenate([np.zeros(people), *(np.full(2 * count, each) for each in prices)])
    limits = [(0, 1)] * people + [(0, end) for end in ends for _ in range(2 * count)]
    found = optimize.linprog(price, A_eq=matrix, b_eq=answers, bounds=limits, method="highs-ipm")
    return np.asarray(found.x[:people])


METHODS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "least squares": fit_least_squares,
    "linear program": fit_linear_program,
}
