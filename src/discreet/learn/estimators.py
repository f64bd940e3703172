"""Estimators by scikit-learn's conventions: `LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1)).fit(X, y)`.

They fit rows in memory, for people who hold them; the guarantee is that of the weights, and of nothing else. Whoever
holds rows owns them: `score` on training rows, and predictions for them, are not private. What is learned from a table
under a policy goes through a curator (`discreet.learn.fit`).

No true number of rows, no statistic of the features and no set of labels is taken from the data: bounds and
classes are declared, and rows are counted with noise, unless `size` says how many there are. Where a unit may have
several rows, `max_rows` says how many are kept of each.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, LabelColumn
from discreet.gradients.residuals import RESIDUAL_STEPS, WEIGHT_STEPS
from discreet.gradients.sums import MOST_ROWS
from discreet.learn.allowance import read_gaussian_allowance, read_zcdp_allowance
from discreet.learn.arrays import (
    POINTS,
    group_units,
    make_number_features,
    place_labels,
    put_on_points,
    read_bounds,
    read_column_of,
    read_matrix,
    scale_to_data,
    to_floats,
)
from discreet.learn.kinds import find_kind
from discreet.learn.source import MemorySource
from discreet.learn.targets import POISSON_SCALE
from discreet.learn.training import train
from discreet.privacy import Loss
from discreet.privacy.neighbours import Neighbours


class Estimator:
    """What all estimators share: parameters by name, as scikit-learn's own tools expect them."""

    _estimator_type: ClassVar[str]

    @classmethod
    def _list_parameters(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters that this was made with."""
        return {name: getattr(self, name) for name in self._list_parameters()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name."""
        for name, value in params.items():
            if name not in self._list_parameters():
                raise ParameterError("parameter", name, f"one of {', '.join(self._list_parameters())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = inspect.signature(type(self).__init__).parameters
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not given[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        from discreet.learn.tags import make_tags

        return make_tags(self._estimator_type)


def hold_rows(points: Ints, units: Any, max_rows: Any, neighbours: str) -> MemorySource:
    """Return where sums over these rows come from; how many rows a unit may have is declared, never looked for."""
    factor = 2 if Neighbours.named(neighbours) is Neighbours.REPLACE else 1
    if units is None:
        return MemorySource(points, None, factor)
    if max_rows is None:
        raise ParameterError("max_rows", None, "given beside units: how many rows somebody has is private")
    most = check.integer("max_rows", max_rows, least=1, most=MOST_ROWS)
    kept, offsets = group_units(units, points, most)
    return MemorySource(kept, offsets, factor, most)


def check_classes(classes: Any) -> list[Any]:
    """Return the declared classes, or say that they must be declared."""
    declared = [] if classes is None else list(classes)
    if len(declared) < 2 or len(set(declared)) < len(declared):
        raise ParameterError("classes", classes, "all classes that there may be: which occur is private")
    return declared


class LinearEstimator(Estimator):
    """A linear model of bounded rows, by one of three methods.

    `descent` goes down noisy gradients. `output` adds noise to the minimum of the loss with a ridge, `objective` to
    what is minimised (`learn/perturbation.py`); `ridge` is the least there may be, for features scaled by their bounds.
    """

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
    ridge: Any

    coef_: Floats
    intercept_: Floats
    n_features_in_: int
    loss_: Loss
    """What fitting cost: `model.loss_.epsilon(1e-6)`."""
    rows_: float
    """How many rows there are, about: counted with noise."""

    def _learn(self, matrix: Floats, labels: Ints, label: LabelColumn, classes: int, units: Any) -> None:
        """Fit weights to rows and labels that are points already."""
        read = read_zcdp_allowance if self.method == "objective" else read_gaussian_allowance
        allowance = read(self.epsilon, self.delta, self.rho)
        lower, upper = read_bounds(self.bounds, matrix.shape[1])
        size = None if self.size is None else check.integer("size", self.size, least=1)
        length = None if self.norm is None else (float(check.real("norm", self.norm, above=0)) ** 2 + 1) ** 0.5
        ridge = 0.0 if self.ridge is None else float(check.positive("ridge", self.ridge))
        if self.ridge is not None and self.method == "descent":
            raise ParameterError("ridge", self.ridge, "None for descent, which stops early instead")
        points = np.column_stack([put_on_points(matrix, lower, upper), labels])
        gradients = find_kind(self._kind).make_gradients(Encoding(make_number_features(lower), label), classes)
        source = hold_rows(points, units, self.max_rows, self.neighbours)
        found = train(source, gradients, self._kind, allowance, size, length, self.method, ridge)
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


class LinearClassifier(LinearEstimator):
    """A linear model of declared classes."""

    _estimator_type: ClassVar[str] = "classifier"

    classes: Any
    classes_: Any

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
        method: str = "descent",
        ridge: Any = None,
    ) -> None:
        self.epsilon, self.delta, self.rho = epsilon, delta, rho
        self.bounds, self.norm, self.classes, self.size = bounds, norm, classes, size
        self.max_rows, self.neighbours, self.method, self.ridge = max_rows, neighbours, method, ridge

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

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Return the share of rows whose class is predicted right. On training rows this is not private."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


class LinearRegressor(LinearEstimator):
    """A linear model of a number with declared bounds."""

    _estimator_type: ClassVar[str] = "regressor"

    target_bounds: Any

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
        method: str = "descent",
        ridge: Any = None,
    ) -> None:
        self.epsilon, self.delta, self.rho, self.bounds, self.target_bounds = epsilon, delta, rho, bounds, target_bounds
        self.norm, self.size, self.max_rows, self.neighbours = norm, size, max_rows, neighbours
        self.method, self.ridge = method, ridge

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

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Return R^2. On training rows this is not private."""
        given = np.asarray(y, dtype=np.float64)
        return float(1 - ((given - self.predict(X)) ** 2).sum() / ((given - given.mean()) ** 2).sum())


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
