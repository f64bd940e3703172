"""The values that robust statistics are of: one for each person, or those of all rows, as a plan that reads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.curator.session import Session
from discreet.plan.grid import ClampedGrid
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import Neighbours
from discreet.robust.people import PER_UNIT, People, write_column, write_varying


@dataclass(frozen=True, slots=True)
class PlannedValues:
    """The values of a table's people, or of its rows, as a plan; nothing was read for it."""

    plan: RowsPlan
    words: str
    """Whose values these are."""

    @property
    def grid(self) -> ClampedGrid:
        """The public grid of the first column."""
        return self.plan.columns[0].grid

    def list_ends(self) -> list[tuple[float, float]]:
        """Return the public bounds of every column."""
        grids = [column.grid for column in self.plan.columns]
        return [
            (float(each.center + each.step * each.lower), float(each.center + each.step * each.upper)) for each in grids
        ]

    @property
    def neighbours(self) -> Neighbours:
        """What the policy's neighbours do."""
        return Neighbours.ADD_REMOVE if self.plan.factor == 1 else Neighbours.REPLACE

    def to_value(self, point: Fraction | int) -> float:
        """Return a grid point as a real number."""
        return float(self.grid.center + self.grid.step * point)


def plan_values(
    session: Session, people: People, column: str, per_unit: str, max_rows: int | None = None
) -> PlannedValues:
    """Return the plan of one value for each person, or of the values of all rows; a constant is refused."""
    written = write_varying(session, people, "column", column)
    return plan_written(session, people, [written], column, per_unit, max_rows)


def plan_columns(
    session: Session, people: People, columns: Sequence[str], per_unit: str, max_rows: int | None
) -> PlannedValues:
    """Return the plan of some columns, one line for each person or for each row."""
    if isinstance(columns, str) or not columns:
        raise ParameterError("columns", columns, "a list of columns, or of expressions")
    written = [write_column(session, people, "column", each) for each in columns]
    return plan_written(session, people, written, ", ".join(columns), per_unit, max_rows)


def plan_written(
    session: Session,
    people: People,
    written: Sequence[str],
    words: str,
    per_unit: str,
    max_rows: int | None = None,
    outer: Sequence[str] = (),
) -> PlannedValues:
    """Return the plan of some expressions, or of each `outer` of what a person's several values come to.

    There `{0}` stands for the first expression, `{1}` for the second, and so on.
    """
    way = check.choice("per_unit", per_unit, (*PER_UNIT, "rows"))
    by_row = way == "rows" or people.unit is None
    if not by_row and max_rows is not None:
        raise ParameterError("max_rows", max_rows, "left out, or beside per_unit='rows': each person has one value")
    names = [f"value_{place}" for place in range(len(written))]
    asked = People(people.table, None, people.where) if by_row else people
    source = asked.write({name: (PER_UNIT.get(way, ""), each) for name, each in zip(names, written, strict=True)})
    listed = ", ".join(each.format(*names) for each in outer) if outer else ", ".join(names)
    plan = session.plan_rows(f"SELECT {listed} FROM {source}", people.parameters, max_rows)
    whose = words if by_row else f"{people.word}'s {way} of {words}"
    return PlannedValues(plan, f"{whose} in {people.describe()}")
