"""Functions of one unit's rows: what a desk may add up over units.

A sum over units has a bounded sensitivity only if each unit's vector depends on that unit's rows alone. So a function
that somebody writes gets the rows of one unit at a time. One that computes for all units at once is much faster, and
the desk cannot see whether it keeps them apart: those are a closed list, like scores, each with a reason why it does.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import FailedError, ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints


@runtime_checkable
class UnitFunction(Protocol):
    """A vector for the rows of one unit: a frozen value.

    `apply` must be a function in the strict sense: the same rows give the same vector, to the last bit, whatever it was
    applied to before. One that remembers, or draws random numbers, breaks the guarantee, and nothing here can notice.
    """

    @property
    def dimension(self) -> int:
        """How many entries the vector has."""

    def describe(self) -> Json:
        """Return the form of the function: different for functions that compute something else."""

    def apply(self, rows: Floats) -> Floats:
        """Return the vector of one unit; `rows` has a line for each of its rows, in the order of their content."""


@dataclass(frozen=True, slots=True)
class BatchFunction(ABC):
    """A function that is applied to all units at once.

    Why no unit changes another's vector, not even in its last bit: floats are combined by elementwise `+ - * /`, which
    IEEE 754 defines to the last bit wherever they stand in an array; `math.exp` is called for one number at a time; and
    a unit's rows are added up one after another, in their order. No matrix product and no float `sum` is used: what
    these return for one row may depend on how many others there are.
    """

    @property
    @abstractmethod
    def columns(self) -> int:
        """How many columns the rows must have."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many entries the vector has."""

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the function."""

    @abstractmethod
    def map_rows(self, rows: Floats) -> Floats:
        """Return a vector for each row; a unit's vector is the sum of those of its rows."""

    def apply(self, rows: Floats) -> Floats:
        """Return the vector of one unit."""
        vectors = self.apply_all(rows, np.array([0, len(rows)], dtype=np.int64))
        return vectors.reshape(self.dimension)

    def apply_all(self, rows: Floats, offsets: Ints) -> Floats:
        """Return the vectors of all units; those of unit u are `rows[offsets[u]:offsets[u + 1]]`."""
        counts = np.diff(offsets)
        total = np.zeros((len(counts), self.dimension))
        with np.errstate(all="ignore"):
            mapped = self.map_rows(rows)
            fullest = np.argsort(-counts, kind="stable")
            longer = np.searchsorted(-counts[fullest], -np.arange(int(counts.max(initial=0))), side="left")
            for place, many in enumerate(longer.tolist()):
                units = fullest[:many]
                total[units] += mapped[offsets[units] + place]
        return total


@dataclass(frozen=True, slots=True)
class ColumnSums(BatchFunction):
    """The sum of each column over a unit's rows."""

    width: int

    def __post_init__(self) -> None:
        check.integer("width", self.width, least=1)

    @property
    def columns(self) -> int:
        """As many as there are sums."""
        return self.width

    @property
    def dimension(self) -> int:
        """One entry for each column."""
        return self.width

    def describe(self) -> Json:
        """Return the form of the function."""
        return {"column sums": self.width}

    def map_rows(self, rows: Floats) -> Floats:
        """Return the rows themselves."""
        return rows


@dataclass(frozen=True, slots=True)
class ColumnOffsets(BatchFunction):
    """The sum over a unit's rows of each column's distance from a public center."""

    center: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.center or not all(isinstance(each, float) and math.isfinite(each) for each in self.center):
            raise ParameterError("center", self.center, "finite floats, one for each column")

    @property
    def columns(self) -> int:
        """As many as the center has numbers."""
        return len(self.center)

    @property
    def dimension(self) -> int:
        """One entry for each column."""
        return len(self.center)

    def describe(self) -> Json:
        """Return the form of the function."""
        return {"column offsets": [repr(float(each)) for each in self.center]}

    def map_rows(self, rows: Floats) -> Floats:
        """Return the rows less the center."""
        offsets: Floats = rows - np.array(self.center)
        return offsets


