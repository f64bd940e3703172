"""What is fitted: the distribution that trades its distance from a prior against its distance from noisy answers.

The estimate p minimises, over all distributions on the cells of a domain,

    P(p) = kappa * KL(p || prior) + sum over j of (y_j - N q_j.p)^2 / (2 var_j)

where y_j are noisy answers, q_j their questions (a number for each cell), var_j the variances of their noise and N the
total. Write u^2/(2v) as the largest of t u - v t^2/2, exchange min and max (P is convex, the other side concave), and
minimise over p first: with t_j = kappa theta_j / N the least is reached by

    p_theta proportional to prior * exp(sum over j of theta_j q_j)

and what is left to maximise is the dual, which we divide by kappa and whose parts have short names here:

    F(theta) = theta.b - log sum prior exp(Q^T theta) - sum over j of s_j theta_j^2 / 2
    b_j = y_j / N           (the measured *shares*)
    s_j = kappa var_j / N^2 (the *slack*: how far a share may stay from what was measured, per unit of theta)

Its gradient is g = b - Q p_theta - s theta, its Hessian -(Cov_p(Q) + diag(s)): strictly concave, with one optimum.

How far from the optimum. Putting p_theta into P gives, after the logarithms cancel,

    P(p_theta) - kappa F(theta) = sum over j of (N g_j / sigma_j)^2 / 2

so the gradient, in standard deviations of the noise, *is* the gap between what was reached and a bound on what can be:
a fit whose every residual is below a thousandth of a sigma is within (answers) / 2,000,000 nats of the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.families.domain import ColumnSet
from discreet.families.family import Family, Vector

LEAST_TOTAL = 1.0
"""A noisy total below this is taken as this: shares need something to be shares of."""

LEAST_SLACK = 1e-12
"""Slacks below this are taken as this. Shares are then up to this times theta off what was measured: a few parts in
10^11, less than a row of a billion; and questions that say the same twice stay solvable in 53 bits."""

MOST_SHARE = 1e9
"""Measured shares are cut to this size: answers so far outside [0, N] say no more than that."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What a desk measured: the noisy answers of one group of a family, and the variance of each one's noise."""

    family: Family
    group: int
    answers: Vector
    variance: float

    def __post_init__(self) -> None:
        check.positive("variance", self.variance)
        wanted = self.family.count_answers(self.group)
        if np.shape(self.answers) != (wanted,):
            raise ParameterError("answers", np.shape(self.answers), f"an array of {wanted} numbers")

    @property
    def columns(self) -> ColumnSet:
        """The columns that the group looks at."""
        return self.family.find_columns(self.group)

    def is_marginal(self) -> bool:
        """Say whether the answers are the cells of the columns' table, in order.

        The map is linear with whole numbers; it is tried on numbers of 50 random bits, which no other such map leaves
        as they are except by an unlikely accident.
        """
        sizes = tuple(self.family.domain.sizes[place] for place in self.columns)
        if len(self.answers) != math.prod(sizes):
            return False
        trial = np.random.default_rng(len(self.answers)).integers(1 << 50, size=sizes)
        return bool(np.array_equal(self.family.answer(self.group, trial), trial.ravel()))


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """F's numbers: shares, slacks, and the standard deviation of each share's noise, in one dimension."""

    kappa: float
    total: float
    shares: NDArray[np.float64]
    slack: NDArray[np.float64]

    @property
    def deviation(self) -> NDArray[np.float64]:
        """The standard deviations of the shares' noise; where a slack was raised, that of the raised one."""
        return np.sqrt(self.slack / self.kappa)


def write_objective(answers: Sequence[Vector], variances: Sequence[float], total: float, kappa: float) -> Objective:
    """Return the objective of answers whose noise has these variances, one for each array of answers."""
    kappa = float(check.positive("kappa", kappa))
    total = max(float(check.real("total", total)), LEAST_TOTAL)
    shares = [_divide(each, total) for each in answers]
    slack = [
        np.full(len(each), max(kappa * float(variance) / total**2, LEAST_SLACK))
        for each, variance in zip(answers, variances, strict=True)
    ]
    return Objective(kappa, total, _join(shares), _join(slack))


def _divide(answers: Vector, total: float) -> NDArray[np.float64]:
    """Return answers as shares, cut to a size that floats can hold: noise may be of any size."""
    if answers.dtype == object:
        most = math.ceil(MOST_SHARE * total)
        answers = np.array([float(max(min(value, most), -most)) for value in answers.tolist()])
    shares = np.asarray(answers, dtype=np.float64) / total
    if not np.isfinite(shares).all():
        raise ParameterError("answers", "infinite or missing numbers", "finite numbers")
    return np.clip(shares, -MOST_SHARE, MOST_SHARE)


def _join(parts: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    return np.concatenate(parts) if parts else np.zeros(0)
