"""The bounded plan: each unit's contribution bounded and every sum in integers, so that sensitivities are known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from discreet.base.types import Type
from discreet.plan.expressions import Constant, Expression
from discreet.plan.grid import ClampedGrid
from discreet.plan.relations import Block


class Part(StrEnum):
    """What one measure adds up over the rows that are kept."""

    ROWS = "rows"
    VALUES = "values that are not null"
    UNITS = "distinct units"
    """With an argument, those that have a row there in which it is not NULL."""
    SUM = "values"
    SQUARES = "squared values"
    PRODUCTS = "products of two values"
    DISTINCT = "distinct values"
    """As they are, or, with a grid, its distinct points."""
    DISTINCT_SUM = "sum of distinct values"
    """Each point of the grid once that some row has, whoever's it is."""
    OUTSIDE = "values outside the bounds"
    QUANTILE = "one rank"
    """Counts of values at each grid point, of which one point is drawn."""
    RANKS = "ranks"
    """Counts of values in the cells of a tree over the grid."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One whole number per key: a sum over rows of a contribution of 0 or 1, or of grid points or products of two.

    A row counts only where `argument` and, if there is one, `other` are neither NULL nor NaN. `share` is which rank
    is drawn, 0 and 1 for the least and the greatest value.
    """

    part: Part
    argument: Expression | None = None
    grid: ClampedGrid | None = None
    other: Expression | None = None
    other_grid: ClampedGrid | None = None
    share: Fraction | None = None

    @property
    def reach(self) -> int:
        """The furthest that one row can move it."""
        first = self.grid.reach if self.grid is not None else 1
        second = self.other_grid.reach if self.other_grid is not None else 1
        reaches = {
            Part.SUM: first,
            Part.DISTINCT_SUM: first,
            Part.SQUARES: first**2,
            Part.PRODUCTS: first * second,
        }
        return max(reaches.get(self.part, 1), 1)

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the most that one row can add, or a row that is not there."""
        if self.part in (Part.SUM, Part.DISTINCT_SUM) and self.grid is not None:
            return min(self.grid.lower, 0), max(self.grid.upper, 0)
        return (-self.reach if self.part is Part.PRODUCTS else 0), self.reach

    @property
    def levels(self) -> int:
        """Of how many counts one row is a part: one in each level of a tree of ranks, else one."""
        return count_tree_levels(self.grid) if self.part is Part.RANKS and self.grid is not None else 1

    @property
    def in_cells(self) -> bool:
        """Say whether values are counted at each grid point."""
        return self.part in (Part.RANKS, Part.QUANTILE)


BRANCHES = 16
"""Children of a node in a tree of ranks."""


def count_tree_levels(grid: ClampedGrid) -> int:
    """Return how many levels below its root a tree over all points of the grid has."""
    points, levels = grid.upper - grid.lower + 1, 1
    while BRANCHES**levels < points:
        levels += 1
    return levels


@dataclass(frozen=True, slots=True)
class Limits:
    """What a unit keeps, at most: rows in all, groups, rows in one group. Enforced by the engine."""

    rows: int
    groups: int
    rows_per_group: int

    def l1(self) -> int:
        """Return the most rows that a unit can have."""
        return min(self.rows, self.groups * self.rows_per_group)

    def l2_squared(self) -> int:
        """Return the largest sum of squared row counts over groups: as many full groups as fit, and what is left."""
        each = min(self.rows_per_group, self.rows)
        full = min(self.groups, self.rows // each)
        rest = min(each, self.rows - full * each) if full < self.groups else 0
        return full * each**2 + rest**2

    def units_l1(self) -> int:
        """Return the most groups that a unit can be in."""
        return min(self.groups, self.rows)

    @property
    def bound_by(self) -> str:
        """Say which limit binds the number of rows."""
        whole = self.groups * self.rows_per_group
        if self.rows <= whole:
            return f"max_rows = {self.rows}"
        return f"max_groups = {self.groups} times max_rows_per_group = {self.rows_per_group}"


@dataclass(frozen=True, slots=True)
class Key:
    """What rows are grouped by, and its public domain; without one, its values are data and must be selected."""

    expression: Expression
    domain: tuple[Constant, ...] | None

    @property
    def type(self) -> Type:
        """The type of its values."""
        return self.expression.type


@dataclass(frozen=True, slots=True)
class JointKeys:
    """Keys that go together: the places of several, and the rows of values that they have at once, sorted.

    The domain of each is the values that it has in these rows. Other combinations of the domains are no keys.
    """

    keys: tuple[int, ...]
    rows: tuple[tuple[Constant, ...], ...]

    def among(self, places: tuple[int, ...]) -> JointKeys | None:
        """Return those of the keys that are among these places, with the rows that they have; None for less than two.

        >>> JointKeys((0, 1, 2), ((1, 1, "a"), (1, 1, "b"), (2, 1, "a"))).among((0, 2, 5)).rows
        ((1, 'a'), (1, 'b'), (2, 'a'))
        """
        chosen = tuple(place for place in self.keys if place in places)
        if len(chosen) < 2 or chosen == self.keys:
            return self if chosen == self.keys else None
        at = [self.keys.index(place) for place in chosen]
        return JointKeys(chosen, sort_rows({tuple(row[each] for each in at) for row in self.rows}))


def sort_rows(rows: Iterable[tuple[Constant, ...]]) -> tuple[tuple[Constant, ...], ...]:
    """Return rows of keys in their order: by the first, then by the second, ..."""
    return tuple(sorted(rows, key=write_order))


def write_order(row: tuple[Constant, ...]) -> list[tuple[str, Any]]:
    """Return what rows of keys are ordered by."""
    return [(str(type(value)), value) for value in row]


Factor = tuple[tuple[int, ...], Sequence[tuple[Constant, ...]]]
"""Places of keys, and the rows of values that these have."""


def join_among(joint: tuple[JointKeys, ...], places: tuple[int, ...]) -> Iterator[JointKeys]:
    """Yield the keys among these places that go together."""
    for each in joint:
        found = each.among(places)
        if found is not None:
            yield found


def list_factors(keys: tuple[Key, ...], joint: tuple[JointKeys, ...], places: tuple[int, ...]) -> list[Factor]:
    """Return what the keys at these places are the product of; those that go together stand at the place of the first.

    All of them must have a domain.
    """
    joined = {each.keys[0]: each for each in join_among(joint, places)}
    held = {place for each in joined.values() for place in each.keys}
    found: list[Factor] = []
    for place in places:
        if place in joined:
            found.append((joined[place].keys, joined[place].rows))
        elif place not in held:
            found.append(((place,), [(value,) for value in keys[place].domain or ()]))
    return found


@dataclass(frozen=True, slots=True)
class KeySet:
    """One grouping: the places of its keys, and what a unit keeps in it."""

    keys: tuple[int, ...]
    limits: Limits


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What is public about a table that a plan reads: rows of one unit, and letters of each of its texts that is read.

    `rows` is what the policy says, whatever less a question keeps: all of them are read. It is 0 for a public table.
    """

    table: str
    rows: int
    letters: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class BoundedPlan:
    """What an engine runs exactly, once for every set of keys.

    `units` says whether rows carry a unit; otherwise each row of the scan is one, and what it can become is bounded by
    the plan's form alone. `factor` is 2 under replace neighbours: one unit leaves and another enters.
    """

    block: Block
    units: bool
    keys: tuple[Key, ...]
    sets: tuple[KeySet, ...]
    measures: tuple[Measure, ...]
    factor: int
    tables: tuple[TableFacts, ...] = ()
    joint: tuple[JointKeys, ...] = ()
    """Keys that go together; each is in one of these at most."""

    def selects(self, index: int) -> bool:
        """Say whether the keys of a set come from the data, so that they must be selected privately."""
        return any(self.keys[place].domain is None for place in self.sets[index].keys)

    @property
    def selects_any(self) -> bool:
        """Say whether keys of some set come from the data."""
        return any(self.selects(index) for index in range(len(self.sets)))

    def joined(self, index: int) -> tuple[JointKeys, ...]:
        """Return the keys of a set that go together, as far as it groups by them."""
        return tuple(join_among(self.joint, self.sets[index].keys))

    def combinations(self, index: int) -> Iterator[tuple[Constant, ...]]:
        """Yield the keys of a set with public domains, in the order of their places: the last key fastest.

        Keys that go together take turns as one, at the place of their first.
        """
        places, factors = self.sets[index].keys, self._factors(index)
        order = [place for taken, _ in factors for place in taken]
        back = [order.index(place) for place in places]
        for chosen in itertools.product(*(rows for _, rows in factors)):
            values = [value for row in chosen for value in row]
            yield tuple(values[at] for at in back)

    def groups(self, index: int) -> int:
        """Return how many keys a set with public domains has."""
        return math.prod(len(rows) for _, rows in self._factors(index))

    def _factors(self, index: int) -> list[Factor]:
        return list_factors(self.keys, self.joint, self.sets[index].keys)

    @property
    def public_groups(self) -> int:
        """Return how many keys of public domains there are in all sets."""
        return sum(self.groups(index) for index in range(len(self.sets)) if not self.selects(index))

    def l1(self, measure: Measure) -> int:
        """Return the L1 sensitivity of a measure's vector over all keys of all sets (of all levels, for ranks)."""
        units = measure.part is Part.UNITS
        rows = sum(each.limits.units_l1() if units else each.limits.l1() for each in self.sets)
        return self.factor * rows * measure.reach * measure.levels

    def l2_squared(self, measure: Measure) -> int:
        """Return the square of its L2 sensitivity."""
        units = measure.part is Part.UNITS
        squares = sum(each.limits.units_l1() if units else each.limits.l2_squared() for each in self.sets)
        return self.factor**2 * squares * measure.reach**2 * measure.levels

    def linf(self, measure: Measure) -> int:
        """Return how far one unit moves a measure at one key, at most."""
        each = max(min(chosen.limits.rows_per_group, chosen.limits.rows) for chosen in self.sets)
        return self.factor * (1 if measure.part is Part.UNITS else each) * measure.reach

    def ends(self, measure: Measure) -> tuple[int, int]:
        """Return the least and the most that a unit adds to a measure at one key.

        It keeps some rows there, at most so many, of which each adds something between the ends of the measure, and 0
        lies between these; a sum that is scaled down stays between the ends times the rows kept (`limiting.sums`).
        """
        each = max(min(chosen.limits.rows_per_group, chosen.limits.rows) for chosen in self.sets)
        rows = 1 if measure.part is Part.UNITS else each
        low, high = measure.ends
        return rows * low, rows * high

    def spread(self, measure: Measure) -> int:
        """Return how far apart one unit moves a measure at two keys, at most.

        Let a unit add u(c) at key c, where low <= u(c) <= high: u(c) - u(d) <= high - low. So counts and sums of values
        that are not negative move apart no further than one of them moves. Where neighbours replace a unit, u by v, it
        is v(c) - u(c) - v(d) + u(d) <= 2 (high - low).
        """
        low, high = self.ends(measure)
        return max(self.factor * (high - low), 1)

    def reached(self) -> int:
        """Return how many keys of selected sets one unit can be in."""
        chosen = [each.limits.units_l1() for index, each in enumerate(self.sets) if self.selects(index)]
        return self.factor * sum(chosen)