@dataclass(frozen=True, slots=True)
class PieceCounts(BatchFunction):
    """How many of a unit's rows have a value of the one column below the first edge, between each two, and above.

    An edge belongs to the piece above it. Each row is compared with the edges by itself.
    """

    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        finite = all(isinstance(each, float) and math.isfinite(each) for each in self.edges)
        if not self.edges or not finite or any(first >= second for first, second in pairwise(self.edges)):
            raise ParameterError("edges", self.edges, "finite floats, each above the one before")

    @property
    def columns(self) -> int:
        """One."""
        return 1

    @property
    def dimension(self) -> int:
        """One entry for each piece: one more than there are edges."""
        return len(self.edges) + 1

    def describe(self) -> Json:
        """Return the form of the function."""
        return {"piece counts": [repr(float(each)) for each in self.edges]}

    def map_rows(self, rows: Floats) -> Floats:
        """Return a 1 at the place of each row's piece."""
        found = np.zeros((len(rows), self.dimension))
        found[np.arange(len(rows)), np.searchsorted(self.edges, rows[:, 0], side="right")] = 1.0
        return found


@dataclass(frozen=True, slots=True)
class Gradient(BatchFunction):
    """What linear and logistic gradients share: public weights for all columns but the last, which is the label."""

    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.weights or not all(isinstance(each, float) and math.isfinite(each) for each in self.weights):
            raise ParameterError("weights", self.weights, "finite floats, one for each column but the label")

    @property
    def columns(self) -> int:
        """The weighted columns and the label."""
        return len(self.weights) + 1

    @property
    def dimension(self) -> int:
        """One entry for each weight."""
        return len(self.weights)

    @abstractmethod
    def predict(self, scores: Floats) -> Floats:
        """Return the predicted label of each row from the weighted sum of its columns."""

    def map_rows(self, rows: Floats) -> Floats:
        """Return (prediction - label) * columns for each row."""
        scores = np.zeros(len(rows))
        for place, weight in enumerate(self.weights):
            scores += rows[:, place] * weight
        return (self.predict(scores) - rows[:, -1])[:, None] * rows[:, :-1]


@dataclass(frozen=True, slots=True)
class LinearGradient(Gradient):
    """The gradient of half the squared error of a linear model, added up over a unit's rows."""

    def describe(self) -> Json:
        """Return the form of the function."""
        return {"linear gradient": [repr(float(weight)) for weight in self.weights]}

    def predict(self, scores: Floats) -> Floats:
        """Return the scores themselves."""
        return scores


@dataclass(frozen=True, slots=True)
class LogisticGradient(Gradient):
    """The gradient of the log loss of a logistic model with labels 0 and 1, added up over a unit's rows."""

    def describe(self) -> Json:
        """Return the form of the function."""
        return {"logistic gradient": [repr(float(weight)) for weight in self.weights]}

    def predict(self, scores: Floats) -> Floats:
        """Return 1 / (1 + exp(-score)); beyond +-700 floats would overflow, and the result no longer changes."""
        held = np.clip(scores, -700.0, 700.0)
        return 1.0 / (1.0 + np.array([math.exp(-score) for score in held.tolist()]))


BATCH = (ColumnSums, ColumnOffsets, PieceCounts, LinearGradient, LogisticGradient)
"""The closed list of functions that are applied to all units at once."""


def apply_function(function: UnitFunction, dimension: int, rows: Floats, offsets: Ints) -> Floats:
    """Return the vectors of all units: at once for functions of the closed list, else for one unit at a time.

    Whatever goes wrong in a function that somebody wrote may be due to one unit's rows, so it is a failure of the data.
    """
    if isinstance(function, BATCH) and type(function) in BATCH:
        return function.apply_all(rows, offsets)
    found = np.empty((len(offsets) - 1, dimension))
    with np.errstate(all="ignore"):
        for unit, (first, last) in enumerate(pairwise(offsets.tolist())):
            found[unit] = _apply_to_one(function, dimension, rows[first:last].copy())
    return found


def _apply_to_one(function: UnitFunction, dimension: int, rows: Floats) -> Floats:
    try:
        return _read_vector(function.apply(rows), dimension)
    except BaseException as trouble:
        raise FailedError(f"the function failed on a unit's rows: {type(trouble).__name__}") from trouble


def _read_vector(result: object, dimension: int) -> Floats:
    """Return what a function returned as floats; what is no vector of real numbers of its dimension is refused."""
    array = np.asarray(result)
    if array.shape != (dimension,) or array.dtype.kind not in "biuf":
        raise ParameterError.of_data("the vector of a unit", array, f"{dimension} real numbers")
    return array.astype(np.float64)
