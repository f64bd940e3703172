"""Linear families: questions whose answers are sums over rows of a public whole number for each cell.

A family is a list of *groups*. Each group looks at a few columns, and its answers are a linear map of the table of
these columns: a marginal (every cell of it), a parity (one number), a range (one number), a level of a tree. A group is
what a strategy chooses and a desk measures, with one noise.

Sensitivity. Let q(x) be a group's numbers at cell x: `RowBound` says how long q(x) can be, in L1 and squared L2. A unit
with at most m rows moves the answers by a sum of m such vectors: by m |q| at most, in either norm (all rows may lie in
one cell). Under replace neighbours a unit's sum a leaves and another's b enters: |a - b| <= 2 m |q|, and in L2, where
no number is negative, |a - b|^2 <= |a|^2 + |b|^2 <= 2 m^2 |q|^2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.canonical import Json
from discreet.families.domain import Columns, Domain, Source, Table

Values = NDArray[Any]
"""The answers of a group, or of all groups, in one dimension."""


@dataclass(frozen=True, slots=True)
class RowBound:
    """How long the vector of one row can be: its L1 norm, its squared L2 norm, and whether entries may be negative."""

    l1: int
    l2_squared: int
    signed: bool = False

    def bound_l1(self, rows: int, factor: int) -> int:
        """Return how far a unit with so many rows moves the answers in L1; `factor` is 2 under replace neighbours."""
        return factor * rows * self.l1

    def bound_l2_squared(self, rows: int, factor: int) -> int:
        """Return the square of how far a unit with so many rows moves the answers in L2."""
        return (factor**2 if self.signed else factor) * rows**2 * self.l2_squared


class Family(ABC):
    """Linear questions about a domain, in groups. Implementations are frozen dataclasses."""

    domain: Domain

    @property
    @abstractmethod
    def groups(self) -> int:
        """How many groups there are."""

    @abstractmethod
    def find_columns(self, group: int) -> Columns:
        """Return the columns that a group looks at."""

    @abstractmethod
    def count_answers(self, group: int) -> int:
        """Return how many answers a group has."""

    @abstractmethod
    def answer(self, group: int, table: Table) -> Values:
        """Return a group's answers from the table of its columns: exact whole numbers from whole numbers."""

    @abstractmethod
    def spread_back(self, group: int, values: Values) -> Table:
        """Return the table of a group's columns with sum over j of values[j] * q_j in each cell: the transpose."""

    @abstractmethod
    def bound_row(self, group: int) -> RowBound:
        """Return how long the vector of one row is in a group."""

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the family, for its identity."""

    def answer_all(self, source: Source) -> list[Values]:
        """Return the answers of all groups. Families that can compute them together do."""
        tables: dict[Columns, Table] = {}
        for group in range(self.groups):
            columns = self.find_columns(group)
            if columns not in tables:
                tables[columns] = source.project(columns)
        return [self.answer(group, tables[self.find_columns(group)]) for group in range(self.groups)]

    def list_rows(self, group: int) -> Values:
        """Return a group's whole numbers for each cell of its columns: a line for each answer. For small ones."""
        cells = self.domain.check_size(self.find_columns(group))
        shape = self.domain.project(self.find_columns(group)).sizes if self.find_columns(group) else ()
        lines = np.empty((self.count_answers(group), cells), dtype=np.int64)
        for place in range(self.count_answers(group)):
            values = np.zeros(self.count_answers(group), dtype=np.int64)
            values[place] = 1
            lines[place] = self.spread_back(group, values).reshape(shape).ravel()
        return lines
