"""Questions written out: for some columns a matrix of whole numbers, whose bounds are computed from its entries.

This is how people's own questions are asked. A class of their own may do anything, so nothing that it says of its
bounds is believed and it never sees a count: see `closed_list`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.base.canonical import Json, hash_bytes
from discreet.base.errors import ParameterError
from discreet.families.domain import MOST_CELLS, CellTable, ColumnSet, Domain
from discreet.families.family import Family, RowBound, Vector
from discreet.families.whole import hold

LARGEST_ENTRY = 2**31
"""Entries are no larger than this, so that sums of many rows with them stay whole numbers of a useful size."""

MOST_COMPARED = 1 << 24
"""Entries that are compared to find out how far two cells lie apart; beyond that, their distance is bounded."""


@dataclass(frozen=True, slots=True, eq=False)
class WrittenGroup:
    """Some columns, and for each answer a line with a whole number for each of their cells, last column fastest.

    The matrix is copied into bytes that nobody can change, so that what is bounded is what is used.
    """

    columns: ColumnSet
    matrix: NDArray[np.int64]
    bound: RowBound = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", _freeze(self.matrix))
        object.__setattr__(self, "bound", measure_columns(self.matrix))


@dataclass(frozen=True, slots=True, eq=False)
class TableFamily(Family):
    """Questions by their numbers: each group is a matrix over the cells of some columns.

    Bounds are exact: the largest L1 and squared L2 norm of a cell's numbers, and the largest distances between two
    cells, or a cell and no row (for large matrices of several lines, what bounds these).
    """

    domain: Domain
    written: tuple[WrittenGroup, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.written, tuple) or not self.written:
            raise ParameterError("written", self.written, "a tuple of written groups, at least one")
        for each in self.written:
            if type(each) is not WrittenGroup:
                raise ParameterError("written", each, "a tuple of WrittenGroup(columns, matrix)")
            cells = self.domain.check_size(each.columns)
            if each.matrix.shape[1] != cells:
                raise ParameterError("matrix", each.matrix.shape, f"a line of {cells} numbers for each answer")

    @classmethod
    def write(cls, domain: Domain, columns: ColumnSet, matrix: ArrayLike) -> TableFamily:
        """Return the family of one group."""
        return cls(domain, (WrittenGroup(columns, np.asarray(matrix)),))

    @property
    def groups(self) -> int:
        """How many matrices there are."""
        return len(self.written)

    def find_columns(self, group: int) -> ColumnSet:
        """Return the columns of a matrix."""
        return self._find(group).columns

    def count_answers(self, group: int) -> int:
        """Return how many lines a matrix has."""
        return len(self._find(group).matrix)

    def answer(self, group: int, table: CellTable) -> Vector:
        """Return the product of a matrix with a table."""
        held = self.hold_table(group, table).reshape(-1)
        return np.asarray(self._find(group).matrix.astype(held.dtype, copy=False) @ held)

    def spread_back(self, group: int, values: Vector) -> CellTable:
        """Return the product of a matrix's transpose with numbers."""
        held = self.hold_values(group, values)
        table = held @ self._find(group).matrix.astype(held.dtype, copy=False)
        return np.asarray(table).reshape(self.domain.find_shape(self.find_columns(group)))

    def bound_row(self, group: int) -> RowBound:
        """Return the bounds of a matrix, from its entries."""
        return self._find(group).bound

    def describe(self) -> Json:
        """Return the form: sizes, and for each group its columns, its shape and the hash of its numbers."""
        parts: list[Json] = [
            {"columns": list(each.columns), "answers": len(each.matrix), "sha256": _hash(each.matrix)}
            for each in self.written
        ]
        return {"written": {"sizes": list(self.domain.sizes), "groups": parts}}

    def list_rows(self, group: int) -> Vector:
        """Return a matrix as it was written."""
        return self._find(group).matrix

    def _find(self, group: int) -> WrittenGroup:
        return self.written[self.check_group(group)]


def measure_columns(matrix: NDArray[np.int64]) -> RowBound:
    """Return the largest norms of a matrix's columns, and the largest distances between two of them or one and 0.

    Distances of large matrices are bounded: by what follows from lengths, and by how far each line's numbers and 0 lie
    apart, all lines together (exact for one line).
    """
    signed = bool((matrix < 0).any())
    cells = np.unique(matrix, axis=1) if matrix.shape[1] <= 4096 else matrix
    l1, l2_squared = _measure(cells)
    if cells.size * cells.shape[1] > MOST_COMPARED:
        spans = np.maximum(cells.max(axis=1), 0) - np.minimum(cells.min(axis=1), 0)
        span_l1, span_l2_squared = _measure(spans[:, None])
        lengths = (4 if signed else 2) * l2_squared
        return RowBound(l1, l2_squared, signed, min(2 * l1, span_l1), min(lengths, span_l2_squared))
    apart = [(l1, l2_squared), *(_measure(cells - cells[:, [place]]) for place in range(cells.shape[1]))]
    return RowBound(l1, l2_squared, signed, max(far for far, _ in apart), max(far for _, far in apart))


def _measure(columns: NDArray[np.int64]) -> tuple[int, int]:
    """Return the largest L1 norm and squared L2 norm of columns, exactly."""
    magnitudes = np.abs(columns)
    held = hold(magnitudes, max(int(magnitudes.max()), 1))  # no entry's square, nor a sum of them, wraps
    return int(held.sum(axis=0).max()), int((held * held).sum(axis=0).max())


def _freeze(matrix: Any) -> NDArray[np.int64]:
    """Return a matrix of whole numbers that cannot be written to, or refuse what is none."""
    array = np.asarray(matrix)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "biu":
        raise ParameterError.of_data("matrix", array, "whole numbers: a line for each answer, a number for each cell")
    if array.size > MOST_CELLS:
        raise ParameterError("matrix", array.shape, f"smaller: it may have {MOST_CELLS:,} entries")
    if max(int(array.max()), -int(array.min())) > LARGEST_ENTRY:
        raise ParameterError("matrix", array.shape, f"of whole numbers from -{LARGEST_ENTRY} to {LARGEST_ENTRY}")
    if not array.any():
        raise ParameterError("matrix", array.shape, "one with a number other than 0: this one asks nothing")
    return np.frombuffer(array.astype(np.int64).tobytes(), dtype=np.int64).reshape(array.shape)


def _hash(matrix: NDArray[np.int64]) -> str:
    return hash_bytes(matrix.astype("<i8").tobytes())
