"""What needs no target: principal components and clusters."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn
from discreet.learn.clusters import ROUNDS, Clusters, fit_clusters
from discreet.learn.components import Components, fit_components
from discreet.learn.estimators.arrays import make_number_features, read_matrix
from discreet.learn.estimators.moment_estimator import MomentEstimator


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
        rounds: int = ROUNDS,
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
