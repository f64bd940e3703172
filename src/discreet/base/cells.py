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
    """Return the cells of every key from rows of (key, point, count) in any order; those of one point are added up."""
    least, span = _find_span(found[:, 0], found[:, 1])
    if span is None:
        order = np.lexsort((found[:, 1], found[:, 0]))
        key, points, counts = (np.ascontiguousarray(found[order, column]) for column in range(3))
        fresh = _find_fresh(key, points)
    else:
        numbers = found[:, 0] * span + (found[:, 1] - least)
        if len(found) and found[:, 2].min() == found[:, 2].max() == 1:
            numbers.sort()
            counts = np.ones(len(numbers), np.int64)
        else:
            order = np.argsort(numbers)
            numbers, counts = numbers[order], found[order, 2]
        fresh = _find_fresh(numbers)
        key, points = np.divmod(numbers, span)
        points += least
    if len(fresh) < len(counts):
        key, points, counts = key[fresh], points[fresh], np.add.reduceat(counts, fresh)
    edges = np.searchsorted(key, np.arange(keys + 1))
    return tuple(Cells(points[first:last], counts[first:last]) for first, last in pairwise(edges.tolist()))


def _find_span(keys: NDArray[np.int64], points: NDArray[np.int64]) -> tuple[int, int | None]:
    """Return the least point, and how many there are up to the largest if 63 bits hold a number made of key and point.

    Such numbers are sorted faster.
    """
    if not len(keys):
        return 0, 1
    least, most = int(points.min()), int(points.max())
    span = most - least + 1
    if int(keys.min()) < 0 or (int(keys.max()) + 1) * span >= 1 << 62 or max(abs(least), abs(most)) >= 1 << 62:
        return least, None
    return least, span


def _find_fresh(*columns: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return where rows begin that differ from the one before."""
    differ = [each[1:] != each[:-1] for each in columns]
    first = np.ones(min(1, len(columns[0])), bool)
    return np.flatnonzero(np.concatenate([first, np.logical_or.reduce(differ)]))


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
