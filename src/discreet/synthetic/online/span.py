"""Which counts follow from others at all: the span of released sets of cells, by elimination modulo a prime.

Where a set is a sum of released ones with fractions as factors, it is one modulo the prime as well, unless the prime
divides a denominator. So what is outside the span need not be solved for; what is inside is solved and checked exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PRIME = 2**31 - 1

PROBES = 64
"""Cells that are looked at first: a set with something left at one of them is outside of the span."""

Numbers = NDArray[np.int64]


class CellSpan:
    """The span of sets of cells, as rows of which each is alone in having a number at its own cell."""

    def __init__(self, cells: int) -> None:
        self._table: Numbers = np.zeros((8, cells), dtype=np.int64)
        self._pivots: Numbers = np.zeros(0, dtype=np.int64)
        self._probes = np.arange(0, cells, max(1, cells // PROBES))

    @property
    def rank(self) -> int:
        """How many sets of it are independent."""
        return len(self._pivots)

    @property
    def _rows(self) -> Numbers:
        return self._table[: self.rank]

    def add(self, cells: NDArray[np.bool_]) -> None:
        """Let a set be part of the span."""
        rest = self._reduce(cells, slice(None))
        places = np.flatnonzero(rest)
        if not len(places):
            return
        pivot = int(places[0])
        row = rest * pow(int(rest[pivot]), -1, PRIME) % PRIME
        touched = np.flatnonzero(self._rows[:, pivot])
        self._table[touched] = (self._table[touched] - self._table[touched, pivot, None] * row % PRIME) % PRIME
        if self.rank == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        self._table[self.rank] = row
        self._pivots = np.append(self._pivots, pivot)

    def holds(self, cells: NDArray[np.bool_]) -> bool:
        """Say whether a set is in the span."""
        return not self._reduce(cells, self._probes).any() and not self._reduce(cells, slice(None)).any()

    def _reduce(self, cells: NDArray[np.bool_], places: Numbers | slice) -> Numbers:
        """Return what is left of a set, at these places, once all rows of the span are taken away from it.

        The set is 1 at every pivot that it has, and no other row has a number there: so each such row is taken once.
        """
        used = np.flatnonzero(cells[self._pivots])
        taken = self._rows[used] if isinstance(places, slice) else self._rows[np.ix_(used, places)]
        left: Numbers = (cells[places].astype(np.int64) - taken.sum(axis=0)) % PRIME
        return left
