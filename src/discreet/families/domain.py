"""Finite public domains: so many values in each column, and the cells that they make together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError

Table = NDArray[Any]
"""Numbers by cell, with an axis for each column: whole numbers where rows are counted, floats where they are shares."""

Columns = tuple[int, ...]
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

    def check_columns(self, columns: Columns) -> Columns:
        """Return places of columns, or refuse what are none."""
        known = range(len(self.sizes))
        if not isinstance(columns, tuple) or list(columns) != sorted(set(columns)) or not set(columns) <= set(known):
            raise ParameterError("columns", columns, f"different places from 0 to {len(self.sizes) - 1}, ascending")
        return columns

    def project(self, columns: Columns) -> Domain:
        """Return the domain of some columns."""
        return Domain(tuple(self.sizes[place] for place in self.check_columns(columns)))

    def check_size(self, columns: Columns | None = None) -> int:
        """Return how many cells these columns have, or refuse more than a table may have in memory."""
        cells = self.cells if columns is None else self.project(columns).cells
        if cells > MOST_CELLS:
            raise ParameterError(
                "columns", columns, f"fewer: {cells:,} cells are more than {MOST_CELLS:,} in one table"
            )
        return cells


class Source(Protocol):
    """Where numbers by cell come from: counted rows, a table, or a model of one."""

    @property
    def domain(self) -> Domain:
        """The columns and their sizes."""

    def project(self, columns: Columns) -> Table:
        """Return the table of these columns, all others added up; of no columns: the total, an array of one number."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseTable:
    """A number for each cell of a domain."""

    domain: Domain
    table: Table

    def __post_init__(self) -> None:
        if self.table.shape != self.domain.sizes:
            raise ParameterError("table", self.table.shape, f"an array of shape {self.domain.sizes}")

    def project(self, columns: Columns) -> Table:
        """Return the table of these columns."""
        kept = set(self.domain.check_columns(columns))
        return np.asarray(self.table.sum(axis=tuple(place for place in range(self.table.ndim) if place not in kept)))


@dataclass(frozen=True, slots=True, eq=False)
class RowTable:
    """Rows by the place of their value in each column: one array for each, all of one length."""

    domain: Domain
    values: tuple[NDArray[Any], ...]

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.values}
        if len(self.values) != len(self.domain.sizes) or len(lengths) != 1:
            raise ParameterError("values", len(self.values), f"{len(self.domain.sizes)} arrays of one length")

    def project(self, columns: Columns) -> Table:
        """Return how many rows lie in each cell of these columns: whole numbers."""
        part = tuple(self.domain.sizes[place] for place in self.domain.check_columns(columns))
        if not columns:
            return np.array(len(self.values[0]))
        cells = self.domain.check_size(columns)
        places = np.zeros(len(self.values[0]), dtype=np.int64)
        for place, size in zip(columns, part, strict=True):
            places *= size
            places += self.values[place]
        return np.bincount(places, minlength=cells).reshape(part)
