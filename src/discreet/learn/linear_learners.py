"""How linear models are learned: by descent on noisy gradients, or as one noisy minimum."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.gradients.encoding import Encoding
from discreet.gradients.residuals import WEIGHT_STEPS
from discreet.gradients.sums import LinearGradients
from discreet.learn.allowance import GaussianAllowance, read_concentrated_allowance, read_gaussian_allowance
from discreet.learn.descent import Trained, train
from discreet.learn.kinds import ModelKind, Predicts
from discreet.learn.learner import Learner, count_classes
from discreet.learn.models.linear_model import LinearModel
from discreet.learn.models.model import Subject
from discreet.learn.perturbation import METHODS, Method, Perturbed, perturb
from discreet.learn.source import GradientSource

DESCENT = "descent"
"""How linear models are learned where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class LinearLearner(Learner):
    """A linear model of one kind."""

    kind: ModelKind

    @property
    def predicts(self) -> Predicts:
        """What its kind predicts."""
        return self.kind.predicts

    def make_gradients(self, subject: Subject, encoding: Encoding) -> LinearGradients:
        """Return the gradients that it learns from."""
        return self.kind.make_gradients(encoding, count_classes(subject.target))

    @abstractmethod
    def learn(
        self,
        source: GradientSource,
        gradients: LinearGradients,
        allowance: GaussianAllowance,
        size: int | None = None,
        length: float | None = None,
    ) -> Trained | Perturbed:
        """Return weights, for all of an allowance; `size` is the number of rows and `length` theirs, where public."""

    def measure(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> Json:
        """Learn, and return the weights."""
        return self.learn(source, self.make_gradients(subject, encoding), allowance).describe()

    def make_model(self, subject: Subject, measured: Any) -> LinearModel:
        """Return the model of its weights."""
        kind, table, columns, target = subject
        assert target is not None
        width = sum(len(column.weights) for column in columns) + 1
        weights = np.array(measured["weights"], dtype=np.float64).reshape(width, -1) / WEIGHT_STEPS
        noise = float(measured["noise"])
        return LinearModel(kind, table, columns, target, measured["rows"], weights, noise, measured["settings"])


@dataclass(frozen=True, slots=True)
class DescentLearner(LinearLearner):
    """A linear model that descends on noisy gradients."""

    patience: float = 1.0
    """How many times as long as usual to descend."""

    def settings(self) -> dict[str, Json]:
        """Return the patience, if it is not the usual one."""
        return {} if self.patience == 1 else {"patience": repr(self.patience)}

    def learn(
        self,
        source: GradientSource,
        gradients: LinearGradients,
        allowance: GaussianAllowance,
        size: int | None = None,
        length: float | None = None,
    ) -> Trained:
        """Descend, and return the mean of the last weights."""
        return train(source, gradients, self.kind.name, allowance, size, length, self.patience)


@dataclass(frozen=True, slots=True)
class MinimumLearner(LinearLearner):
    """A linear model of one noisy minimum."""

    method: Method

    def settings(self) -> dict[str, Json]:
        """Return where noise gets in."""
        return {"method": self.method}

    def read_allowance(self, epsilon: Any, delta: Any, rho: Any) -> GaussianAllowance:
        """Return what may be spent: a pushed objective is known to be zCDP, and to be no Gaussian mechanism."""
        read = read_concentrated_allowance if self.method == "objective" else read_gaussian_allowance
        return read(epsilon, delta, rho)

    def learn(
        self,
        source: GradientSource,
        gradients: LinearGradients,
        allowance: GaussianAllowance,
        size: int | None = None,
        length: float | None = None,
    ) -> Perturbed:
        """Minimise, and return the noisy weights."""
        return perturb(source, gradients, self.method, allowance, size, length)


def find_linear_learner(kind: ModelKind, method: Any) -> LinearLearner:
    """Return the learner of a linear kind by this method, or say which there are."""
    if method not in (DESCENT, *METHODS):
        raise ParameterError("method", method, f"one of {', '.join((DESCENT, *METHODS))}")
    return DescentLearner(kind) if method == DESCENT else MinimumLearner(kind, method)
