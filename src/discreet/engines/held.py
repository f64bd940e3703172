"""Rows of a plan that are held for one run, and what is computed of them: whole numbers, added up over units.

A desk asks for the sum over all units of a function that is one of `gradients/`. Where rows are held is the engine's to
say: in the memory of the desk, or on the machines of a cluster. It makes no difference to the sum. A unit's share is a
function of its own rows and of public numbers, to the last bit, and shares are whole numbers: they add up to the same
in whatever groups of units, in whatever order, and as often as a group is computed anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from discreet.engines.result import ExactRows, Points, Run
from discreet.gradients.encoding import EncodedRows, Encoding

E = TypeVar("E")

UnitSum = Callable[[EncodedRows, Points], list[int]]
"""The sum over some units, all rows of each: those of unit u are `rows[offsets[u]:offsets[u + 1]]`.

A pure function that can be pickled: those of `gradients/` are. Over no units it gives as many zeros as it has entries.
"""


@dataclass(frozen=True, slots=True, eq=False)
class RowTally:
    """The different rows, in the order of their points, and how often each is there. Never shown to anybody."""

    points: Points
    counts: Points


class Wait(Protocol):
    """How a run of an engine is waited for: whoever cancels the whole cancels it too."""

    def __call__(self, start: Callable[[], Run[E]]) -> E:
        """Begin a run, and return its result."""


class HeldRows(Protocol):
    """The rows that units keep, all of one state of the tables. Only a desk sees what these return."""

    def read(self) -> ExactRows:
        """Return all rows, at the desk."""

    def count(self) -> int:
        """Return how many rows there are."""

    def tally(self) -> RowTally:
        """Return the different rows, and how often each is there: all that counts by cell need."""

    def sum(self, encoding: Encoding, function: UnitSum) -> list[int]:
        """Return the sum of a function over all units, whose rows become features once for each encoding."""

    def close(self) -> None:
        """Let go of the rows. Raises nothing."""


class MemoryRows:
    """Rows in the memory of the desk, read once, when something first needs them."""

    def __init__(self, read: Callable[[], ExactRows]) -> None:
        self._fetch = read
        self._rows: ExactRows | None = None
        self._encoded: tuple[Encoding, EncodedRows] | None = None

    def read(self) -> ExactRows:
        """Return all rows."""
        if self._rows is None:
            self._rows = self._fetch()
        return self._rows

    def count(self) -> int:
        """Return how many rows there are."""
        return len(self.read().points)

    def tally(self) -> RowTally:
        """Return the different rows, and how often each is there."""
        points = self.read().points
        return merge_rows(points, np.ones(len(points), dtype=np.int64))

    def sum(self, encoding: Encoding, function: UnitSum) -> list[int]:
        """Return the sum of a function over all units; features of one encoding are held at a time."""
        rows = self.read()
        if self._encoded is None or self._encoded[0] != encoding:
            self._encoded = encoding, encoding.encode(rows.points)
        return function(self._encoded[1], rows.offsets)

    def close(self) -> None:
        """Let go of the rows."""
        self._rows = self._encoded = None


def merge_rows(points: Points, counts: Points) -> RowTally:
    """Return rows with equal ones put together, and their counts added up."""
    order = np.lexsort(points.T[::-1])
    points = points[order]
    first = np.flatnonzero(np.append(True, np.any(points[1:] != points[:-1], axis=1))[: len(points)])
    return RowTally(points[first], np.add.reduceat(counts[order], first) if len(first) else counts[:0])
