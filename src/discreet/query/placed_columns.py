"""Columns with places: public lists of values, whole numbers, and bins of numbers, dates and times.

Every row has a place in every column, whatever it holds: NULL and NaN have place 0, and a value that is not on a list
has the last one. Numbers beyond public bounds count as the bound, as everywhere. So no row is left out,
and the number of places is public.
"""

from __future__ import annotations

import datetime as dt
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError, QueryError
from discreet.base.types import Type
from discreet.policy.model import Bound, DeclaredColumn, Value
from discreet.query.parse import parse_condition
from discreet.query.value_grid import ValueGrid, make_grid

Places = NDArray[np.int64]

USUAL_BINS = 20
"""Bins of numbers, dates and times that have bounds, where nobody says how many."""

MOST_BINS = 512
"""Bins of one column."""

MOST_WHOLE = 256
"""Whole numbers that have a place each; of more, bins are made."""

ARROW = {
    Type.TEXT: pa.string(),
    Type.INTEGER: pa.int64(),
    Type.BOOLEAN: pa.bool_(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
    Type.FLOAT: pa.float64(),
    Type.DECIMAL: pa.float64(),
}

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class PlacedColumn(ABC):
    """A column with a public number of places for its values."""

    name: str
    type: Type

    @property
    @abstractmethod
    def size(self) -> int:
        """How many places there are."""

    @abstractmethod
    def write_place(self, parameters: dict[str, Any]) -> str:
        """Return SQL for the place of a row's value; constants are added to the parameters."""

    @abstractmethod
    def sample(self, places: Places, random: np.random.Generator) -> pa.Array:
        """Return a value for each place: NULL where there is none."""

    @abstractmethod
    def describe_places(self) -> list[str]:
        """Return what each place stands for, in words."""

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the column."""

    def write(self) -> Json:
        """Return what a record keeps of the column: its form, and what its values are drawn by."""
        return self.describe()

    @property
    def quoted(self) -> str:
        """The column's name in SQL."""
        doubled = self.name.replace('"', '""')
        return f'"{doubled}"'


@dataclass(frozen=True, slots=True)
class ListedColumn(PlacedColumn):
    """A list of values: place 0 for NULL, then the values in their order, then all that are not on the list."""

    values: tuple[Value, ...]

    @property
    def size(self) -> int:
        """One for each value, one for NULL, and one for all others; of booleans there are no others."""
        return len(self.values) + (1 if self.type is Type.BOOLEAN else 2)

    def write_place(self, parameters: dict[str, Any]) -> str:
        """Return a CASE over the values."""
        parts = [f"CASE WHEN {self.quoted} IS NULL THEN 0"]
        for place, value in enumerate(self.values, start=1):
            parts.append(f"WHEN {self.quoted} = {_add(parameters, value)} THEN {place}")
        return " ".join([*parts, f"ELSE {self.size - 1} END"])

    def sample(self, places: Places, random: np.random.Generator) -> pa.Array:
        """Return the values; what is not on the list has none."""
        listed: list[Value | None] = [None, *self.values, *([] if self.type is Type.BOOLEAN else [None])]
        return pa.array(listed, ARROW[self.type]).take(pa.array(places))

    def describe_places(self) -> list[str]:
        """Return the values. What is none of them has a name that is none of theirs: "(NULL)" beside a text "NULL"."""
        listed = [str(value) for value in self.values]
        rest = [] if self.type is Type.BOOLEAN else [_name_apart("other", listed)]
        return [_name_apart("NULL", listed), *listed, *rest]

    def describe(self) -> Json:
        """Return the form of the column."""
        return {"listed": self.name, "type": self.type.value, "values": [write_value(each) for each in self.values]}


@dataclass(frozen=True, slots=True)
class BinnedColumn(PlacedColumn):
    """Bins between public edges: place 0 for NULL and NaN; the first bin has all below it, the last all above.

    A bin holds its lower edge and not its upper one, but for the last, which holds both. `grid` says which numbers
    there are, where that is public.
    """

    edges: tuple[Bound, ...]
    grid: ValueGrid | None = None

    def __post_init__(self) -> None:
        if not 2 <= len(self.edges) <= MOST_BINS + 1:
            raise ParameterError("bins", len(self.edges), f"from 2 to {MOST_BINS + 1} edges")
        if any(to_number(a) >= to_number(b) for a, b in pairwise(self.edges)):
            raise ParameterError("bins", ", ".join(map(write_value, self.edges)), "edges that ascend")

    @property
    def size(self) -> int:
        """One for each bin, and one for NULL."""
        return len(self.edges)

    def write_place(self, parameters: dict[str, Any]) -> str:
        """Return a CASE over the inner edges."""
        nothing = f"SIGN({self.quoted})" if self.type is Type.FLOAT else self.quoted
        parts = [f"CASE WHEN {nothing} IS NULL THEN 0"]
        for place, edge in enumerate(self.edges[1:-1], start=1):
            parts.append(f"WHEN {self.quoted} < {_write_edge(parameters, edge)} THEN {place}")
        return " ".join([*parts, f"ELSE {self.size - 1} END"])

    def sample(self, places: Places, random: np.random.Generator) -> pa.Array:
        """Return values that are spread evenly over each bin; whole numbers, days and microseconds are whole.

        Numbers with a step are multiples of it, and decimals have the column's own digits.
        """
        if self.grid is not None:
            drawn_on_grid = self.grid.sample(self.type, [to_number(edge) for edge in self.edges], places, random)
            if drawn_on_grid is not None:
                return drawn_on_grid
        edges = np.array([float(to_number(edge)) for edge in self.edges])
        at = np.maximum(places, 1)
        low, high = edges[at - 1], edges[at]
        if self.type in (Type.FLOAT, Type.DECIMAL):
            drawn: NDArray[Any] = low + random.random(len(places)) * (high - low)
        else:
            first = np.ceil(low)
            last = np.where(at == self.size - 1, np.floor(high), np.ceil(high) - 1)
            drawn = (first + np.floor(random.random(len(places)) * np.maximum(last - first + 1, 1))).astype(np.int64)
        whole = pa.array(drawn, mask=places == 0)
        if self.type is Type.DATE:
            return whole.cast(pa.int32()).cast(pa.date32())
        return whole.cast(ARROW[self.type])

    def describe_places(self) -> list[str]:
        """Return the bins."""
        bins = [f"[{write_value(a)}, {write_value(b)})" for a, b in pairwise(self.edges)]
        return ["NULL", *bins[:-1], bins[-1][:-1] + "]"]

    def describe(self) -> Json:
        """Return the form of the column."""
        return {"binned": self.name, "type": self.type.value, "edges": [write_value(each) for each in self.edges]}

    def write(self) -> Json:
        """Return the form of the column, and its grid."""
        form: dict[str, Json] = {"binned": self.name, "type": self.type.value}
        form["edges"] = [write_value(each) for each in self.edges]
        return form | ({} if self.grid is None else self.grid.write())


def place_column(declared: DeclaredColumn, bins: int | Sequence[Any] | None = None) -> PlacedColumn:
    """Return a column with places for its values, from what the policy declares, or refuse one without public values.

    `bins` is how many bins of equal width there are between the column's bounds, or their edges.
    """
    name, kind, grid = declared.name, declared.type, make_grid(declared.step, declared.digits)
    assert kind is not None
    if bins is not None and not isinstance(bins, int):
        return BinnedColumn(name, kind, tuple(_read_edge(each, kind) for each in bins), grid)
    if declared.values is not None and bins is None:
        return ListedColumn(name, kind, tuple(_drop_zone(value) for value in declared.values))
    if kind is Type.BOOLEAN:
        return ListedColumn(name, kind, (False, True))
    if declared.lower is None or declared.upper is None:
        raise ParameterError(
            "columns",
            name,
            f"other columns, or say in the policy what {name} holds: values = [...], or lower = ... and upper = ...",
        )
    lower, upper = to_number(declared.lower), to_number(declared.upper)
    if bins is None and kind is Type.INTEGER and upper - lower < MOST_WHOLE:
        return ListedWhole.between(name, int(lower), int(upper))
    return BinnedColumn(name, kind, _divide(lower, upper, USUAL_BINS if bins is None else bins, kind), grid)


@dataclass(frozen=True, slots=True)
class ListedWhole(PlacedColumn):
    """Whole numbers between bounds: place 0 for NULL, then each number; those beyond count as the bound."""

    lower: int
    upper: int

    @classmethod
    def between(cls, name: str, lower: int, upper: int) -> ListedWhole:
        """Return the column of whole numbers between two."""
        return cls(name, Type.INTEGER, lower, upper)

    @property
    def size(self) -> int:
        """One for each number, and one for NULL."""
        return self.upper - self.lower + 2

    def write_place(self, parameters: dict[str, Any]) -> str:
        """Return how far the number is above the lower bound."""
        held = f"LEAST(GREATEST({self.quoted}, {self.lower}), {self.upper})"
        return f"CASE WHEN {self.quoted} IS NULL THEN 0 ELSE {held} - ({self.lower}) + 1 END"

    def sample(self, places: Places, random: np.random.Generator) -> pa.Array:
        """Return the numbers."""
        return pa.array(places + (self.lower - 1), pa.int64(), mask=places == 0)

    def describe_places(self) -> list[str]:
        """Return the numbers."""
        return ["NULL", *map(str, range(self.lower, self.upper + 1))]

    def describe(self) -> Json:
        """Return the form of the column."""
        return {"whole": self.name, "bounds": [self.lower, self.upper]}


@dataclass(frozen=True, slots=True)
class Condition(PlacedColumn):
    """Whether a condition in SQL holds for a row: place 1 where it does, 0 where it does not or is unknown."""

    sql: str

    def __init__(self, name: str, sql: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "type", Type.BOOLEAN)
        object.__setattr__(self, "sql", sql)

    @property
    def size(self) -> int:
        """Two."""
        return 2

    def write_place(self, parameters: dict[str, Any]) -> str:
        """Return a CASE of the condition, which is read by itself first: it cannot end its column and begin another."""
        return f"CASE WHEN ({write_alone(self.sql)}) THEN 1 ELSE 0 END"

    def sample(self, places: Places, random: np.random.Generator) -> pa.Array:
        """Return whether the condition holds."""
        return pa.array(places == 1)

    def describe_places(self) -> list[str]:
        """Return no and yes."""
        return ["no", "yes"]

    def describe(self) -> Json:
        """Return the form of the column."""
        return {"condition": self.name, "sql": self.sql}


def write_alone(text: str) -> str:
    """Return one SQL expression that was read by itself: no comment, no parameter, and nothing after it."""
    found = parse_condition(text)
    if any(found.find_all(exp.Placeholder, exp.Parameter)):
        raise QueryError(f"{text!r} has a parameter; write its value")
    return found.sql("duckdb", comments=False)


def read_column(form: Any) -> PlacedColumn:
    """Return the column of what `describe` wrote."""
    if "condition" in form:
        return Condition(form["condition"], form["sql"])
    if "whole" in form:
        return ListedWhole.between(form["whole"], *form["bounds"])
    kind = Type(form["type"])
    if "binned" in form:
        edges = tuple(_read_exactly(each, kind) for each in form["edges"])
        return BinnedColumn(form["binned"], kind, edges, ValueGrid.read(form))
    return ListedColumn(form["listed"], kind, tuple(_read_value(each, kind) for each in form["values"]))


def write_places(table: str, columns: Sequence[PlacedColumn]) -> tuple[str, Mapping[str, Any]]:
    """Return a SELECT of the place of every column of every row, and its parameters."""
    parameters: dict[str, Any] = {}
    listed = ", ".join(f"{column.write_place(parameters)} AS place{at}" for at, column in enumerate(columns))
    doubled = table.replace('"', '""')
    return f'SELECT {listed} FROM "{doubled}"', parameters


def _name_apart(name: str, taken: list[str]) -> str:
    while name in taken:
        name = f"({name})"
    return name


def _add(parameters: dict[str, Any], value: Any) -> str:
    name = f"value{len(parameters)}"
    parameters[name] = value
    return f"${name}"


def _write_edge(parameters: dict[str, Any], edge: Bound) -> str:
    if isinstance(edge, dt.date):
        return _add(parameters, edge)
    return _add(parameters, int(edge) if edge.denominator == 1 else float(edge))


def write_value(value: Any) -> str:
    """Return a value or an edge as text."""
    if isinstance(value, Fraction):
        return str(int(value)) if value.denominator == 1 else repr(float(value))
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _read_value(text: str, kind: Type) -> Any:
    """Return the value of what `write_value` wrote."""
    if kind is Type.BOOLEAN:
        return text == "True"
    if kind is Type.INTEGER:
        return int(text)
    if kind is Type.DATE:
        return dt.date.fromisoformat(text)
    return dt.datetime.fromisoformat(text) if kind is Type.TIMESTAMP else text


def _read_exactly(text: str, kind: Type) -> Bound:
    """Return the edge of what `write_value` wrote."""
    if kind in (Type.DATE, Type.TIMESTAMP):
        edge: dt.date = _read_value(text, kind)
        return edge
    return Fraction(float(text)) if kind is not Type.INTEGER else Fraction(int(text))


def to_number(edge: Bound) -> Fraction:
    """Return a bound as a number: days or microseconds since 1970 for dates and times."""
    if isinstance(edge, dt.datetime):
        return Fraction((_drop_zone(edge) - EPOCH) // MICROSECOND)
    if isinstance(edge, dt.date):
        return Fraction(edge.toordinal() - EPOCH.toordinal())
    return Fraction(edge)


def _drop_zone(value: Any) -> Any:
    """Return a time in UTC as tables hold it, without saying so; anything else as it is."""
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value


def _from_number(number: Fraction, kind: Type) -> Bound:
    if kind is Type.DATE:
        return dt.date.fromordinal(round(number) + EPOCH.toordinal())
    if kind is Type.TIMESTAMP:
        return EPOCH + round(number) * MICROSECOND
    return Fraction(round(number)) if kind is Type.INTEGER else Fraction(float(number))


def _divide(lower: Fraction, upper: Fraction, bins: int, kind: Type) -> tuple[Bound, ...]:
    """Return the edges of bins of equal width, or of as many as there are whole numbers."""
    if not 1 <= bins <= MOST_BINS:
        raise ParameterError("bins", bins, f"at least 1, and at most {MOST_BINS}")
    edges = dict.fromkeys(_from_number(lower + (upper - lower) * place / bins, kind) for place in range(bins + 1))
    return tuple(edges)


def _read_edge(edge: Any, kind: Type) -> Bound:
    if kind is Type.DATE and isinstance(edge, dt.date) and not isinstance(edge, dt.datetime):
        return edge
    if kind is Type.TIMESTAMP and isinstance(edge, dt.datetime):
        dropped: dt.date = _drop_zone(edge)
        return dropped
    if kind in (Type.INTEGER, Type.FLOAT, Type.DECIMAL) and isinstance(edge, int | float | Fraction):
        if not math.isfinite(edge) or (kind is Type.INTEGER and Fraction(edge).denominator != 1):
            raise ParameterError("bins", edge, "finite edges, whole ones for a column of whole numbers")
        return Fraction(edge)
    raise ParameterError("bins", edge, f"edges of the column's type, {kind.value}")
