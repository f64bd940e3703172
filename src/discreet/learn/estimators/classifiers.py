"""Classifiers from bounded sums: naive Bayes, and step functions of each feature."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, Feature, LabelColumn, PlaceFeature
from discreet.learn.estimators.arrays import POINTS, make_number_features, put_on_points, read_matrix
from discreet.learn.estimators.estimator import Classifier
from discreet.learn.estimators.moment_estimator import MomentEstimator
from discreet.learn.naive_bayes import NaiveBayes, fit_naive_bayes
from discreet.learn.stumps import Stumps, bin_points, fit_stumps


class GaussianNB(MomentEstimator, Classifier):
    """Naive Bayes with Gaussian numbers, for declared classes."""

    model_: NaiveBayes

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        classes: Any = (0, 1),
        max_rows: Any = None,
        neighbours: str = "add-remove",
    ) -> None:
        self.epsilon, self.delta, self.rho, self.bounds = epsilon, delta, rho, bounds
        self.classes, self.max_rows, self.neighbours = classes, max_rows, neighbours

    def fit(self, X: Any, y: Any, units: Any = None) -> Self:  # noqa: N803
        """Learn from rows and their classes; a label that is not declared counts as nothing."""
        matrix = read_matrix(X)
        declared, labels = self._read_classes(y, len(matrix), self.classes)
        source, allowance = self._prepare(matrix, labels, units)
        label = LabelColumn(matrix.shape[1], 0, len(declared), -1, len(declared) - 1)
        self._encoding = Encoding(make_number_features(self._lower), label)
        self.model_ = fit_naive_bayes(source, self._encoding, len(declared), allowance)
        self.n_features_in_, self.classes_ = matrix.shape[1], np.array(declared)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class."""
        rows = self._encode(X)
        return self.model_.find_probabilities(rows)

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the likeliest class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]


class StumpsClassifier(MomentEstimator, Classifier):
    """An additive model of two declared classes: a step function of each feature over bins between its bounds."""

    model_: Stumps
    """The steps of each feature: `model_.steps[j][bin]`."""

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        bins: int = 32,
        classes: Any = (0, 1),
        max_rows: Any = None,
        neighbours: str = "add-remove",
    ) -> None:
        self.epsilon, self.delta, self.rho, self.bounds, self.bins = epsilon, delta, rho, bounds, bins
        self.classes, self.max_rows, self.neighbours = classes, max_rows, neighbours

    def _make_points(self, matrix: Floats) -> Ints:
        return bin_points(put_on_points(matrix, self._lower, self._upper), 0, POINTS, self.bins)

    def fit(self, X: Any, y: Any, units: Any = None) -> Self:  # noqa: N803
        """Learn from rows and their classes; a label that is not declared counts as nothing."""
        matrix = read_matrix(X)
        declared, labels = self._read_classes(y, len(matrix), self.classes)
        if len(declared) != 2:
            raise ParameterError("classes", self.classes, "two: odds are of one against the other")
        source, allowance = self._prepare(matrix, labels, units)
        width = matrix.shape[1]
        features: tuple[Feature, ...] = tuple(PlaceFeature(at, self.bins) for at in range(width))
        self._encoding = Encoding(features, LabelColumn(width, 0, 2, -1, 1))
        self.model_ = fit_stumps(source, self._encoding, [self.bins] * width, allowance)
        self.n_features_in_, self.classes_ = width, np.array(declared)
        return self

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return the logarithm of the odds of the second class."""
        rows = self._encode(X)
        return self.model_.find_scores(rows)

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class."""
        second = 1 / (1 + np.exp(-np.clip(self.decision_function(X), -500, 500)))
        return np.column_stack([1 - second, second])

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the likelier class of each row."""
        best = (self.decision_function(X) > 0).astype(int)
        return self.classes_[best]
