"""Which counts follow from others at all: the span of released sets of cells, by elimination modulo a prime.

Where a set is a sum of released ones with fractions as factors, it is one modulo the prime as well, unless the prime
divides a denominator. So what is outside the span need not be solved for; what is inside is solved and checked exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PRIME = 2**31 - 1

Numbers = NDArray[np.int64]


class CellSpan:
    """The span of sets of cells, as rows of which each is alone in having a number at its own cell."""

    def __init__(self, cells: int) -> None:
        self._rows: Numbers = np.zeros((0, cells), dtype=np.int64)
        self._pivots: list[int] = []

    @property
    def rank(self) -> int:
        """How many sets of it are independent."""
        return len(self._pivots)

    def add(self, cells: NDArray[np.bool_]) -> None:
        """Let a set be part of the span."""
        rest = self._reduce(cells)
        places = np.flatnonzero(rest)
        if not len(places):
            return
        pivot = int(places[0])
        row = rest * pow(int(rest[pivot]), -1, PRIME) % PRIME
        factors = self._rows[:, pivot]
        touched = np.flatnonzero(factors)
        self._rows[touched] = (self._rows[touched] - factors[touched, None] * row % PRIME) % PRIME
        self._rows = np.vstack([self._rows, row])
        self._pivots.append(pivot)

    def holds(self, cells: NDArray[np.bool_]) -> bool:
        """Say whether a set is in the span."""
        return not self._reduce(cells).any()

    def _reduce(self, cells: NDArray[np.bool_]) -> Numbers:
        rest: Numbers = cells.astype(np.int64)
        used = [at for at, pivot in enumerate(self._pivots) if rest[pivot]]
        for at in used:  # rest is 1 at every such cell: no other row has a number there
            rest -= self._rows[at]
        return rest % PRIME
