"""Slopes of convex losses in floats: how a row's loss grows with its score, and how far a float is from that.

A sum of clipped gradients is exact, and of no function in general. A minimum needs a function for each row: convex,
with slopes of at most `Residual.longest`, and with second derivatives of at most a public number. Those of the closed
list here are, and their slopes are computed in floats, a row at a time, since only how far they are from the truth
matters (`gradients/minimum.py`), not their last bit.

| loss | slope at score z | second derivative |
|---|---|---|
| log loss of two classes | 1 / (1 + exp(-z)) - label | at most 1/4 |
| log loss of several classes | probabilities less 1 for the label's | at most 1/2; their sum at most 1 |
| Huber's | z - label, cut at the threshold | at most 1 |
| smoothed hinge | of its parabola (Rennie 2005) | at most 1 |

**How far a float is.** Let the score be off by an absolute error s and a relative error of 8 units in the last place.
The slope is then off by at most the largest second derivative times s, plus `SLOPE_ERROR` = 2^-42. Proof. A relative
error r moves a slope by at most r times the largest |z| phi''(z). That is below 1 for the log loss and the hinge, and
at most 49 for Huber's, whose second derivative is 0 where |z| is above its label (at most 32) and its threshold (at
most 16): less than 2^-44. `exp` is taken to err by at most 2^-48 of its value (the worst measured in a million is
2^-52.5), beyond scores of 40 it is below 2^-57, a sum of 1,024 of them errs by 2^-43 of its value at most, and the few
other operations by 2^-53 each of numbers below 64. Relative errors of scores of several classes are not covered: their
difference may be small where both are large.
"""

from __future__ import annotations

import numpy as np

from discreet.base.errors import OperationError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    HingeResidual,
    LogisticResidual,
    Residual,
    SoftmaxResidual,
    SquaredResidual,
)

SLOPE_ERROR = 2.0**-42
"""How far a slope may be from that of the true function, beside what its score's absolute error does."""

FAR = 40.0
"""A score beyond which a probability is 0 or 1 to 2^-57."""

CURVATURES = {LogisticResidual: 0.25, SoftmaxResidual: 0.5, SquaredResidual: 1.0, HingeResidual: 1.0}
"""The largest eigenvalue of a row's second derivatives by its scores: the closed list of convex, smooth losses."""


def find_curvature(residual: Residual) -> float:
    """Return the largest second derivative of a row's loss by its score, or refuse a loss that has none."""
    if type(residual) not in CURVATURES:
        raise OperationError("a minimum is of a convex, smooth loss: logistic, svc or huber")
    return CURVATURES[type(residual)]


def find_slopes(residual: Residual, scores: Floats, labels: Ints) -> Floats:
    """Return the slopes of rows' losses at their scores, a line for each row; unknown labels have none."""
    if isinstance(residual, SoftmaxResidual):
        return _find_softmax(residual.classes, scores, labels)
    score = scores[:, 0]
    if isinstance(residual, SquaredResidual):
        most = residual.threshold / RESIDUAL_STEPS
        return np.asarray(np.clip(score - labels / RESIDUAL_STEPS, -most, most)[:, None])
    if isinstance(residual, HingeResidual):
        signs = 2.0 * labels - 1.0
        found = -signs * np.clip(1.0 - np.clip(score, -2.0, 2.0) * signs, 0.0, 1.0)
    else:
        found = 1.0 / (1.0 + np.exp(-np.clip(score, -FAR, FAR))) - labels
    found[(labels < 0) | (labels > 1)] = 0.0
    return np.asarray(found[:, None])


def _find_softmax(classes: int, scores: Floats, labels: Ints) -> Floats:
    weights = np.exp(np.maximum(scores - scores.max(axis=1, keepdims=True), -FAR))
    found = weights / weights.sum(axis=1, keepdims=True)
    known = (labels >= 0) & (labels < classes)
    found[~known] = 0.0
    rows = np.flatnonzero(known)
    found[rows, labels[rows]] -= 1.0
    return np.asarray(found)
