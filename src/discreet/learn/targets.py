"""What a model predicts: one of public classes, or a number with public bounds.

A row whose class is NULL or not on the list teaches nothing: its gradient is 0. A row whose number is NULL is left out.
Both are public rules: nothing is raised, and nothing is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.types import Type
from discreet.curator.session import Session
from discreet.gradients.encoding import LabelColumn
from discreet.gradients.residuals import RESIDUAL_STEPS
from discreet.learn.features import NumberColumn, find_zero, place_classes, read_expression
from discreet.plan.grid import ClampedGrid
from discreet.policy.schema import Resolved
from discreet.query.placed_columns import Condition, ListedColumn, read_column, write_alone

POISSON_SCALE = 4
"""What the largest count is, in units of a prediction of 1."""


@dataclass(frozen=True, slots=True)
class ClassTarget:
    """One of the values of a column with a public list, or whether a condition holds."""

    placed: ListedColumn | Condition

    @property
    def name(self) -> str:
        """The column's name, or the condition."""
        return self.placed.name

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of their labels."""
        return (False, True) if isinstance(self.placed, Condition) else self.placed.values

    def write_value(self, parameters: dict[str, Any]) -> str:
        """Return SQL for a row's place."""
        return self.placed.write_place(parameters)

    def make_label(self, column: int, grid: ClampedGrid) -> LabelColumn:
        """Return the label of this column of a plan: classes from 0, NULL at -1, and others after the last."""
        zero, last = find_zero(grid), self.placed.size - 1
        shift = 0 if isinstance(self.placed, Condition) else -1
        return LabelColumn(column, zero, zero + last, shift, last + shift)

    def describe(self) -> Json:
        """Return the form of the target."""
        return {"classes": self.placed.describe()}


@dataclass(frozen=True, slots=True)
class NumberTarget:
    """A number between public bounds; as a count it is 0 at the lower one."""

    name: str
    sql: str
    lower: Fraction
    upper: Fraction
    counted: bool = False

    def write_value(self, parameters: dict[str, Any]) -> str:
        """Return SQL for a row's number."""
        return f"({self.sql})"

    def make_label(self, column: int, grid: ClampedGrid) -> LabelColumn:
        """Return the label of this column of a plan: from -1 to 1, or of counts from 0, in residual steps."""
        if self.counted:
            return LabelColumn(column, find_zero(grid), grid.upper, 0, POISSON_SCALE * RESIDUAL_STEPS)
        return LabelColumn(column, grid.lower, grid.upper, -RESIDUAL_STEPS, RESIDUAL_STEPS)

    def describe(self) -> Json:
        """Return the form of the target."""
        bounds: list[Json] = [str(self.lower), str(self.upper)]
        return {"number": self.name, "sql": self.sql, "bounds": bounds, "counted": self.counted}


Target = ClassTarget | NumberTarget


def read_target_form(form: Any) -> Target:
    """Return the target of what `describe` wrote."""
    if "classes" in form:
        placed = read_column(form["classes"])
        assert isinstance(placed, ListedColumn | Condition)
        return ClassTarget(placed)
    lower, upper = (Fraction(each) for each in form["bounds"])
    return NumberTarget(form["number"], write_alone(form["sql"]), lower, upper, form["counted"])


def find_class_target(resolved: Resolved, name: str) -> ClassTarget:
    """Return the target of a column with a public list of values, or of a condition in SQL."""
    if any(column.name == name for column in resolved.columns):
        placed = place_classes(resolved, name)
        if placed is None or len(placed.values) < 2:
            raise ParameterError("target", name, "a column with a public list of values, or a condition: cost > 10")
        return ClassTarget(placed)
    return ClassTarget(Condition(name, write_alone(name)))


def find_number_target(session: Session, resolved: Resolved, name: str, counted: bool = False) -> NumberTarget:
    """Return the target of a number with public bounds: a column, or an SQL expression."""
    doubled = name.replace('"', '""')
    types = [column.type for column in resolved.columns if column.name == name]
    if any(kind not in (Type.INTEGER, Type.FLOAT, Type.DECIMAL) for kind in types):
        raise ParameterError(
            "target", name, "a number: this model predicts numbers; logistic and others predict classes"
        )
    known = bool(types)
    found = read_expression(session, resolved, f'"{doubled}"' if known else name, "target")
    if not isinstance(found, NumberColumn):
        raise ParameterError("target", name, "a number, not a condition: this model predicts numbers")
    if counted and found.lower < 0:
        raise ParameterError("target", name, "a count: its lower bound must be 0 or more")
    lower = Fraction(0) if counted else found.lower
    return NumberTarget(name if known else found.name, found.sql, lower, found.upper, counted)
