"""Finite public domains: so many values in each column, and the cells that they make together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.families.passes import project_all
from discreet.families.whole import hold

CellTable = NDArray[Any]
"""Numbers by cell, with an axis for each column: whole numbers where rows are counted, floats where they are shares."""

ColumnSet = tuple[int, ...]
"""Places of columns, in ascending order."""

MOST_CELLS = 1 << 26
"""Cells of one table that is held in memory whole."""


@dataclass(frozen=True, slots=True)
class Domain:
    """How many values each column has. Cells are numbered with the last column fastest."""

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, tuple) or not self.sizes:
            raise ParameterError("sizes", self.sizes, "a tuple with the number of values of each column")
        for size in self.sizes:
            check.integer("size", size, least=1)

    @property
    def cells(self) -> int:
        """How many cells all columns have together: a Python integer, however many."""
        return math.prod(self.sizes)

    @property
    def columns(self) -> ColumnSet:
        """The places of all columns."""
        return tuple(range(len(self.sizes)))

    def check_columns(self, columns: ColumnSet) -> ColumnSet:
        """Return places of columns, or refuse what are none."""
        if (
            not isinstance(columns, tuple)
            or any(isinstance(place, bool) or not isinstance(place, int) for place in columns)
            or list(columns) != sorted(set(columns))
            or (columns and not 0 <= columns[0] <= columns[-1] < len(self.sizes))
        ):
            raise ParameterError("columns", columns, f"different places from 0 to {len(self.sizes) - 1}, ascending")
        return columns

    def find_shape(self, columns: ColumnSet) -> tuple[int, ...]:
        """Return the shape of the table of these columns: the sizes of each; of no columns, ()."""
        return tuple(self.sizes[place] for place in self.check_columns(columns))

    def project(self, columns: ColumnSet) -> Domain:
        """Return the domain of some columns, at least one."""
        return Domain(self.find_shape(columns))

    def check_size(self, columns: ColumnSet | None = None) -> int:
        """Return how many cells these columns have (no columns: 1), or refuse more than a table may have in memory."""
        cells = self.cells if columns is None else math.prod(self.find_shape(columns))
        if cells > MOST_CELLS:
            raise ParameterError(
                "columns", columns, f"fewer: {cells:,} cells are more than {MOST_CELLS:,} in one table"
            )
        return cells


class CellSource(Protocol):
    """Where numbers by cell come from: counted rows, a table, or a model of one."""

    @property
    def domain(self) -> Domain:
        """The columns and their sizes."""

    def project(self, columns: ColumnSet) -> CellTable:
        """Return the table of these columns, all others added up; of no columns: the total, an array of one number."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseTable:
    """A number for each cell of a domain."""

    domain: Domain
    table: CellTable

    def __post_init__(self) -> None:
        if np.shape(self.table) != self.domain.sizes:
            raise ParameterError("table", np.shape(self.table), f"an array of shape {self.domain.sizes}")

    def project(self, columns: ColumnSet) -> CellTable:
        """Return the table of these columns; sums of whole numbers do not wrap."""
        kept = set(self.domain.check_columns(columns))
        table = hold(self.table)
        return np.asarray(table.sum(axis=tuple(place for place in range(table.ndim) if place not in kept)))

    def project_all(self, wanted: Iterable[ColumnSet]) -> dict[ColumnSet, CellTable]:
        """Return the tables of many column sets, with sums that sets share made once (`families/passes.py`)."""
        sets = [self.domain.check_columns(columns) for columns in dict.fromkeys(wanted)]
        return project_all(self.domain.sizes, hold(self.table), sets)


@dataclass(frozen=True, slots=True, eq=False)
class RowTable:
    """Rows by the place of their value in each column: one array for each column, all of one length.

    Places must be whole numbers from 0 to the column's size - 1. Whoever makes them maps every value to one of these
    (what is unknown or missing to a place of its own), so nothing here depends on what rows hold.
    """

    domain: Domain
    values: tuple[NDArray[Any], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.values, tuple) or len(self.values) != len(self.domain.sizes):
            raise ParameterError.of_data("values", self.values, f"a tuple of {len(self.domain.sizes)} arrays")
        for column, size in zip(self.values, self.domain.sizes, strict=True):
            if not isinstance(column, np.ndarray) or column.dtype.kind not in "iu" or column.ndim != 1:
                raise ParameterError.of_data("values", column, "arrays of whole numbers in one dimension")
            if len(column) and not 0 <= int(column.min()) <= int(column.max()) < size:
                raise ParameterError.of_data("values", column, f"places from 0 to {size - 1} in a column of {size}")
        if len({len(column) for column in self.values}) != 1:
            raise ParameterError("values", [len(column) for column in self.values], "arrays of one length")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.values[0])

    def project(self, columns: ColumnSet) -> CellTable:
        """Return how many rows lie in each cell of these columns: whole numbers."""
        shape = self.domain.find_shape(columns)
        if not columns:
            return np.array(self.rows, dtype=np.int64)
        cells = self.domain.check_size(columns)
        places = np.zeros(self.rows, dtype=np.int64)
        for place, size in zip(columns, shape, strict=True):
            places *= size
            places += self.values[place].astype(np.int64, copy=False)
        return np.bincount(places, minlength=cells).reshape(shape)
