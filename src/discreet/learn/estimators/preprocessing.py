"""Preprocessing by public facts: nothing is learned from rows, so nothing has to be paid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import array_of
from discreet.learn.estimators.arrays import read_bounds, read_matrix
from discreet.learn.estimators.estimator import Estimator


class Transformer(Estimator, ABC):
    """Maps rows one by one: `fit` looks at how many columns there are, and at nothing else."""

    _estimator_type: ClassVar[str] = "transformer"

    n_features_in_: int

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Remember how many columns there are."""
        self.n_features_in_ = self._read(X).shape[1]
        return self

    def _read(self, X: Any) -> Any:  # noqa: N803
        """Return rows as an array."""
        return read_matrix(X)

    @abstractmethod
    def transform(self, X: Any) -> Floats:  # noqa: N803
        """Return the rows, mapped."""

    def fit_transform(self, X: Any, y: Any = None) -> Floats:  # noqa: N803
        """Return the rows, mapped."""
        self.fit(X, y)
        return self.transform(X)


class PublicScaler(Transformer):
    """Scales each column from its public bounds to [-1, 1]; what lies beyond counts as the bound, NaN as the middle."""

    def __init__(self, bounds: Any = (-1.0, 1.0)) -> None:
        self.bounds = bounds

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """Return the rows, scaled."""
        matrix = read_matrix(X, getattr(self, "n_features_in_", None), type(self).__name__)
        lower, upper = read_bounds(self.bounds, matrix.shape[1])
        scaled = (2 * np.clip(matrix, lower, upper) - lower - upper) / (upper - lower)
        return np.where(np.isnan(scaled), 0.0, scaled)


class PublicEncoder(Transformer):
    """Encodes each column by a public list of its values: a column of 0 and 1 for each; anything else is all 0."""

    def __init__(self, values: Any = ()) -> None:
        self.values = values

    def _read(self, X: Any) -> Any:  # noqa: N803
        """Return rows as an array of anything."""
        given = array_of("X", X).astype(object)
        if given.ndim != 2 or given.shape[1] != len(self.values):
            raise ParameterError("values", len(self.values), f"a list for each column: X has shape {given.shape}")
        return given

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """Return the rows, encoded."""
        given = self._read(X)
        parts = [given[:, [at]] == np.array(list(each), dtype=object) for at, each in enumerate(self.values)]
        return np.hstack(parts).astype(np.float64)
