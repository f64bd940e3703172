"""Estimators of bounded sums by scikit-learn's conventions: regressions, naive Bayes, components, clusters, stumps.

As with those that descend, rows are in memory and whoever holds them owns them; the guarantee is that of what is
learned. Bounds and classes are declared. Where a unit may have several rows, `max_rows` says how many are kept of each.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows, Encoding, Feature, LabelColumn, PlaceFeature
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.arrays import (
    POINTS,
    make_number_features,
    place_labels,
    put_on_points,
    read_bounds,
    read_column_of,
    read_matrix,
    scale_to_data,
    to_floats,
)
from discreet.learn.clusters import ROUNDS as CLUSTER_ROUNDS
from discreet.learn.clusters import Clusters, fit_clusters
from discreet.learn.components import Components, fit_components
from discreet.learn.estimators import Estimator, check_classes, hold_rows
from discreet.learn.naive_bayes import NaiveBayes, fit_naive_bayes
from discreet.learn.regression import Regression, fit_regression
from discreet.learn.source import MemorySource
from discreet.learn.stumps import Stumps, bin_points, fit_stumps
from discreet.privacy import GaussianLoss


class MomentEstimator(Estimator):
    """What is learned from bounded sums of rows that lie between declared bounds."""

    epsilon: Any
    delta: Any
    rho: Any
    bounds: Any
    max_rows: Any
    neighbours: str

    _encoding: Encoding
    n_features_in_: int
    loss_: GaussianLoss
    """What fitting cost: `model.loss_.epsilon(1e-6)`."""

    def _prepare(self, matrix: Floats, labels: Ints, units: Any) -> tuple[MemorySource, GaussianAllowance]:
        """Return where sums come from, and what they may cost; rows become points."""
        allowance = read_gaussian_allowance(self.epsilon, self.delta, self.rho)
        self._lower, self._upper = read_bounds(self.bounds, matrix.shape[1])
        points = np.column_stack([self._make_points(matrix), labels])
        source = hold_rows(points, units, self.max_rows, self.neighbours)
        self.loss_ = allowance.loss
        return source, allowance

    def _make_points(self, matrix: Floats) -> Ints:
        return put_on_points(matrix, self._lower, self._upper)

    def _read_rows(self, X: Any) -> Floats:  # noqa: N803 (scikit-learn's own name)
        """Return rows of as many columns as the model was fitted to."""
        if not hasattr(self, "n_features_in_"):
            raise ParameterError("estimator", type(self).__name__, "fitted first: call fit")
        return read_matrix(X, self.n_features_in_, type(self).__name__)

    def _encode(self, X: Any) -> EncodedRows:  # noqa: N803
        """Return rows as the features that the model was fitted to."""
        matrix = self._read_rows(X)
        labels = np.zeros((len(matrix), 1), dtype=np.int64)
        return self._encoding.encode(np.hstack([self._make_points(matrix), labels]))

    def _read_classes(self, y: Any, rows: int, classes: Any) -> tuple[list[Any], Ints]:
        """Return the declared classes, and the place of each row's, from 1; 0 where it is none of them."""
        declared = check_classes(classes)
        return declared, place_labels(read_column_of(y, rows), declared)


