"""Trees: counts of one ordered column at every level, from wide blocks down to single values, measured together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.families.domain import CellTable, ColumnSet, Domain
from discreet.families.family import Family, RowBound, Vector


@dataclass(frozen=True, slots=True)
class Tree(Family):
    """One group with all levels of a tree over a column whose values have an order.

    The last level has a node for each value; a node of the level above is `fan_out` neighbours together (the last node
    of a level may have fewer), up to the first level with several nodes, or with `root` up to one node of all rows.

    Every row lies in one node of every level, so q(x) has a 1 for each level: L1 norm and squared L2 norm are `levels`.
    Two rows may differ at every level but the root, and a row differs from none at every level.
    """

    domain: Domain
    column: int
    fan_out: int
    root: bool = False

    def __post_init__(self) -> None:
        self.domain.check_size((self.column,))
        check.integer("fan_out", self.fan_out, least=2)
        check.flag("root", self.root)

    @property
    def widths(self) -> tuple[int, ...]:
        """How many values a node has at each level, from the first level down."""
        size, widths = self.domain.sizes[self.column], [1]
        while widths[0] < size:
            widths.insert(0, widths[0] * self.fan_out)
        return tuple(widths) if self.root or size == 1 else tuple(widths[1:])

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many nodes each level has, from the first level down."""
        return tuple(-(-self.domain.sizes[self.column] // width) for width in self.widths)

    @property
    def levels(self) -> int:
        """How many levels are counted."""
        return len(self.widths)

    @property
    def groups(self) -> int:
        """One: all levels are measured together."""
        return 1

    def find_columns(self, group: int) -> ColumnSet:
        """Return the column."""
        self.check_group(group)
        return (self.column,)

    def count_answers(self, group: int) -> int:
        """Return how many nodes there are."""
        self.check_group(group)
        return sum(self.lengths)

    def answer(self, group: int, table: CellTable) -> Vector:
        """Return the counts of all nodes, level by level from the first down."""
        levels = [self.hold_table(group, table)]
        for length in self.lengths[-2::-1]:
            levels.insert(0, np.add.reduceat(levels[0], np.arange(length) * self.fan_out))
        return np.concatenate(levels)

    def spread_back(self, group: int, values: Vector) -> CellTable:
        """Return for each value the sum over the nodes above it."""
        held = self.hold_values(group, values)
        ends = np.cumsum((0, *self.lengths))
        table = held[: self.lengths[0]]
        for low, high in pairwise(ends[1:]):
            table = np.repeat(table, self.fan_out)[: high - low] + held[low:high]
        return np.array(table)

    def bound_row(self, group: int) -> RowBound:
        """Return the bound of a row that lies in one node of each level."""
        self.check_group(group)
        several = sum(length > 1 for length in self.lengths)
        apart = max(2 * several, self.levels)
        return RowBound(self.levels, self.levels, apart_l1=apart, apart_l2_squared=apart)

    def describe(self) -> Json:
        """Return the form: sizes, column, fan-out and whether the root is counted."""
        form: dict[str, Json] = {"sizes": list(self.domain.sizes), "column": self.column, "fan_out": self.fan_out}
        return {"tree": form | ({"root": True} if self.root else {})}
