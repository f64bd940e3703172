"""Ranges: how many rows lie in a box of one or two columns; all boxes are answered from one table of running sums."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.domain import CellSource, CellTable, ColumnSet, Domain
from discreet.families.family import COUNT, Family, RowBound, Vector
from discreet.families.whole import hold

Box = tuple[tuple[int, int], ...]
"""For each column the first value inside, and the first one beyond: as in Python's `range`."""


@dataclass(frozen=True, slots=True)
class Ranges(Family):
    """Boxes of one or two columns: each box is a group of one answer."""

    domain: Domain
    columns: ColumnSet
    boxes: tuple[Box, ...]

    def __post_init__(self) -> None:
        shape = _check_columns(self.domain, self.columns)
        if not isinstance(self.boxes, tuple) or not self.boxes:
            raise ParameterError("boxes", self.boxes, "a tuple of boxes, at least one")
        for box in self.boxes:
            _check_box(box, shape)

    @classmethod
    def prefixes(cls, domain: Domain, columns: ColumnSet) -> Ranges:
        """Return all boxes that begin at the first value: values below each of the others, and all values."""
        shape = _check_columns(domain, columns)
        return cls(domain, columns, tuple(product(*([(0, high) for high in range(1, size + 1)] for size in shape))))

    @classmethod
    def thresholds(cls, domain: Domain, columns: ColumnSet) -> Ranges:
        """Return all boxes that end at the last value: values from each one on."""
        shape = _check_columns(domain, columns)
        return cls(domain, columns, tuple(product(*([(low, size) for low in range(size)] for size in shape))))

    @classmethod
    def every(cls, domain: Domain, column: int) -> Ranges:
        """Return all ranges of one column."""
        (size,) = _check_columns(domain, (column,))
        spans = (((low, high),) for low in range(size) for high in range(low + 1, size + 1))
        return cls(domain, (column,), tuple(spans))

    @property
    def groups(self) -> int:
        """How many boxes there are."""
        return len(self.boxes)

    def find_columns(self, group: int) -> ColumnSet:
        """Return the columns, the same for all boxes."""
        self.check_group(group)
        return self.columns

    def count_answers(self, group: int) -> int:
        """Return 1."""
        self.check_group(group)
        return 1

    def answer(self, group: int, table: CellTable) -> Vector:
        """Return how many rows lie in a box."""
        inside = self.hold_table(group, table)[self._slice(group)]
        return np.array([inside.sum()], dtype=inside.dtype)

    def spread_back(self, group: int, values: Vector) -> CellTable:
        """Return the box's number inside, and 0 outside."""
        held = self.hold_values(group, values)
        table = np.zeros(self.domain.find_shape(self.columns), dtype=held.dtype)
        table[self._slice(group)] = held[0]
        return table

    def bound_row(self, group: int) -> RowBound:
        """Return the bound of a count."""
        self.check_group(group)
        return COUNT

    def describe(self) -> Json:
        """Return the form: sizes, columns and boxes."""
        boxes = [[list(span) for span in box] for box in self.boxes]
        return {"ranges": {"sizes": list(self.domain.sizes), "columns": list(self.columns), "boxes": boxes}}

    def answer_all(self, source: CellSource) -> list[Vector]:
        """Return the answers of all boxes, from one table of running sums."""
        return list(self.join_answers(source).reshape(-1, 1))

    def join_answers(self, source: CellSource) -> Vector:
        """Return the answers of all boxes in one array.

        The number in a box of running sums S is S at its upper corner, less those one side below, plus the one that
        was taken away twice. No step is larger than 4 times the sum of magnitudes, which is held.
        """
        table = hold(source.project(self.columns), 4)
        sums = np.zeros([size + 1 for size in table.shape], dtype=table.dtype)
        sums[(slice(1, None),) * table.ndim] = table
        for axis in range(table.ndim):
            sums = np.cumsum(sums, axis=axis, dtype=table.dtype)
        answers = np.zeros(self.groups, dtype=table.dtype)
        for sign, corner in self._list_corners():
            answers = answers + sign * sums[corner]
        return answers

    def spread_all(self, values: Vector) -> CellTable:
        """Return the sum of what `spread_back` gives for every box, from a number for each: by one difference array.

        Differences begin at lower corners and end at upper ones, so with two columns signs are those of running sums,
        and with one they are the other way round.
        """
        if np.shape(values) != (self.groups,):
            raise ParameterError("values", np.shape(values), f"{self.groups} numbers in one dimension")
        held = hold(values, 4)
        table = np.zeros([size + 1 for size in self.domain.find_shape(self.columns)], dtype=held.dtype)
        for sign, corner in self._list_corners():
            np.add.at(table, corner, (-1) ** table.ndim * sign * held)
        for axis in range(table.ndim):
            table = np.cumsum(table, axis=axis, dtype=held.dtype)
        return table[(slice(0, -1),) * table.ndim]

    def _slice(self, group: int) -> tuple[slice, ...]:
        return tuple(slice(low, high) for low, high in self.boxes[self.check_group(group)])

    def _list_corners(self) -> list[tuple[int, tuple[NDArray[np.int64], ...]]]:
        """Return the corners of all boxes with their signs: minus for every side that is a lower one."""
        ends = np.array(self.boxes, dtype=np.int64)
        return [
            ((-1) ** side.count(0), tuple(ends[:, axis, end] for axis, end in enumerate(side)))
            for side in product((0, 1), repeat=len(self.columns))
        ]


def _check_columns(domain: Domain, columns: ColumnSet) -> tuple[int, ...]:
    """Return the sizes of one or two columns."""
    shape = domain.find_shape(columns)
    if not 1 <= len(columns) <= 2:
        raise ParameterError("columns", columns, "one or two places of columns")
    domain.check_size(columns)
    return shape


def _check_box(box: Box, shape: tuple[int, ...]) -> None:
    """Refuse a box that is empty, that leaves its columns, or that has other columns."""
    wanted = " and ".join(f"(low, high) with 0 <= low < high <= {size}" for size in shape)
    if not isinstance(box, tuple) or len(box) != len(shape):
        raise ParameterError("box", box, f"a tuple of {wanted}")
    for span, size in zip(box, shape, strict=True):
        if (
            not isinstance(span, tuple)
            or len(span) != 2
            or any(isinstance(end, bool) or not isinstance(end, int) for end in span)
            or not 0 <= span[0] < span[1] <= size
        ):
            raise ParameterError("box", box, f"a tuple of {wanted}")
