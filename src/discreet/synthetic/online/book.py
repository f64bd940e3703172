"""What was released of one table's cells so far, and which way a new question is answered: public facts alone.

No noisy value is read here. Which way is taken depends on charges, on noises' scales and on the questions, so it can be
replayed from the ledger, and tells nothing that its reader does not know.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.base.check import Exact
from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.charges import Charge
from discreet.synthetic.online.span import CellSpan
from discreet.synthetic.online.tails import CountNoise, bound_equal_sum
from discreet.synthetic.online.weights import weigh_cells

Labels = NDArray[np.int32]
"""For each cell the group that counts it, from 0 on, or -1: groups of one release have no cell in common."""

PATIENCE = 10
"""A histogram is bought when this many times its price was spent on direct answers: so at most a tenth more is paid."""

SERVED = 0.9
"""A histogram is bought fine enough for this part of the questions that were answered directly so far."""

MARGIN = 1.02
"""How much finer a histogram is bought than is needed: whole half-widths are rounded up."""

MOST_GROUPS = 600
"""Counts of one release from which others are inferred: those with more are no small ones."""

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
        share = math.log(miss) - math.log(number * (number + 1))
        return [bound_equal_sum(noise, count, share + weight) if count else 0 for count, weight in self.parts]

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


@dataclass(frozen=True)
class Terms:
    """What a histogram costs: how far one unit moves it in L1 and, squared, in L2, and in which currency it is paid."""

    l1: int
    l2_squared: int
    by_rho: bool

    def price(self, scale: float) -> float:
        """Return what a histogram with this scale costs."""
        return self.l2_squared / (2 * scale**2) if self.by_rho else self.l1 / scale

    def amount(self, charge: Charge) -> Exact:
        """Return what a charge is in the currency that is paid."""
        return charge.rho if self.by_rho else charge.epsilon


@dataclass
class Book:
    """All releases of one table's cells on one version of the data, in the order in which they were charged."""

    miss: float
    releases: list[Release] = field(default_factory=list)
    _needs: dict[tuple[int, bool, int], float] = field(default_factory=dict)
    _span: CellSpan | None = None
    _spanned: int = 0

    @property
    def histograms(self) -> list[Release]:
        """Histograms that were bought, whether their answers are recorded or not."""
        return [each for each in self.releases if each.bought]

    def spans(self, counts: CellCounts) -> bool:
        """Say whether all counts may follow from earlier direct answers: what does not is not looked for."""
        if self._span is None:
            self._span = CellSpan(counts.labels.size)
        for each in self.releases[self._spanned :]:
            if not each.bought and each.counts.groups <= MOST_GROUPS:
                for group in range(each.counts.groups):
                    self._span.add(each.counts.labels == group)
        self._spanned = len(self.releases)
        return all(self._span.holds(counts.labels == group) for group in range(counts.groups))

    def find_histogram(self, counts: CellCounts, width: float) -> tuple[int, Release] | None:
        """Return the number and the release of the histogram that answers within this half-width, the finest first."""
        found = []
        for number, each in enumerate(self.histograms, 1):
            if each.recorded:
                widest = max(counts.bound(each.noise, self.miss, number), default=0)
                found.append((widest, number, each))
        if not found:
            return None
        widest, number, each = min(found, key=lambda one: one[:2])
        return (number, each) if widest <= width else None

    def choose_price(self, counts: CellCounts, width: float, terms: Terms) -> Fraction | None:
        """Return the price at which a histogram is to be bought now; None where a direct answer is better.

        All histograms together never cost more than a tenth of what was spent on direct answers. A direct answer is of
        a question that was not asked before, so an exact cache pays for it too: in all at most 1.1 times as much.
        """
        direct = [each for each in self.releases if not each.bought]
        spent = sum((Fraction(terms.amount(each.charge)) for each in direct), Fraction(0))
        paid = sum((Fraction(terms.amount(each.charge)) for each in self.histograms), Fraction(0))
        left = spent / PATIENCE - paid
        number = len(self.histograms) + 1
        needed = self._find_need(counts, width, terms, number)
        if left <= 0 or needed > left:
            return None
        known = sorted(self._need_of(place, each, terms, number) for place, each in enumerate(direct))
        usual = known[math.ceil(SERVED * len(known)) - 1] if known else needed
        price = max(needed, usual)
        return Fraction(price) if price <= left else None

    def _need_of(self, place: int, release: Release, terms: Terms, number: int) -> float:
        key = (release.entry, terms.by_rho, number)
        if key not in self._needs:
            width = float(release.noise.interval(1 - self.miss))
            self._needs[key] = self._find_need(release.counts, width, terms, number)
        return self._needs[key]

    def _find_need(self, counts: CellCounts, width: float, terms: Terms, number: int) -> float:
        """Return the least price of a histogram that answers these counts within this half-width."""
        widest = counts.find_widest(not terms.by_rho, self.miss, number)
        return math.inf if width <= 0 else terms.price(width / (widest * MARGIN)) if widest else 0.0