class Ridge(MomentEstimator):
    """Linear regression with a ridge: |X w - y|^2 + alpha |w|^2 in features and target scaled by their bounds."""

    _estimator_type: ClassVar[str] = "regressor"

    alpha: float
    target_bounds: Any

    coef_: Floats
    intercept_: float
    coef_errors_: Floats
    """The standard errors of `coef_`: noise and sampling."""
    regression_: Regression
    """The weights of scaled features, with their covariance."""

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        alpha: float = 1.0,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        target_bounds: Any = (-1.0, 1.0),
        max_rows: Any = None,
        neighbours: str = "add-remove",
    ) -> None:
        self.epsilon, self.delta, self.alpha, self.rho = epsilon, delta, alpha, rho
        self.bounds, self.target_bounds, self.max_rows, self.neighbours = bounds, target_bounds, max_rows, neighbours

    def fit(self, X: Any, y: Any, units: Any = None) -> Self:  # noqa: N803
        """Learn from rows and their numbers; `units` names whose row each is, where somebody has several."""
        matrix = read_matrix(X)
        given = to_floats("y", read_column_of(y, len(matrix)))
        low, high = read_bounds(self.target_bounds, 1)
        source, allowance = self._prepare(matrix, put_on_points(given[:, None], low, high)[:, 0], units)
        label = LabelColumn(matrix.shape[1], 0, POINTS, -FEATURE_STEPS, FEATURE_STEPS)
        encoding = Encoding(make_number_features(self._lower), label)
        self.regression_ = fit_regression(source, encoding, allowance, self._find_alpha())
        slopes, intercepts = scale_to_data(self.regression_.weights[:, None], self._lower, self._upper)
        self._middle, self._half = float(low[0] + high[0]) / 2, float(high[0] - low[0]) / 2
        self.coef_, self.intercept_ = slopes[:, 0] * self._half, self._middle + float(intercepts[0]) * self._half
        one = np.where(self._lower < 0, (self._upper - self._lower) / 2, self._upper - self._lower)
        self.coef_errors_ = self.regression_.errors[:-1] / one * self._half
        self.n_features_in_, self.rows_ = matrix.shape[1], self.regression_.rows
        return self

    def _find_alpha(self) -> float:
        return self.alpha

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the predicted number of each row, held within the target's bounds, as features are in theirs."""
        matrix = self._read_rows(X)
        held = np.where(np.isnan(matrix), (self._lower + self._upper) / 2, np.clip(matrix, self._lower, self._upper))
        found = held @ self.coef_ + self.intercept_
        return np.clip(found, self._middle - self._half, self._middle + self._half)

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Return R^2. On training rows this is not private."""
        given = np.asarray(y, dtype=np.float64)
        return float(1 - ((given - self.predict(X)) ** 2).sum() / ((given - given.mean()) ** 2).sum())


class LinearRegression(Ridge):
    """Linear regression from noisy second moments and noisy corrections."""

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        target_bounds: Any = (-1.0, 1.0),
        max_rows: Any = None,
        neighbours: str = "add-remove",
    ) -> None:
        self.epsilon, self.delta, self.rho = epsilon, delta, rho
        self.bounds, self.target_bounds, self.max_rows, self.neighbours = bounds, target_bounds, max_rows, neighbours

    def _find_alpha(self) -> float:
        return 0.0


class GaussianNB(MomentEstimator):
    """Naive Bayes with Gaussian numbers, for declared classes."""

    _estimator_type: ClassVar[str] = "classifier"

    classes_: Any
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

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Return the share of rows whose class is predicted right. On training rows this is not private."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


class PCA(MomentEstimator):
    """Principal components of features scaled by their bounds."""

    _estimator_type: ClassVar[str] = "transformer"

    components_: Floats
    explained_variance_: Floats
    explained_variance_ratio_: Floats
    fitted_: Components

    def __init__(
        self,
        n_components: int = 1,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        max_rows: Any = None,
        neighbours: str = "add-remove",
    ) -> None:
        self.n_components, self.epsilon, self.delta, self.rho = n_components, epsilon, delta, rho
        self.bounds, self.max_rows, self.neighbours = bounds, max_rows, neighbours

    def fit(self, X: Any, y: Any = None, units: Any = None) -> Self:  # noqa: N803
        """Learn the directions along which rows differ most."""
        matrix = read_matrix(X)
        source, allowance = self._prepare(matrix, np.zeros(len(matrix), dtype=np.int64), units)
        self._encoding = Encoding(make_number_features(self._lower), LabelColumn(matrix.shape[1], 0, 1, 0, 0))
        self.fitted_ = fit_components(source, self._encoding, self.n_components, allowance)
        self.components_, self.n_features_in_ = self.fitted_.directions, matrix.shape[1]
        self.explained_variance_, self.explained_variance_ratio_ = self.fitted_.variances, self.fitted_.shares
        return self

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """Return the coordinates of rows."""
        rows = self._encode(X)
        return self.fitted_.project(rows.numbers / FEATURE_STEPS)

    def fit_transform(self, X: Any, y: Any = None) -> Floats:  # noqa: N803
        """Learn, and return the coordinates of the same rows, which are not private."""
        return self.fit(X).transform(X)


class KMeans(MomentEstimator):
    """Clusters of features scaled by their bounds."""

    _estimator_type: ClassVar[str] = "clusterer"

    cluster_centers_: Floats
    """In the units of the data."""
    fitted_: Clusters

    def __init__(
        self,
        n_clusters: int = 8,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        rounds: int = CLUSTER_ROUNDS,
        max_rows: Any = None,
        neighbours: str = "add-remove",
    ) -> None:
        self.n_clusters, self.epsilon, self.delta, self.rho = n_clusters, epsilon, delta, rho
        self.bounds, self.rounds, self.max_rows, self.neighbours = bounds, rounds, max_rows, neighbours

    def fit(self, X: Any, y: Any = None, units: Any = None) -> Self:  # noqa: N803
        """Learn centres of clusters."""
        matrix = read_matrix(X)
        source, allowance = self._prepare(matrix, np.zeros(len(matrix), dtype=np.int64), units)
        self._encoding = Encoding(make_number_features(self._lower), LabelColumn(matrix.shape[1], 0, 1, 0, 0))
        self.fitted_ = fit_clusters(source, self._encoding, self.n_clusters, allowance, self.rounds)
        zero = np.where(self._lower < 0, (self._lower + self._upper) / 2, self._lower)
        one = np.where(self._lower < 0, (self._upper - self._lower) / 2, self._upper - self._lower)
        self.cluster_centers_, self.n_features_in_ = zero + self.fitted_.centres * one, matrix.shape[1]
        return self

    def predict(self, X: Any) -> Ints:  # noqa: N803
        """Return the nearest centre of each row."""
        rows = self._encode(X)
        return self.fitted_.assign(rows)


class StumpsClassifier(MomentEstimator):
    """An additive model of two declared classes: a step function of each feature over bins between its bounds."""

    _estimator_type: ClassVar[str] = "classifier"

    classes_: Any
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
        self.model_ = fit_stumps(source, self._encoding, [True] * width, allowance)
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

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Return the share of rows whose class is predicted right. On training rows this is not private."""
        return float(np.mean(self.predict(X) == np.asarray(y)))
