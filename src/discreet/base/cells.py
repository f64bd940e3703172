"""How many values lie at each point of a grid, where there may be millions of points: two arrays instead of a dict."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    order = _find_order(found[:, 0], found[:, 1])
    key, points, counts = (np.ascontiguousarray(found[order, column]) for column in range(3))
    edges = np.searchsorted(key, np.arange(keys + 1))
    return tuple(Cells(points[first:last], counts[first:last]) for first, last in pairwise(edges.tolist()))


def _find_order(keys: NDArray[np.int64], points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order by key and point: by one number made of both where 63 bits hold it, which sorts faster."""
    if not len(keys):
        return np.zeros(0, np.int64)
    least, most = int(points.min()), int(points.max())
    span = most - least + 1
    if int(keys.min()) < 0 or (int(keys.max()) + 1) * span >= 1 << 62 or max(abs(least), abs(most)) >= 1 << 62:
        return np.lexsort((points, keys))
    return np.argsort(keys * span + (points - least))


def count_below(cells: Mapping[int, int]) -> Callable[[Sequence[int]], list[int]]:
    """Return what says how many values lie below each of some points, which are not negative."""
    if not isinstance(cells, Cells):
        points, sums = add_up_cells(cells)
        return lambda wanted: [sums[bisect_left(points, each)] for each in wanted]
    added = np.concatenate([np.zeros(1, np.int64), np.cumsum(cells.counts)])
    largest = np.iinfo(np.int64).max

    def count(wanted: Sequence[int]) -> list[int]:
        places = np.searchsorted(cells.points, np.array([min(each, largest) for each in wanted], np.int64))
        return [int(each) for each in added[places]]

    return count


def add_up_cells(cells: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """Return the points that have values, in order, and how many values lie below each, and below all."""
    if isinstance(cells, Cells):
        points, counts = cells.points.tolist(), cells.counts.tolist()
    else:
        points = sorted(cells)
        counts = [cells[point] for point in points]
    return points, list(accumulate(counts, initial=0))
