"""Mixtures: how frequent each of some causes is, given how likely every report is under each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later

linalg = Later("scipy.linalg")

MOST_TURNS = 3000
NEAR = 0.01
"""How much log-likelihood may be missing at the end, in all: far less than a standard error makes."""
BLOCK = 1 << 13


@dataclass(frozen=True, eq=False)
class Mixture:
    """The likeliest frequencies of pairs of causes."""

    frequencies: Floats
    log_likelihood: float
    missing: float
    """What the log-likelihood lacks of its maximum at most."""


def fit_mixture(left: Floats, right: Floats) -> Mixture:
    """Return the likeliest joint frequencies of two causes, by expectation-maximisation.

    A line of `left` is how likely a report's first part is under each first cause, up to a factor, and `right` the
    same for second parts. Steps are extrapolated (Varadhan, Roland 2008, SQUAREM), where that raises the likelihood.
    It is concave, so what it lacks of its maximum is at most n (g - 1), with g the largest entry of its gradient / n.
    """
    found = np.full((left.shape[1], right.shape[1]), 1 / (left.shape[1] * right.shape[1]))
    value, gradient = _weigh(left, right, found)
    for _ in range(MOST_TURNS):
        if len(left) * (gradient.max() - 1) <= NEAR:
            break
        first = found * gradient
        second = first * _weigh(left, right, first)[1]
        second_value, second_gradient = _weigh(left, right, second)
        jump = _extrapolate(found, first, second)
        jump_value, jump_gradient = _weigh(left, right, jump)
        if jump_value > second_value:
            found, value, gradient = jump, jump_value, jump_gradient
        else:
            found, value, gradient = second, second_value, second_gradient
    return Mixture(found, value, float(len(left) * (gradient.max() - 1)))


def find_covariance(left: Floats, right: Floats, frequencies: Floats) -> Floats:
    """Return the covariance of the frequencies, by the observed information, given that they add up to 1."""
    cells = frequencies.size
    information = np.zeros((cells, cells))
    for first in range(0, len(left), BLOCK):
        one, other = left[first : first + BLOCK], right[first : first + BLOCK]
        scores = (one[:, :, None] * other[:, None, :]).reshape(len(one), cells)
        scores /= (scores @ frequencies.reshape(-1))[:, None]
        information += scores.T @ scores
    information[np.diag_indices_from(information)] *= 1 + 1e-9
    inverse = linalg.inv(information)
    along = inverse.sum(axis=1)
    return np.asarray(inverse - np.outer(along, along) / along.sum())


def _weigh(left: Floats, right: Floats, frequencies: Floats) -> tuple[float, Floats]:
    """Return the log-likelihood and its gradient, both over frequencies that add up to 1, the latter per report."""
    density = ((left @ frequencies) * right).sum(axis=1)
    return float(np.log(density).sum()), left.T @ (right / density[:, None]) / len(left)


def _extrapolate(start: Floats, first: Floats, second: Floats) -> Floats:
    step = first - start
    turn = second - first - step
    length = float(np.sqrt((step**2).sum() / max(float((turn**2).sum()), 1e-300)))
    reach = max(1.0, min(length, 1e6))
    jump = np.maximum(start + 2 * reach * step + reach**2 * turn, 1e-3 * second)
    return np.asarray(jump / jump.sum())
