"""Features of a private table: numbers with public bounds, scaled to [-1, 1], and categories with a weight for each.

A row is never left out for what a feature holds. A number that is NULL or NaN counts as the middle of its bounds, which
is 0 after scaling; of a category NULL is one more value, and so is everything that is not on its list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError, QueryError
from discreet.base.types import Type
from discreet.curator.session import Session
from discreet.gradients.encoding import Feature, NumberFeature, PlaceFeature
from discreet.plan.grid import ClampedGrid
from discreet.policy.model import DeclaredColumn
from discreet.policy.schema import Resolved
from discreet.query.placed_columns import (
    BinnedColumn,
    Condition,
    ListedColumn,
    PlacedColumn,
    place_column,
    read_column,
    to_number,
    write_alone,
    write_value,
)

STEP_BINS = 32
"""Bins of a number where a model needs them and nobody says how many."""


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A number: a column, or an SQL expression that has public bounds."""

    name: str
    sql: str
    lower: Fraction
    upper: Fraction

    @property
    def middle(self) -> float:
        """What counts as 0."""
        return float(self.lower + self.upper) / 2

    @property
    def half(self) -> float:
        """How far from the middle counts as 1."""
        return float(self.upper - self.lower) / 2

    @property
    def weights(self) -> list[str]:
        """The names of its weights."""
        return [self.name]

    def write_value(self, parameters: dict[str, Any]) -> str:
        """Return SQL for a row's value: the middle where it is NULL or NaN, which have no sign."""
        return f"CASE WHEN SIGN({self.sql}) IS NULL THEN {write_middle(self)} ELSE ({self.sql}) END"

    def make_feature(self, column: int, grid: ClampedGrid) -> Feature:
        """Return the feature of this column of a plan."""
        return NumberFeature(column, grid.lower, grid.upper)

    def describe(self) -> Json:
        """Return the form of the column."""
        return {"number": self.name, "sql": self.sql, "bounds": [str(self.lower), str(self.upper)]}


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """A category, or bins of a number: one weight for each place."""

    placed: PlacedColumn

    @property
    def name(self) -> str:
        """The column's name."""
        return self.placed.name

    @property
    def weights(self) -> list[str]:
        """The names of its weights."""
        return [f"{self.name} = {place}" for place in self.placed.describe_places()]

    def write_value(self, parameters: dict[str, Any]) -> str:
        """Return SQL for a row's place."""
        return self.placed.write_place(parameters)

    def make_feature(self, column: int, grid: ClampedGrid) -> Feature:
        """Return the feature of this column of a plan; places are counted from 0, wherever the grid begins."""
        return PlaceFeature(column, self.placed.size, find_zero(grid))

    def describe(self) -> Json:
        """Return the form of the column."""
        return {"category": self.placed.describe()}


@dataclass(frozen=True, slots=True)
class BinnedExpression(BinnedColumn):
    """Bins of an SQL expression that is a number with public bounds."""

    sql: str = ""

    @property
    def quoted(self) -> str:
        """The expression."""
        return f"({self.sql})"

    def describe(self) -> Json:
        """Return the form of the column."""
        return {"expression": self.sql, "name": self.name, "edges": [write_value(each) for each in self.edges]}


LearnedColumn = NumberColumn | CategoryColumn


def read_learned_column(form: Any) -> LearnedColumn:
    """Return the column of what `describe` wrote."""
    if "category" in form and "expression" in form["category"]:
        own = form["category"]
        edges = tuple(Fraction(float(each)) for each in own["edges"])
        return CategoryColumn(BinnedExpression(own["name"], Type.FLOAT, edges, sql=write_alone(own["expression"])))
    if "category" in form:
        return CategoryColumn(read_column(form["category"]))
    lower, upper = (Fraction(each) for each in form["bounds"])
    return NumberColumn(form["number"], write_alone(form["sql"]), lower, upper)


def find_features(
    session: Session,
    resolved: Resolved,
    named: Iterable[str] | None,
    bins: Mapping[str, int | Sequence[Any]],
    without: frozenset[str],
    placed: bool = False,
) -> tuple[LearnedColumn, ...]:
    """Return the features that are named, or all columns with public values or bounds but those left out.

    A name is a column's, or an SQL expression; `price * 2 AS twice` gives it a name of its own. Where all are to have
    places, numbers are put into bins.
    """
    if named is None:
        listed = [
            column.name
            for column in resolved.columns
            if column.name not in without
            and column.name != resolved.table.unit
            and (column.values is not None or column.type is Type.BOOLEAN or column.lower is not None)
        ]
    else:
        listed = list(named)
    wrong = isinstance(named, str) or not all(isinstance(name, str) and name.strip() for name in listed)
    if wrong or not listed or len(set(listed)) < len(listed):
        raise ParameterError("features", named, "a list of columns or SQL expressions, each once")
    found = tuple(_find_feature(session, resolved, name, bins, placed) for name in listed)
    known = {each.name for each in (*resolved.columns, *found)}
    unknown = [name for name in bins if name not in known]
    if unknown:
        raise ParameterError("bins", unknown[0], "columns of the table, or names of features")
    return found


