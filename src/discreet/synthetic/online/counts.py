"""Counts of sets of cells: what a question asks for, and what was released of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.charges import Charge
from discreet.synthetic.online.tails import CountNoise, bound_equal_sum
from discreet.synthetic.online.weights import weigh_cells

Labels = NDArray[np.int32]
"""For each cell the group that counts it, from 0 on, or -1: groups of one release have no cell in common."""

UNIT = 1024.0
"""The scale at which the reach of sums is looked up, to find the scale that a half-width needs."""


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Counts of disjoint sets of cells. `shape` has for each column the number of its values, and one more."""

    shape: tuple[int, ...]
    labels: Labels
    groups: int

    @cached_property
    def parts(self) -> tuple[tuple[int, float], ...]:
        """For each group its number of cells and the log of its weight; an empty group is always 0."""
        found = []
        for group in range(self.groups):
            cells = (self.labels == group).reshape(self.shape)
            count = int(cells.sum())
            found.append((count, weigh_cells(cells) if count else 0.0))
        return tuple(found)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of cells of each group."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.groups)

    def bound(self, noise: CountNoise, miss: float, number: int) -> list[int]:
        """Return half-widths of all groups, summed from cells of the histogram of this number, counted from 1.

        They hold for all sets of cells of all histograms at once, whatever was looked at: `weights` has the theorem,
        and the histogram of number j gets 1 / (j (j + 1)) of the probability, which adds up to 1.
        """
        return [self.bound_group(group, noise, miss, number) for group in range(self.groups)]

    def bound_group(self, group: int, noise: CountNoise, miss: float, number: int) -> int:
        """Return the half-width of one group."""
        count, weight = self.parts[group]
        share = math.log(miss) - math.log(number * (number + 1))
        return bound_equal_sum(noise, count, share + weight) if count else 0

    def find_widest(self, laplace: bool, miss: float, number: int) -> float:
        """Return the half-width of the widest group, in scales of the noise."""
        noise: CountNoise = Laplace(UNIT) if laplace else Gaussian(UNIT)
        return max(self.bound(noise, miss, number), default=0) / UNIT


@dataclass(frozen=True, eq=False)
class Release:
    """One release: what was counted, with which noise, and what it cost. `bought` is a histogram of all cells."""

    counts: CellCounts
    noise: CountNoise
    charge: Charge
    entry: int
    bought: bool = False
    recorded: bool = True
