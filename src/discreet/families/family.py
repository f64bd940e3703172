"""Linear families: questions whose answers are sums over rows of a public whole number for each cell.

A family is a list of *groups*. Each group looks at a few columns, and its answers are a linear map of the table of
these columns: a marginal (every cell of it), a parity (one number), a range (one number), all levels of a tree. A group
is what a strategy chooses and a desk measures, with one noise.

Sensitivity. Let q(x) be a group's numbers at cell x: `RowBound` says how long q(x) can be, in L1 and squared L2, and
how far q(x) can lie from q(y), and from no row at all. A unit with at most m rows moves the answers by a sum of m such
vectors: by m |q| at most, in either norm, and just that where all rows lie in one cell. Under replace neighbours a
unit's m rows or fewer become others: with no row counted as 0, m pairs, so the answers move by m max |q(x) - q(y)|.
That is at most 2 |q|; in squared L2, where no number is negative, |q(x) - q(y)|^2 <= |q(x)|^2 + |q(y)|^2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.domain import CellSource, CellTable, ColumnSet, DenseTable, Domain
from discreet.families.whole import hold

Vector = NDArray[Any]
"""The answers of a group, or of all groups, in one dimension."""


@dataclass(frozen=True, slots=True)
class RowBound:
    """How long the vector of one row can be: its L1 norm, its squared L2 norm, and whether entries may be negative.

    `apart_l1` and `apart_l2_squared` say how far the vectors of two rows, or of one and none, can lie apart. Where they
    are not given, they are what follows from the lengths: twice the L1 norm; twice the squared L2 norm, or four times
    where entries may be negative.
    """

    l1: int
    l2_squared: int
    signed: bool = False
    apart_l1: int | None = None
    apart_l2_squared: int | None = None

    def bound_l1(self, rows: int, factor: int) -> int:
        """Return how far a unit with so many rows moves the answers in L1; `factor` is 2 under replace neighbours."""
        if check.integer("factor", factor, least=1, most=2) == 1:
            return rows * self.l1
        return rows * (2 * self.l1 if self.apart_l1 is None else self.apart_l1)

    def bound_l2_squared(self, rows: int, factor: int) -> int:
        """Return the square of how far a unit with so many rows moves the answers in L2."""
        if check.integer("factor", factor, least=1, most=2) == 1:
            return rows**2 * self.l2_squared
        if self.apart_l2_squared is None:
            return rows**2 * (4 if self.signed else 2) * self.l2_squared
        return rows**2 * self.apart_l2_squared


PARTITION = RowBound(1, 1)
"""Every row in one cell: two rows lie 2 apart in L1 and the root of 2 in L2."""

COUNT = RowBound(1, 1, apart_l1=1, apart_l2_squared=1)
"""One number, 0 or 1 for each row: another row in its place moves it by 1 as well."""

SIGN = RowBound(1, 1, signed=True)
"""One number, 1 or -1 for each row: another row in its place moves it by 2."""


class Family(ABC):
    """Linear questions about a domain, in groups. Implementations are frozen dataclasses."""

    domain: Domain

    @property
    @abstractmethod
    def groups(self) -> int:
        """How many groups there are."""

    @abstractmethod
    def find_columns(self, group: int) -> ColumnSet:
        """Return the columns that a group looks at."""

    @abstractmethod
    def count_answers(self, group: int) -> int:
        """Return how many answers a group has."""

    @abstractmethod
    def answer(self, group: int, table: CellTable) -> Vector:
        """Return a group's answers from the table of its columns: exact whole numbers from whole numbers."""

    @abstractmethod
    def spread_back(self, group: int, values: Vector) -> CellTable:
        """Return the table of a group's columns with sum over j of values[j] * q_j in each cell: the transpose."""

    @abstractmethod
    def bound_row(self, group: int) -> RowBound:
        """Return how long the vector of one row is in a group."""

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the family, for its identity."""

    def answer_all(self, source: CellSource) -> list[Vector]:
        """Return the answers of all groups. Families that can compute them together do."""
        sets = [self.find_columns(group) for group in range(self.groups)]
        tables = project_sets(source, sets)
        return [self.answer(group, tables[columns]) for group, columns in enumerate(sets)]

    def join_answers(self, source: CellSource) -> Vector:
        """Return the answers of all groups one after the other, in one array."""
        return np.concatenate(self.answer_all(source))

    def list_rows(self, group: int) -> Vector:
        """Return a group's whole numbers for each cell of its columns: a line for each answer. For small ones."""
        count, cells = self.count_answers(group), self.domain.check_size(self.find_columns(group))
        lines = np.empty((count, cells), dtype=np.int64)
        for place in range(count):
            values = np.zeros(count, dtype=np.int64)
            values[place] = 1
            lines[place] = _check_whole(self.spread_back(group, values), cells)
        return lines

    def check_group(self, group: int) -> int:
        """Return the number of a group, or refuse what is none."""
        return check.integer("group", group, least=0, most=self.groups - 1)

    def hold_table(self, group: int, table: CellTable) -> CellTable:
        """Return the table of a group's columns in a type in which its answers do not wrap, or refuse another shape.

        An answer adds up every cell with a number of at most |q|, so with magnitude of at most l1.
        """
        shape = self.domain.find_shape(self.find_columns(group))
        if np.shape(table) != shape:
            raise ParameterError("table", np.shape(table), f"an array of shape {shape}")
        return hold(table, self.bound_row(group).l1)

    def hold_values(self, group: int, values: ArrayLike) -> Vector:
        """Return a number for each answer of a group in a type in which their sums by cell do not wrap."""
        self.domain.check_size(self.find_columns(group))
        if np.shape(values) != (self.count_answers(group),):
            raise ParameterError("values", np.shape(values), f"{self.count_answers(group)} numbers in one dimension")
        return hold(values, self.bound_row(group).l1)


def project_sets(source: CellSource, sets: Iterable[ColumnSet]) -> dict[ColumnSet, CellTable]:
    """Return the table of each column set, once for each."""
    if isinstance(source, DenseTable):
        return source.project_all(sets)
    return {columns: source.project(columns) for columns in dict.fromkeys(sets)}


def _check_whole(numbers: ArrayLike, cells: int) -> Vector:
    """Return a whole number for each cell, or refuse what would have to be rounded to be one."""
    line = np.asarray(numbers).reshape(-1)
    if line.size != cells or line.dtype.kind not in "biuf" or not np.all((np.rint(line) == line) & (abs(line) < 2**53)):
        raise ParameterError.of_data("spread_back", line, f"{cells} whole numbers, one for each cell")
    return line.astype(np.int64)
