"""The bounded plan: each unit's contribution bounded and every sum in integers, so that sensitivities are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Column, Constant, Expression
from discreet.plan.question import Lookup, Scan


@dataclass(frozen=True, slots=True)
class Grid:
    """A number x becomes the whole number floor((x - center) / step + 1/2), then clamped to [lower, upper]."""

    center: Fraction
    step: Fraction
    lower: int
    upper: int

    @property
    def reach(self) -> int:
        """The furthest from 0 that a contribution can lie."""
        return max(abs(self.lower), abs(self.upper))


class Part(StrEnum):
    """What one measure adds up over the rows that are kept."""

    ROWS = "rows"
    VALUES = "values that are not null"
    UNITS = "distinct units"
    SUM = "values"
    SQUARES = "squared values"
    OUTSIDE = "values outside the bounds"
    RANKS = "ranks"
    """Counts of values in the cells of a tree over the grid."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One whole number per key: a sum over rows of a contribution of 0 or 1, or of grid points or their squares."""

    part: Part
    argument: Expression | None = None
    grid: Grid | None = None

    @property
    def reach(self) -> int:
        """The furthest that one row can move it."""
        if self.part is Part.SUM and self.grid is not None:
            return self.grid.reach
        if self.part is Part.SQUARES and self.grid is not None:
            return self.grid.reach**2
        return 1

    @property
    def levels(self) -> int:
        """Of how many counts one row is a part: one in each level of a tree of ranks, else one."""
        return tree_levels(self.grid) if self.part is Part.RANKS and self.grid is not None else 1


BRANCHES = 16
"""Children of a node in a tree of ranks."""


def tree_levels(grid: Grid) -> int:
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
    """A column that rows are grouped by, and its public domain: every value of it appears in the answer."""

    column: Column
    domain: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """Whose rows are counted together: a column of the scan, or each row by itself."""

    column: str | None
    type: Type | None


@dataclass(frozen=True, slots=True)
class BoundedPlan:
    """What an engine runs exactly. `factor` is 2 under replace neighbours: one unit leaves and another enters."""

    scan: Scan
    unit: Unit
    lookups: tuple[Lookup, ...]
    where: Expression | None
    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    limits: Limits
    factor: int

    @property
    def groups(self) -> int:
        """How many keys the answer has."""
        return math.prod(len(key.domain) for key in self.keys)

    def l1(self, measure: Measure) -> int:
        """Return the L1 sensitivity of a measure's vector over all keys (of all levels, for ranks)."""
        rows = self.limits.units_l1() if measure.part is Part.UNITS else self.limits.l1()
        return self.factor * rows * measure.reach * measure.levels

    def l2_squared(self, measure: Measure) -> int:
        """Return the square of its L2 sensitivity."""
        squares = self.limits.units_l1() if measure.part is Part.UNITS else self.limits.l2_squared()
        return self.factor**2 * squares * measure.reach**2 * measure.levels
