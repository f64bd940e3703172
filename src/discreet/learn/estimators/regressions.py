"""Regressions from noisy second moments and noisy corrections."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from discreet.base.grid import Floats
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn
from discreet.learn.estimators.arrays import (
    POINTS,
    make_number_features,
    put_on_points,
    read_bounds,
    read_column_of,
    read_matrix,
    scale_to_data,
    to_floats,
)
from discreet.learn.estimators.estimator import Regressor
from discreet.learn.estimators.moment_estimator import MomentEstimator
from discreet.learn.regression import Regression, fit_regression


class Ridge(MomentEstimator, Regressor):
    """Linear regression with a ridge: |X w - y|^2 + alpha |w|^2 in features and target scaled by their bounds."""

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
