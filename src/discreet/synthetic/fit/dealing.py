"""Rows dealt to cells: as many to each as its weight says, rounded at random, so that tables hardly err by sampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats

Whole = NDArray[np.int64]

HAIR = 2.0**-44
"""What is taken from expected numbers, so that rounding errors never deal more rows than there are."""


def deal_counts(weights: Floats, rows: Whole, generator: np.random.Generator) -> Whole:
    """Return whole counts for each line of weights, which add up to the line's rows.

    A cell gets its expected number rounded down, or one more: the rest of a line goes round its cells by systematic
    sampling, so that every cell's count is right on average. A line without weight is dealt evenly.
    """
    totals = weights.sum(axis=1, keepdims=True)
    even = np.full_like(weights, 1 / weights.shape[1])
    shares = np.divide(weights, totals, out=even, where=totals > 0)
    expected = shares * rows[:, None] * (1 - HAIR)
    counts = np.floor(expected).astype(np.int64)
    missing = rows - counts.sum(axis=1)
    reached = np.cumsum(expected - counts, axis=1)
    ends = np.where(reached[:, -1:] > 0, reached[:, -1:], 1.0)
    reached *= missing[:, None] / ends
    reached[:, -1] = missing
    steps = np.floor(reached + generator.random((len(rows), 1))).astype(np.int64).clip(max=missing[:, None])
    return np.asarray(counts + np.diff(steps, axis=1, prepend=0))


def deal_cells(weights: Floats, groups: Whole, generator: np.random.Generator) -> Whole:
    """Return a cell for each row: rows of a group are dealt to the cells of its line of weights, in random order."""
    counts = deal_counts(weights, np.bincount(groups, minlength=len(weights)), generator)
    dealt = np.repeat(np.tile(np.arange(weights.shape[1]), len(weights)), counts.ravel())
    shuffled = generator.permutation(len(groups))
    found = np.empty(len(groups), dtype=np.int64)
    found[shuffled[np.argsort(groups[shuffled], kind="stable")] if len(weights) > 1 else shuffled] = dealt
    return found
