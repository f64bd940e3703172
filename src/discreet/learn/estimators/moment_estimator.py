"""What estimators of bounded sums share: rows that lie between declared bounds become points of a public grid.

As with those that descend, rows are in memory and whoever holds them owns them; the guarantee is that of what is
learned. Bounds and classes are declared. Where a unit may have several rows, `max_rows` says how many are kept of each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import EncodedRows, Encoding
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.estimators.arrays import place_labels, put_on_points, read_bounds, read_column_of, read_matrix
from discreet.learn.estimators.estimator import Estimator, check_classes, hold_rows
from discreet.learn.source import MemorySource
from discreet.privacy import Loss


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
    loss_: Loss
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
