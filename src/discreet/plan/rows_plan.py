"""The plan of rows per unit: what a desk hands to a function of one unit's rows, each value bounded and on a grid."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.plan.bounded import BoundedPlan, TableFacts
from discreet.plan.expressions import Expression
from discreet.plan.grid import ClampedGrid
from discreet.plan.relations import Block


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A number of each row, clamped to its public range and put on a public grid."""

    expression: Expression
    grid: ClampedGrid


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """Rows of private tables with their unit: `columns` of each row, and at most `rows` rows of each unit.

    A row counts only where no column is NULL or NaN. Rows over the limit are dropped by a hash of their content, as in
    a `BoundedPlan`, so what a unit keeps depends on its own rows alone. `units` says whether rows carry a unit;
    otherwise each row is one. `factor` is 2 under replace neighbours: one unit leaves and another enters.
    """

    block: Block
    units: bool
    columns: tuple[GridColumn, ...]
    rows: int
    factor: int
    tables: tuple[TableFacts, ...] = ()
    """What the policy says about the tables: how much work one unit's rows can be follows from it (`query.work`)."""


DeclaredPlan = BoundedPlan | RowsPlan
"""Everything that an operation may declare, an engine may run and a desk may read."""
