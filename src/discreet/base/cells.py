"""How many values lie at each point of a grid, where there may be millions of points: two arrays instead of a dict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Cells(Mapping[int, int]):
    """A mapping from grid points to how many values each has: points in order, each of them once."""

    points: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __getitem__(self, point: int) -> int:
        place = int(np.searchsorted(self.points, point))
        if place == len(self.points) or self.points[place] != point:
            raise KeyError(point)
        return int(self.counts[place])

    def __iter__(self) -> Iterator[int]:
        return iter(self.points.tolist())

    def __len__(self) -> int:
        return len(self.points)


def split_cells(keys: int, found: NDArray[np.int64]) -> tuple[Cells, ...]:
    """Return the cells of every key from rows of (key, point, count) in any order, no two of one key and point."""
    order = np.lexsort((found[:, 1], found[:, 0]))
    key, points, counts = (np.ascontiguousarray(found[order, column]) for column in range(3))
    edges = np.searchsorted(key, np.arange(keys + 1))
    return tuple(Cells(points[first:last], counts[first:last]) for first, last in pairwise(edges.tolist()))


def add_up_cells(cells: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """Return the points that have values, in order, and how many values lie below each, and below all."""
    if isinstance(cells, Cells):
        points, counts = cells.points.tolist(), cells.counts.tolist()
    else:
        points = sorted(cells)
        counts = [cells[point] for point in points]
    return points, list(accumulate(counts, initial=0))