def _find_feature(
    session: Session, resolved: Resolved, name: str, wanted: Mapping[str, int | Sequence[Any]], placed: bool
) -> LearnedColumn:
    if name == resolved.table.unit:
        raise ParameterError("features", name, "other columns: this one says whose row it is")
    bins = wanted.get(name)
    for column in resolved.columns:
        plain = not placed and bins is None and is_number(column)
        if column.name == name and plain and column.lower is not None and column.upper is not None:
            doubled = name.replace('"', '""')
            return NumberColumn(name, f'"{doubled}"', to_number(column.lower), to_number(column.upper))
        if column.name == name and bins is not None and (column.values is not None or column.type is Type.BOOLEAN):
            raise ParameterError("bins", name, "for numbers with bounds: a listed value has a weight of its own anyway")
        if column.name == name:  # what the policy lacks is said by place_column
            return CategoryColumn(place_column(column, choose_bins(column) if placed and bins is None else bins))
    found = read_expression(session, resolved, name)
    bins = wanted.get(found.name)
    if isinstance(found, NumberColumn) and (placed or bins is not None):
        return CategoryColumn(bin_expression(found, STEP_BINS if bins is None else bins))
    return found


def is_number(column: DeclaredColumn) -> bool:
    """Say whether a column is a number, and has no list of values."""
    return column.values is None and column.type in (Type.INTEGER, Type.FLOAT, Type.DECIMAL)


def choose_bins(column: DeclaredColumn) -> int | None:
    """Return how many bins a column is put into; none for lists, and for few whole numbers, which have a place each."""
    if column.values is not None or column.lower is None or column.upper is None or column.type is Type.BOOLEAN:
        return None
    few = column.type is Type.INTEGER and to_number(column.upper) - to_number(column.lower) < STEP_BINS
    return None if few else STEP_BINS


def bin_expression(column: NumberColumn, bins: int | Sequence[Any]) -> BinnedExpression:
    """Return bins of an SQL expression: so many even ones between its bounds, or those between edges."""
    declared = DeclaredColumn(column.name, Type.FLOAT, lower=column.lower, upper=column.upper)
    binned = place_column(declared, bins)
    assert isinstance(binned, BinnedColumn)
    return BinnedExpression(column.name, Type.FLOAT, binned.edges, sql=column.sql)


def read_expression(session: Session, resolved: Resolved, text: str, role: str = "features") -> LearnedColumn:
    """Return the feature of an SQL expression: a number's bounds follow from public facts; a condition is yes or no.

    `role` is what a refusal calls it.
    """
    sql, name = text, text
    before, found, after = text.rpartition(" AS ")
    if found and after.strip().replace("_", "").isalnum():
        sql, name = before.strip(), after.strip()
    alone = write_alone(sql)
    table = resolved.table.name.replace('"', '""')
    try:
        plan = session.plan_rows(f'SELECT {alone} AS feature FROM "{table}"')
    except QueryError as trouble:
        try:
            session.plan_rows(f'SELECT CASE WHEN {alone} THEN 1 ELSE 0 END AS feature FROM "{table}"')
        except QueryError:
            raise ParameterError(role, text, f"a column or an expression with public bounds ({trouble})") from None
        return CategoryColumn(Condition(name, alone))
    grid = plan.columns[0].grid
    if len(plan.columns) != 1 or grid.lower == grid.upper:
        raise ParameterError(role, text, "one expression each, of which the value is not known before")
    return NumberColumn(name, alone, grid.center + grid.lower * grid.step, grid.center + grid.upper * grid.step)


def write_features(table: str, columns: Sequence[LearnedColumn], target: str | None, parameters: dict[str, Any]) -> str:
    """Return a SELECT of every feature of every row, and of its target; constants are added to the parameters."""
    listed = [f"{column.write_value(parameters)} AS feature{at}" for at, column in enumerate(columns)]
    if target is not None:
        listed.append(f"{target} AS target")
    doubled = table.replace('"', '""')
    return f'SELECT {", ".join(listed)} FROM "{doubled}"'


def write_middle(column: NumberColumn) -> str:
    """Return the middle of a number's bounds as SQL: a whole number where it is one."""
    middle = (column.lower + column.upper) / 2
    return str(int(middle)) if middle.denominator == 1 else repr(float(middle))


def find_zero(grid: ClampedGrid) -> int:
    """Return the point of the number 0 on a grid of whole numbers."""
    return round((0 - grid.center) / grid.step)


def place_classes(resolved: Resolved, name: str) -> ListedColumn | None:
    """Return the classes of a column that has a public list of values, or is true or false; None of any other."""
    for column in resolved.columns:
        if column.name == name and (column.values is not None or column.type is Type.BOOLEAN):
            placed = place_column(column)
            return placed if isinstance(placed, ListedColumn) else None
    return None
