"""Marginals: how many rows lie in each cell of a few columns, with values merged into public bins where one wishes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.domain import CellTable, ColumnSet, Domain
from discreet.families.family import PARTITION, Family, RowBound, Vector

Bins = tuple[int, ...]
"""The bin of each value of a column: whole numbers from 0, none left out. Not in bins: ()."""


@dataclass(frozen=True, slots=True)
class Marginals(Family):
    """The cells of several sets of columns: each set is a group.

    `bins` merges values of columns: nothing, or for each column the bin of each of its values, with () for a column
    that is left as it is. Bins are public. Either way a group is a partition of the rows: every row lies in one cell.
    """

    domain: Domain
    sets: tuple[ColumnSet, ...]
    bins: tuple[Bins, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.sets, tuple) or not self.sets:
            raise ParameterError("sets", self.sets, "a tuple of sets of columns, at least one")
        for columns in self.sets:
            self.domain.check_size(columns)
        if len(set(self.sets)) < len(self.sets):
            raise ParameterError("sets", self.sets, "different sets of columns")
        _check_bins(self.domain, self.bins)

    @classmethod
    def of_order(cls, domain: Domain, order: int, bins: tuple[Bins, ...] = ()) -> Marginals:
        """Return all marginals of so many columns."""
        check.integer("order", order, least=0, most=len(domain.sizes))
        return cls(domain, tuple(combinations(domain.columns, order)), bins)

    @classmethod
    def up_to(cls, domain: Domain, order: int, bins: tuple[Bins, ...] = ()) -> Marginals:
        """Return all marginals of at least one and at most so many columns."""
        check.integer("order", order, least=1, most=len(domain.sizes))
        sets = chain.from_iterable(combinations(domain.columns, size) for size in range(1, order + 1))
        return cls(domain, tuple(sets), bins)

    @classmethod
    def in_blocks(cls, domain: Domain, columns: ColumnSet, widths: Sequence[int]) -> Marginals:
        """Return one marginal whose values are merged into blocks of so many neighbours: the last may be smaller."""
        domain.check_columns(columns)
        if len(widths) != len(columns):
            raise ParameterError("widths", widths, f"a width for each of {len(columns)} columns")
        bins: list[Bins] = [()] * len(domain.sizes)
        for place, width in zip(columns, widths, strict=True):
            if check.integer("width", width, least=1, most=domain.sizes[place]) > 1:
                bins[place] = tuple(value // width for value in range(domain.sizes[place]))
        return cls(domain, (columns,), tuple(bins) if any(bins) else ())

    @property
    def groups(self) -> int:
        """How many sets there are."""
        return len(self.sets)

    def find_columns(self, group: int) -> ColumnSet:
        """Return a set of columns."""
        return self.sets[self.check_group(group)]

    def find_answer_shape(self, group: int) -> tuple[int, ...]:
        """Return the shape of a group's answers, with an axis for each column: its values, or its bins."""
        return tuple(
            max(self._find_bins(place)) + 1 if self._find_bins(place) else self.domain.sizes[place]
            for place in self.find_columns(group)
        )

    def count_answers(self, group: int) -> int:
        """Return how many cells a marginal has."""
        return math.prod(self.find_answer_shape(group))

    def answer(self, group: int, table: CellTable) -> Vector:
        """Return the counts of all cells, with the last column fastest."""
        found = self.hold_table(group, table)
        for axis, place in enumerate(self.find_columns(group)):
            if bins := self._find_bins(place):
                order = np.argsort(bins, kind="stable")
                starts = np.searchsorted(np.asarray(bins)[order], range(max(bins) + 1))
                found = np.add.reduceat(found.take(order, axis=axis), starts, axis=axis)
        return np.array(found).reshape(-1)

    def spread_back(self, group: int, values: Vector) -> CellTable:
        """Return each cell's own number, or its bins'."""
        found = self.hold_values(group, values).reshape(self.find_answer_shape(group))
        for axis, place in enumerate(self.find_columns(group)):
            if bins := self._find_bins(place):
                found = found.take(bins, axis=axis)
        return np.array(found)

    def bound_row(self, group: int) -> RowBound:
        """Return the bound of a partition."""
        self.check_group(group)
        return PARTITION

    def describe(self) -> Json:
        """Return the form: sizes, sets and bins."""
        form: dict[str, Json] = {"sizes": list(self.domain.sizes), "sets": [list(columns) for columns in self.sets]}
        return {"marginals": form | ({"bins": [list(bins) for bins in self.bins]} if any(self.bins) else {})}

    def _find_bins(self, place: int) -> Bins:
        return self.bins[place] if self.bins else ()


def _check_bins(domain: Domain, bins: tuple[Bins, ...]) -> None:
    """Refuse bins that are no partition of a column's values."""
    if not isinstance(bins, tuple) or (bins and len(bins) != len(domain.sizes)):
        raise ParameterError("bins", bins, f"a tuple of bins for each of {len(domain.sizes)} columns, () where none")
    for each, size in zip(bins, domain.sizes, strict=False):
        if not isinstance(each, tuple) or (each and len(each) != size):
            raise ParameterError("bins", each, f"the bin of each of {size} values")
        for place in each:
            check.integer("bin", place, least=0)
        if set(each) != set(range(len(set(each)))):
            raise ParameterError("bins", each, "whole numbers from 0, none left out")
