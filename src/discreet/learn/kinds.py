"""The kinds of linear models that descend: what each predicts, how it errs, and how curved its loss is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.gradients.encoding import Encoding
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    HingeResidual,
    LogisticResidual,
    PoissonResidual,
    Residual,
    SoftmaxResidual,
    SquaredResidual,
)
from discreet.gradients.sums import LinearGradients

Predicts = Literal["classes", "number", "count"]

HUBER_THRESHOLD = RESIDUAL_STEPS // 4
"""Where a Huber regressor's residuals are cut: a quarter of half the target's range."""


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of linear model, by its name."""

    name: str
    predicts: Predicts
    curvature: float
    """The largest second derivative of a row's loss by its score."""

    def make_residual(self, classes: int) -> Residual:
        """Return the residual; `classes` is how many there are."""
        if self.name == "huber":
            return SquaredResidual(HUBER_THRESHOLD)
        if self.name == "poisson":
            return PoissonResidual(4 * RESIDUAL_STEPS)
        if self.name == "svc":
            if classes != 2:
                raise ParameterError("target", classes, "one of two classes for a linear SVC; logistic takes more")
            return HingeResidual()
        return LogisticResidual() if classes == 2 else SoftmaxResidual(classes)

    def make_gradients(self, encoding: Encoding, classes: int) -> LinearGradients:
        """Return the gradients of this kind, none of which is clipped if units have one row."""
        residual = self.make_residual(classes)
        return LinearGradients(encoding, residual, encoding.longest * residual.longest)

    def predict_mean(self, scores: Floats) -> Floats:
        """Return probabilities of classes, or means, from real scores, a line for each row."""
        if self.name == "poisson":
            return np.exp(np.clip(scores, -30, 30))
        if self.name == "logistic" and scores.shape[1] == 1:
            yes = 1 / (1 + np.exp(-np.clip(scores, -500, 500)))
            return np.hstack([1 - yes, yes])
        if self.name == "logistic":
            held = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(held / held.sum(axis=1, keepdims=True))
        return scores


KINDS = {
    kind.name: kind
    for kind in (
        ModelKind("logistic", "classes", 0.25),
        ModelKind("svc", "classes", 1.0),
        ModelKind("huber", "number", 1.0),
        ModelKind("poisson", "count", 4.0),
    )
}


def find_kind(name: str) -> ModelKind:
    """Return the kind of this name."""
    if name not in KINDS:
        raise ParameterError("model", name, f"one of {', '.join(KINDS)}")
    return KINDS[name]
