"""What every engine returns, and what a run of one can do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.plan.expressions import Constant

KeyValues = tuple[Constant, ...]
"""One value for each key of a set."""


@dataclass(frozen=True, slots=True)
class GroupedSums:
    """One set's exact bounded aggregates, before noise: `sums[measure][key]`, and `cells[measure][key]` for ranks.

    Keys of public domains are counted in their order, the last one fastest, and those without rows are there, with
    zeros; `keys` is None. Keys that come from the data are listed in `keys`, in no order that means anything, and
    `units` says how many distinct units each has. Cells are how many values lie at each grid point, counted from the
    grid's lower end; points without any are left out.
    """

    sums: tuple[tuple[int, ...], ...]
    cells: Mapping[int, tuple[Mapping[int, int], ...]] = field(default_factory=dict)
    keys: tuple[KeyValues, ...] | None = None
    units: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ExactResult:
    """The exact bounded aggregates of every set of keys. Never shown to anybody."""

    sets: tuple[GroupedSums, ...]


Points = NDArray[np.int64]
"""Whole numbers of 64 bits: grid points, or places of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactRows:
    """The rows of all units, as grid points: those of unit u are `points[offsets[u]:offsets[u + 1]]`.

    Units are in no order that means anything; rows of one are in the order of their points. Never shown to anybody.
    """

    points: Points
    offsets: Points

    @property
    def units(self) -> int:
        """How many units have a row."""
        return len(self.offsets) - 1


def split_units(offsets: Points, most: int) -> Iterator[tuple[int, int]]:
    """Yield runs of units, first and last, with at most `most` rows in each, or one unit."""
    first, units = 0, len(offsets) - 1
    while first < units:
        last = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        last = min(max(last, first + 1), units)
        yield first, last
        first = last


def stack_columns(columns: Iterable[NDArray[Any]]) -> Points:
    """Return columns of whole numbers of at most 64 bits, none of them NULL, as one array with a line for each row."""
    return np.column_stack([column.astype(np.int64, casting="safe") for column in columns])


E = TypeVar("E", covariant=True)


class Run(Protocol[E]):
    """A plan being run."""

    def progress(self) -> float:
        """Return how much is done, from 0 to 1, or a negative number where it is not known. For the operator only."""

    def cancel(self) -> None:
        """Stop as soon as possible."""

    def wait(self, seconds: float) -> bool:
        """Wait this long at most; say whether it is done."""

    def result(self) -> E:
        """Wait for the result."""
