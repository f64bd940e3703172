"""Linear models: `LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1)).fit(X, y)`.

No true number of rows, no statistic of the features and no set of labels is taken from the data: bounds and
classes are declared, and rows are counted with noise, unless `size` says how many there are. Where a unit may have
several rows, `max_rows` says how many are kept of each. They descend on noisy gradients, or, with `method="output"` or
`method="objective"`, are one noisy minimum (`learn/perturbation.py`).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, LabelColumn
from discreet.gradients.residuals import RESIDUAL_STEPS, WEIGHT_STEPS
from discreet.learn.estimators.arrays import (
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
from discreet.learn.estimators.estimator import Classifier, Estimator, Regressor, check_classes, hold_rows
from discreet.learn.kinds import find_kind
from discreet.learn.linear_learners import DESCENT, find_linear_learner
from discreet.learn.targets import POISSON_SCALE
from discreet.privacy import Loss


class LinearEstimator(Estimator):
    """A linear model of bounded rows."""

    _kind: ClassVar[str]

    epsilon: Any
    delta: Any
    rho: Any
    bounds: Any
    norm: Any
    size: Any
    max_rows: Any
    neighbours: str
    method: str

    coef_: Floats
    intercept_: Floats
    n_features_in_: int
    loss_: Loss
    """What fitting cost: `model.loss_.epsilon(1e-6)`."""
    rows_: float
    """How many rows there are, about: counted with noise."""

    def _learn(self, matrix: Floats, labels: Ints, label: LabelColumn, classes: int, units: Any) -> None:
        """Fit weights to rows and labels that are points already."""
        learner = find_linear_learner(find_kind(self._kind), self.method)
        allowance = learner.read_allowance(self.epsilon, self.delta, self.rho)
        lower, upper = read_bounds(self.bounds, matrix.shape[1])
        size = None if self.size is None else check.integer("size", self.size, least=1)
        length = None if self.norm is None else (float(check.real("norm", self.norm, above=0)) ** 2 + 1) ** 0.5
        points = np.column_stack([put_on_points(matrix, lower, upper), labels])
        gradients = find_kind(self._kind).make_gradients(Encoding(make_number_features(lower), label), classes)
        source = hold_rows(points, units, self.max_rows, self.neighbours)
        found = learner.learn(source, gradients, allowance, size, length)
        weights = np.array(found.weights, dtype=np.float64).reshape(gradients.shape) / WEIGHT_STEPS
        slopes, intercepts = scale_to_data(weights, lower, upper)
        self.coef_, self.intercept_ = slopes.T, intercepts
        self.n_features_in_, self.rows_, self.loss_ = matrix.shape[1], found.rows, allowance.loss
        self._lower, self._upper = lower, upper

    def _find_scores(self, X: Any) -> Floats:  # noqa: N803 (scikit-learn's own name)
        """Return the scores of rows, held within the bounds that the model was fitted to."""
        if not hasattr(self, "coef_"):
            raise ParameterError("estimator", type(self).__name__, "fitted first: call fit(X, y)")
        matrix = read_matrix(X, self.n_features_in_, type(self).__name__)
        held = np.where(np.isnan(matrix), (self._lower + self._upper) / 2, np.clip(matrix, self._lower, self._upper))
        return np.asarray(held @ self.coef_.T + self.intercept_)


class LinearClassifier(LinearEstimator, Classifier):
    """A linear model of declared classes."""

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        norm: Any = None,
        classes: Any = (0, 1),
        size: Any = None,
        max_rows: Any = None,
        neighbours: str = "add-remove",
        method: str = DESCENT,
    ) -> None:
        self.epsilon, self.delta, self.rho = epsilon, delta, rho
        self.bounds, self.norm, self.classes, self.size = bounds, norm, classes, size
        self.max_rows, self.neighbours, self.method = max_rows, neighbours, method

    def fit(self, X: Any, y: Any, units: Any = None) -> Self:  # noqa: N803
        """Learn from rows and their classes; `units` names whose row each is, where somebody has several.

        A label that is not declared teaches nothing: its row counts as nothing.
        """
        matrix = read_matrix(X)
        declared = check_classes(self.classes)
        labels = place_labels(read_column_of(y, len(matrix)), declared)
        label = LabelColumn(matrix.shape[1], 0, len(declared), -1, len(declared) - 1)
        self._learn(matrix, labels, label, len(declared), units)
        self.classes_ = np.array(declared)
        return self

    def decision_function(self, X: Any) -> Floats:  # noqa: N803
        """Return scores: above 0 for the second of two classes, else one for each class."""
        scores = self._find_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the likeliest class of each row."""
        scores = self._find_scores(X)
        best = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[best]


class LinearRegressor(LinearEstimator, Regressor):
    """A linear model of a number with declared bounds."""

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        *,
        rho: Any = None,
        bounds: Any = (-1.0, 1.0),
        target_bounds: Any = (0.0, 1.0),
        norm: Any = None,
        size: Any = None,
        max_rows: Any = None,
        neighbours: str = "add-remove",
        method: str = DESCENT,
    ) -> None:
        self.epsilon, self.delta, self.rho, self.bounds, self.target_bounds = epsilon, delta, rho, bounds, target_bounds
        self.norm, self.size, self.max_rows, self.neighbours, self.method = norm, size, max_rows, neighbours, method

    def fit(self, X: Any, y: Any, units: Any = None) -> Self:  # noqa: N803
        """Learn from rows and their numbers; `units` names whose row each is, where somebody has several rows."""
        matrix = read_matrix(X)
        given = to_floats("y", read_column_of(y, len(matrix)))
        if self.target_bounds is None:
            raise ParameterError("target_bounds", None, "a pair (lower, upper): the range of y is private")
        low, high = read_bounds(self.target_bounds, 1)
        labels = put_on_points(given[:, None], low, high)[:, 0]
        self._learn(matrix, labels, self._make_label(matrix.shape[1], low, high), 0, units)
        self._low, self._high = float(low[0]), float(high[0])
        return self

    def _make_label(self, column: int, low: Floats, high: Floats) -> LabelColumn:
        return LabelColumn(column, 0, POINTS, -RESIDUAL_STEPS, RESIDUAL_STEPS)

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the predicted number of each row."""
        middle, half = (self._low + self._high) / 2, (self._high - self._low) / 2
        return np.asarray(middle + np.clip(self._find_scores(X)[:, 0], -1, 1) * half)


class LogisticRegression(LinearClassifier):
    """Logistic regression of two classes, or multinomial of more."""

    _kind = "logistic"

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class."""
        return find_kind(self._kind).predict_mean(self._find_scores(X))


class LinearSVC(LinearClassifier):
    """A linear support vector classifier of two classes, with a smoothed hinge."""

    _kind = "svc"


class HuberRegressor(LinearRegressor):
    """Linear regression whose residuals are cut at an eighth of the target's range: robust to outliers."""

    _kind = "huber"


class PoissonRegressor(LinearRegressor):
    """Poisson regression of counts up to a declared bound, with a logarithmic link."""

    _kind = "poisson"

    def _make_label(self, column: int, low: Floats, high: Floats) -> LabelColumn:
        if low[0] != 0:
            raise ParameterError("target_bounds", self.target_bounds, "from 0: counts begin there")
        return LabelColumn(column, 0, POINTS, 0, POISSON_SCALE * RESIDUAL_STEPS)

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the expected count of each row."""
        mean = find_kind(self._kind).predict_mean(self._find_scores(X))[:, 0]
        return np.asarray(np.minimum(mean / POISSON_SCALE, 1.0) * self._high)
