"""How much the prior weighs: the kappa that the noisy answers themselves make most likely.

Read the objective as minus a logarithm: exp(-kappa KL) is a prior on distributions, near p a normal one whose
covariance is that of the questions over kappa. The likelihood of the answers, all distributions averaged out (Laplace's
method; MacKay 1992), is greatest where

    2 kappa KL(p || prior) = determined,     determined = trace of C (C + S)^-1,   C = Cov_p(Q), S = diag(slack)

that is: each direction that the answers determine better than the prior does is worth half a nat. It falls from the
rank of the questions (no noise) to 0 (nothing but noise). No constant number of nats does this: data near the prior
want a kappa of hundreds, sparse data of less than one, and more questions or less noise change both. Before any
answers we believe, as firmly as one determined direction would make us, in a kappa of 50: a fit without answers has it.

Everything here is a function of noisy answers, variances and public sizes: computing it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from scipy.linalg import eigh

from discreet.base.grid import Floats
from discreet.synthetic.fit.newton import TiltedModel
from discreet.synthetic.fit.objective import Objective

LEAST_KAPPA = 1e-3
MOST_KAPPA = 1e6
FIRST_KAPPA = 50.0
"""What is believed before there are answers, as firmly as one determined direction would: the search starts there."""

NEAR = 1.15
"""A kappa this near to the one wanted is good enough: errors change with its square root at most."""

MOST_FITS = 15


class Weighed(Protocol):
    """A fit at some kappa, which says what kappa it asks for."""

    @property
    def determined(self) -> float: ...  # noqa: D102
    @property
    def distance(self) -> float: ...  # noqa: D102


Attempted = TypeVar("Attempted", bound=Weighed)


def settle(attempt: Callable[[float, Attempted | None], Attempted], first: float = FIRST_KAPPA) -> Attempted:
    """Return the fit whose kappa is the one that it asks for; each attempt is given the one before, to start from.

    What a fit asks for falls where kappa is too large and rises where it is too small; the search keeps the narrowest
    interval seen, and halves it (in logarithms) where the last answer lies outside.
    """
    low, high, kappa = LEAST_KAPPA, MOST_KAPPA, first
    result: Attempted | None = None
    for _ in range(MOST_FITS):
        result = attempt(kappa, result)
        wanted = ask_kappa(result)
        if kappa / NEAR <= wanted <= kappa * NEAR or high <= low * NEAR:
            break
        if wanted > kappa:
            low = kappa
        else:
            high = kappa
        kappa = wanted if low < wanted < high else (low * high) ** 0.5
    assert result is not None
    return result


def ask_kappa(fit: Weighed) -> float:
    """Return the kappa that a fit asks for: of the fit of a few answers less, where the next one begins."""
    return (fit.determined + 1) / (2 * fit.distance + 1 / FIRST_KAPPA)


def count_determined(few: bool, objective: Objective, point: TiltedModel, ranks: Floats | None = None) -> float:
    """Return how many directions the answers determine: exactly where they are few, else as if questions were apart.

    `ranks` say how many directions each answer stands for, where that is not 1.
    """
    if not len(objective.slack):
        return 0.0
    if few:
        return _count_exactly(point.find_covariance(), objective.slack)
    variances = point.find_variances().clip(0)
    return float((variances / (variances + objective.slack) * (1.0 if ranks is None else ranks)).sum())


def _count_exactly(covariance: Floats, slack: Floats) -> float:
    scale = 1 / np.sqrt(slack)
    values = eigh(covariance * scale[:, None] * scale, eigvals_only=True, check_finite=False).clip(0)
    return float((values / (1 + values)).sum())
