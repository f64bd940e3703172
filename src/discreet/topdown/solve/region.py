"""What the counts of children may be: a polyhedron, in deviations from the estimates.

Let x be the children's counts and z their estimates. Everything is written in d = x - z: where counts are hundreds of
millions and deviations are tens, d keeps the digits that x would lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.spec.invariants import NO_MOST, Invariant


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums over some cells of one child that are given: equal to a number, or at least it.

    An upper bound is a lower one of the negative sum.
    """

    children: Ints
    members: Floats
    """A row for each sum: 1 or -1 where a cell is in it."""
    targets: Floats
    exact: Bools

    def __len__(self) -> int:
        return len(self.children)

    def add_up(self, values: Floats) -> Floats:
        """Return the sums."""
        return np.asarray(np.einsum("rc,rc->r", self.members, values[self.children]))

    def spread(self, prices: Floats, children: int) -> Floats:
        """Return, for each cell of each child, the sum of the prices of its rows: the transpose of `add_up`."""
        found = np.zeros((children, self.members.shape[1]))
        for row in np.flatnonzero(prices):
            found[self.children[row]] += prices[row] * self.members[row]
        return found

    def pick(self, rows: Bools) -> Rows:
        """Return some of the rows."""
        return Rows(self.children[rows], self.members[rows], self.targets[rows], self.exact[rows])


@dataclass(frozen=True, eq=False)
class Region:
    """Deviations d >= low, equal to it where a child cannot have a cell; with given sums over children, and rows."""

    low: Floats
    """The negative estimates, a row for each child: a deviation of `low` is a count of 0."""
    allowed: Bools
    people: Floats | None
    """The parent's counts, all above 0; None at the root, which has no parent."""
    rows: Rows
    slack: float = 1e-9
    """How far rows may miss their numbers, in people."""

    @cached_property
    def sums(self) -> Floats:
        """What the deviations of each cell add up to."""
        assert self.people is not None
        return np.asarray(self.people + self.low.sum(axis=0))

    @cached_property
    def sizes(self) -> Floats:
        """What is added up in each cell, without signs: sums are exact up to its rounding."""
        assert self.people is not None
        return np.asarray(self.people + np.abs(self.low).sum(axis=0))

    @cached_property
    def rounding(self) -> float:
        """What floats lose in the sum of a row."""
        return 1e-15 * float(np.abs(self.low).sum(axis=1).max(initial=0.0))

    @cached_property
    def tolerance(self) -> float:
        """How exactly rows must hold: numbers of all rows agree up to the rounding of all estimates."""
        return self.slack + 1e-15 * float(np.abs(self.low).sum())

    def count(self, deviations: Floats) -> Floats:
        """Return counts: 0 exactly where the bound is met."""
        return np.where(self.allowed, deviations - self.low, 0.0)

    def retarget(self, targets: Floats, slack: float) -> Region:
        """Return a region with other numbers in the rows."""
        return replace(self, rows=replace(self.rows, targets=targets), slack=slack)


def describe_region(
    targets: Floats, people: Ints | None, allowed: Bools, invariants: Sequence[Invariant], cells: Ints
) -> Region:
    """Return what may be, of some cells: all that are left out are 0.

    Invariants have a row for each child. Answers of 0 at most have no rows: their cells are not allowed (`shut_cells`).
    """
    allowed = allowed[:, cells]
    available = None if people is None else people[cells]
    parts = [part for each in invariants for part in _list_rows(each, available, allowed, cells)]
    rows = Rows(
        np.concatenate([np.empty(0, dtype=np.int64), *(part.children for part in parts)]),
        np.concatenate([np.empty((0, len(cells))), *(part.members for part in parts)]),
        np.concatenate([np.empty(0), *(part.targets for part in parts)]),
        np.concatenate([np.empty(0, dtype=bool), *(part.exact for part in parts)]),
    )
    low = -targets[:, cells]
    shifted = replace(rows, targets=rows.targets + rows.add_up(low))
    return Region(low, allowed, None if available is None else available.astype(np.float64), shifted)


def shut_cells(allowed: Bools, invariants: Sequence[Invariant]) -> Bools:
    """Return which cells each child may have, less those of answers that must be 0."""
    found = allowed.copy()
    for each in invariants:
        found &= find_bounds(each)[1][:, each.query.places] > 0
    return found


def find_bounds(invariant: Invariant) -> tuple[Ints, Ints]:
    """Return the least and the most of each answer of each area."""
    low = invariant.values
    high = low if invariant.exact else np.full(low.shape, NO_MOST)
    return low, high if invariant.most is None else np.minimum(high, invariant.most)


def _list_rows(invariant: Invariant, people: Ints | None, allowed: Bools, cells: Ints) -> list[Rows]:
    """Return the rows of an invariant: exact ones, lower bounds, upper bounds; none that hold whatever happens."""
    low, high = find_bounds(invariant)
    places = invariant.query.places[cells]
    most = np.full(low.shape, NO_MOST)
    if people is not None:
        most = np.zeros(low.shape, dtype=np.int64)
        np.add.at(most.T, places, np.where(allowed, people, 0).T)
    same = low == high
    found = []
    for chosen, bounds, sign, exact in (
        (same & (high > 0), low, 1.0, True),
        (~same & (low > 0), low, 1.0, False),
        (~same & (high > 0) & (high < most), high, -1.0, False),
    ):
        children, answers = np.nonzero(chosen)
        members = sign * ((places == answers[:, None]) & allowed[children])
        found.append(Rows(children, members, sign * bounds[chosen], np.full(len(children), exact)))
    return found
