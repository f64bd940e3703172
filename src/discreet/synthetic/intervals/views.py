"""What a reading says about some columns: an unbiased count of any set of their cells that it can tell.

A count is a sum of answers, each once, so its noise is a sum of that many independent draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discreet.families.domain import CellTable, ColumnSet
from discreet.families.marginals import Bins, Marginals
from discreet.families.trees import Tree
from discreet.synthetic.reading import Reading

CellMask = NDArray[np.bool_]
"""A set of cells of some columns, with an axis for each column."""

MOST_LINES = 1 << 20
"""Numbers of a reading's questions, written out."""


@dataclass(frozen=True, slots=True)
class Count:
    """A noisy number of rows: a sum of so many answers of one reading."""

    noisy: int
    draws: int


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A reading, seen from some of its columns."""

    reading: Reading
    columns: ColumnSet

    def count(self, wanted: CellMask) -> Count | None:
        """Return the noisy number of rows in a set of cells; None where the reading does not tell."""
        family = self.reading.family
        if isinstance(family, Marginals):
            return self._count_marginal(family, wanted)
        if isinstance(family, Tree):
            return self._count_tree(family, wanted)
        return self._find_line(wanted)

    def _count_marginal(self, family: Marginals, wanted: CellMask) -> Count | None:
        """Add up the answers of all cells: where values are merged, sets of whole bins only."""
        measured, shape = family.find_columns(0), family.find_answer_shape(0)
        others = tuple(axis for axis, place in enumerate(measured) if place not in self.columns)
        merged = _merge(wanted, [family.bins[place] if family.bins else () for place in self.columns])
        if merged is None:
            return None
        table = self.reading.answers.reshape(shape)
        kept = np.moveaxis(table, others, range(-len(others), 0)) if others else table
        each = math.prod(shape[axis] for axis in others)
        return Count(_add_whole(kept.reshape(*merged.shape, each)[merged]), int(merged.sum()) * each)

    def _count_tree(self, family: Tree, wanted: CellMask) -> Count | None:
        """Add up the highest nodes that lie in the set whole: the fewest answers that make it."""
        if not self.columns:
            first = family.lengths[0]
            return Count(_add_whole(self.reading.answers[:first]), first)
        levels = [wanted]
        for length in family.lengths[-2::-1]:
            levels.insert(0, np.logical_and.reduceat(levels[0], np.arange(length) * family.fan_out))
        chosen = [levels[0]]
        for above, level in pairwise(levels):
            chosen.append(level & ~np.repeat(above, family.fan_out)[: len(level)])
        nodes = np.concatenate(chosen)
        return Count(_add_whole(self.reading.answers[nodes]), int(nodes.sum()))

    def _find_line(self, wanted: CellMask) -> Count | None:
        """Find a question that counts just this set."""
        family, columns = self.reading.family, self.reading.columns
        cells = family.domain.project(columns).cells if columns else 1
        if family.count_answers(0) * cells > MOST_LINES:
            return None
        shape = tuple(family.domain.sizes[place] if place in self.columns else 1 for place in columns)
        asked = np.broadcast_to(wanted.reshape(shape), family.domain.find_shape(columns)).ravel()
        found = np.flatnonzero((family.list_rows(0) == asked).all(axis=1))
        return Count(int(self.reading.answers[found[0]]), 1) if len(found) else None


def see(reading: Reading, columns: ColumnSet) -> View | None:
    """Return a reading as seen from some columns; None where it does not look at all of them."""
    return View(reading, columns) if set(columns) <= set(reading.columns) else None


def drop_constant(wanted: CellMask, columns: ColumnSet) -> tuple[CellMask, ColumnSet]:
    """Return the same set of rows by fewer columns: without those on which it does not depend."""
    kept = list(columns)
    for axis in reversed(range(len(columns))):
        first = wanted.take([0], axis=axis)
        if (wanted == first).all():
            wanted = first.squeeze(axis=axis)
            del kept[axis]
    return wanted, tuple(kept)


def _merge(wanted: CellMask, bins: list[Bins]) -> CellMask | None:
    """Return a set of cells as a set of cells of bins; None where it cuts through one."""
    for axis, each in enumerate(bins):
        if each:
            order = np.argsort(each, kind="stable")
            starts = np.searchsorted(np.asarray(each)[order], range(max(each) + 1))
            sorted_cells = wanted.take(order, axis=axis)
            some = np.logical_or.reduceat(sorted_cells, starts, axis=axis)
            if (some != np.logical_and.reduceat(sorted_cells, starts, axis=axis)).any():
                return None
            wanted = some
    return wanted


def _add_whole(answers: CellTable) -> int:
    """Return the sum of whole numbers as Python's own: it does not wrap."""
    if answers.dtype == object:
        return sum(answers.ravel().tolist())
    low, high = answers & 0xFFFFFFFF, answers >> 32
    return int(low.sum()) + (int(high.sum()) << 32)
