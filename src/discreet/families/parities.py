"""Parities: over binary columns, how many more rows have an even number of ones among some columns than an odd one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.domain import MOST_CELLS, CellSource, CellTable, ColumnSet, DenseTable, Domain, RowTable
from discreet.families.family import SIGN, Family, RowBound, Vector
from discreet.families.hadamard import transform
from discreet.families.whole import hold

MOST_WORDS = 1 << 15
"""Words of rows that are looked at together: what stays close to the processor."""

WORTH = 1 << 10
"""Cells that a table of all may have for each parity asked for: about what reading 2^16 rows for one takes."""


@dataclass(frozen=True, slots=True)
class Parities(Family):
    """Parities of binary columns: each mask is a group of one answer, a sum of (-1)^(ones of a row under the mask).

    A mask is a whole number whose bit j (of value 2^j) stands for column j. The mask 0 counts all rows.
    """

    domain: Domain
    masks: tuple[int, ...]

    def __post_init__(self) -> None:
        if set(self.domain.sizes) != {2}:
            raise ParameterError("sizes", self.domain.sizes, "2 for every column: parities are of binary columns")
        if not isinstance(self.masks, tuple) or not self.masks:
            raise ParameterError("masks", self.masks, "a tuple of whole numbers, at least one")
        top = 1 << len(self.domain.sizes)
        for mask in self.masks:
            if type(mask) is not int or not 0 <= mask < top:
                raise ParameterError("mask", mask, f"a whole number below 2^{len(self.domain.sizes)}, a bit a column")
        width = -(-len(self.domain.sizes) // 8)
        # as bytes: Python's hashes of 2^a + 2^b repeat with period 61 in both, so a set of masks would be slow
        if len({mask.to_bytes(width, "little") for mask in self.masks}) < len(self.masks):
            raise ParameterError("masks", len(self.masks), "different masks")

    @classmethod
    def up_to(cls, domain: Domain, order: int) -> Parities:
        """Return all parities of at most so many columns, that of none (the count) first."""
        check.integer("order", order, least=0, most=len(domain.sizes))
        bits = [1 << place for place in domain.columns]
        return cls(domain, tuple(sum(chosen) for size in range(order + 1) for chosen in combinations(bits, size)))

    @property
    def groups(self) -> int:
        """How many masks there are."""
        return len(self.masks)

    def find_columns(self, group: int) -> ColumnSet:
        """Return the columns of a mask."""
        return list_bits(self.masks[self.check_group(group)])

    def count_answers(self, group: int) -> int:
        """Return 1."""
        self.check_group(group)
        return 1

    def answer(self, group: int, table: CellTable) -> Vector:
        """Return a parity: along each column, what has a 0 less what has a 1."""
        left = self.hold_table(group, table).reshape(-1)
        while left.size > 1:
            zeros, ones = left.reshape(2, -1)
            left = zeros - ones
        return np.array(left)

    def spread_back(self, group: int, values: Vector) -> CellTable:
        """Return the number with the sign of each cell."""
        table = self.hold_values(group, values).reshape(())
        for _ in self.find_columns(group):
            table = np.stack([table, -table])
        return np.array(table)

    def bound_row(self, group: int) -> RowBound:
        """Return the bound of a sign."""
        self.check_group(group)
        return SIGN

    def describe(self) -> Json:
        """Return the form: how many columns, and the columns of each mask."""
        return {"parities": {"columns": len(self.domain.sizes), "sets": [list(list_bits(each)) for each in self.masks]}}

    def answer_all(self, source: CellSource) -> list[Vector]:
        """Return all parities: from a table of all cells by one transform, from rows without such a table."""
        return list(self.join_answers(source).reshape(-1, 1))

    def join_answers(self, source: CellSource) -> Vector:
        """Return all parities in one array."""
        if isinstance(source, DenseTable) and source.domain == self.domain and self.domain.cells <= MOST_CELLS:
            return self._transform(source.table)
        if isinstance(source, RowTable) and source.domain == self.domain:
            # whether a table of all cells is worth it depends on public numbers alone: one row must not decide it
            if self.domain.cells <= min(MOST_CELLS, self.groups * WORTH):
                return self._transform(source.project(self.domain.columns))
            return self._count_ones(source)
        tables = (source.project(list_bits(mask)) for mask in self.masks)
        return np.concatenate([self.answer(group, table) for group, table in enumerate(tables)])

    def spread_all(self, values: Vector) -> CellTable:
        """Return the table of all columns with the sum of all parities, each times its number: one transform."""
        if np.shape(values) != (self.groups,):
            raise ParameterError("values", np.shape(values), f"{self.groups} numbers in one dimension")
        held = hold(values)
        numbers = np.zeros(self.domain.check_size(), dtype=held.dtype)
        numbers[self._find_places()] = held
        return transform(numbers).reshape(self.domain.sizes)

    def list_sets(self) -> NDArray[np.int64]:
        """Return the columns of all masks: a line for each, ascending, filled up with -1."""
        width = -(-len(self.domain.sizes) // 8)
        packed = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in self.masks), dtype=np.uint8)
        groups, places = np.nonzero(packed.reshape(-1, width))
        kept, bits = np.nonzero(np.unpackbits(packed[packed != 0][:, None], axis=1, bitorder="little"))
        groups, columns = groups[kept], 8 * places[kept] + bits
        counts = np.bincount(groups, minlength=self.groups)
        found = np.full((self.groups, max(int(counts.max()), 1)), -1)
        found[groups, np.arange(len(groups)) - (np.cumsum(counts) - counts)[groups]] = columns
        return found

    def _transform(self, table: CellTable) -> Vector:
        """Return all parities of a table of all cells."""
        return transform(hold(table).ravel())[self._find_places()]

    def _find_places(self) -> NDArray[np.int64]:
        """Return where the parities stand in a transform. Column 0 is a cell's highest bit, and a mask's lowest."""
        masks = np.array(self.masks, dtype=np.int64)
        places = np.zeros_like(masks)
        for column in self.domain.columns:
            places = 2 * places + (masks >> column & 1)
        return places

    def _count_ones(self, source: RowTable) -> Vector:
        """Return all parities of rows: a bit for each row, 64 rows in a word.

        The exclusive or of a mask's columns has a one for each row that counts -1, so the sum is rows - 2 * ones. Masks
        that differ in their last column alone share the exclusive or of all others.
        """
        words = [_pack(column) for column in source.values]
        every = np.stack(words)
        ones = np.zeros(self.groups, dtype=np.int64)
        for rest, (groups, lasts) in self._share_columns().items():
            shared = np.bitwise_xor.reduce([words[place] for place in list_bits(rest)], axis=0) if rest else None
            step = max(1, MOST_WORDS // every.shape[1])
            for start in range(0, len(groups), step):
                block = every[lasts[start : start + step]]
                if shared is not None:
                    block ^= shared
                ones[groups[start : start + step]] = np.bitwise_count(block).sum(axis=1, dtype=np.int64)
        return source.rows - 2 * ones

    def _share_columns(self) -> dict[int, tuple[list[int], list[int]]]:
        """Return by masks without their last column the groups and last columns of all that have one."""
        found: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for group, mask in enumerate(self.masks):
            if mask:
                last = mask.bit_length() - 1
                groups, lasts = found[mask ^ (1 << last)]
                groups.append(group)
                lasts.append(last)
        return found


def list_bits(mask: int) -> ColumnSet:
    """Return the places of a mask's bits, ascending.

    >>> list_bits(0b1101)
    (0, 2, 3)
    """
    found = []
    while mask:
        found.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return tuple(found)


def join_bits(columns: Iterable[int]) -> int:
    """Return the mask of some columns.

    >>> join_bits((0, 2, 3)) == 0b1101
    True
    """
    return sum(1 << place for place in columns)


def _pack(column: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Return a column of 0 and 1 as bits in whole words, with zeros behind the last row."""
    packed = np.packbits(column.astype(np.uint8, copy=False))
    padded = np.zeros(-(-max(packed.size, 1) // 8) * 8, dtype=np.uint8)
    padded[: packed.size] = packed
    return padded.view(np.uint64)
