"""How a table's rows fit what is declared about them: exact counts, for the owner alone.

Nothing here is private: what is counted must never reach anybody who asks questions, nor the ledger. `curator/owner`
is the only caller.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base.types import Type
from discreet.engines.dialect import UNIT
from discreet.engines.sources import TableSource, name_key, write_select
from discreet.policy.model import Bound, DeclaredColumn, SourceFormat, Table, Value

ReadRows = Callable[[str], list[tuple[Any, ...]]]
"""Runs a statement, and returns its rows."""


@dataclass(frozen=True, slots=True)
class SurveyedColumn:
    """How the values of a column fit: how many there are, how many can be read, and how many of these are outside."""

    name: str
    filled: int
    """Values that are not NULL in the source."""

    read: int
    """Those that fit the column's type, and are not too long: all others are NULL in questions."""

    below: int
    above: int
    outside: int
    """Values that are none of those declared."""

    changed: int = 0
    """Texts of a csv file that are read as whole numbers or dates, and lose a fraction or a time of day by it."""


FINER = {Type.INTEGER: Type.FLOAT, Type.DATE: Type.TIMESTAMP}
"""What texts can be read as that lose nothing by it."""


@dataclass(frozen=True, slots=True)
class SurveyedGroups:
    """How many units are over the limits of one question that groups by a column; by none, where it is None."""

    column: str | None
    over_groups: int
    over_rows: int


@dataclass(frozen=True, slots=True)
class SurveyedTable:
    """How the rows of a table fit what is declared about them."""

    rows: int
    columns: tuple[SurveyedColumn, ...]
    lost: int
    """Rows that belong to nobody: their unit is NULL or cannot be read, or no unit reaches them."""

    rows_of_units: tuple[tuple[int, int], ...]
    """How many units have so many rows, as (rows, units), by rows."""

    groups: tuple[SurveyedGroups, ...]
    repeated: tuple[tuple[tuple[str, ...], int], ...]
    """Declared keys, and how many units have two rows of one value of theirs."""


def survey_table(sources: Mapping[str, TableSource], name: str, read: ReadRows) -> SurveyedTable:
    """Return how a table's rows fit."""
    source = sources[name]
    table = source.table
    rows, columns = _survey_columns(source, read)
    if table.public or table.unit is None:
        return SurveyedTable(rows, columns, 0, (), (), ())
    return SurveyedTable(
        rows,
        columns,
        _count_lost(sources, table, read),
        _count_rows_of_units(sources, table, read),
        tuple(_survey_groups(sources, table, read)),
        tuple((key, _count_repeated(sources, table, key, read)) for key in table.unique),
    )


def _survey_columns(source: TableSource, read: ReadRows) -> tuple[int, tuple[SurveyedColumn, ...]]:
    """Return how many rows there are, and how their values fit."""
    inner, outer = [], ["count(*)"]
    for place, name in enumerate(source.types):
        value, raw, column = f"__discreet_v{place}", f"__discreet_r{place}", source.table.column(name)
        inner += [f"{_write_number_or_value(source, name)} AS {value}", f"{source.dialect.quote_name(name)} AS {raw}"]
        found = _write_outside(source, column, value) if column is not None else (None, None, None)
        outer += [f"count({raw})", f"count({value})"]
        finer = _write_finer(source, name)
        inner += [] if finer is None else [f"{finer} AS __discreet_f{place}"]
        conditions = (*found, None if finer is None else f"__discreet_f{place} <> {value}")
        outer += ["0" if each is None else f"count(CASE WHEN {each} THEN 1 END)" for each in conditions]
    inner = inner or ["1 AS __discreet_v"]
    listed = ", ".join(f"{each} AS __discreet_c{place}" for place, each in enumerate(outer))
    ((rows, *counts),) = read(f"SELECT {listed} FROM (SELECT {', '.join(inner)} FROM {source.clause}) AS q")
    whole = [int(count) for count in counts]
    columns = (SurveyedColumn(name, *whole[6 * place : 6 * place + 6]) for place, name in enumerate(source.types))
    return int(rows), tuple(columns)


def _write_finer(source: TableSource, name: str) -> str | None:
    """Return a column of texts as what it would be read as without losing anything; None where nothing is lost."""
    kind = FINER.get(source.types[name])
    if kind is None or source.table.format is not SourceFormat.CSV:
        return None
    finer = copy.copy(source)
    finer.types = {**source.types, name: kind}
    return finer.write_cast(name)


def _write_number_or_value(source: TableSource, name: str) -> str:
    """Return a column in its type, NULL where it is NaN, as questions have it."""
    value, kind = source.write_value(name), source.types[name]
    if kind is Type.FLOAT or (kind is Type.DECIMAL and name not in source.digits):
        return f"(CASE WHEN {source.dialect.is_nan(value)} THEN NULL ELSE {value} END)"
    return value


def _write_outside(
    source: TableSource, column: DeclaredColumn, value: str
) -> tuple[str | None, str | None, str | None]:
    """Return the conditions below the lower bound, above the upper one, and outside of the declared values."""

    def write(constant: Bound | Value) -> str:
        return _write_constant(source, column.name, constant)

    lower, upper = (
        None if bound is None else f"{value} {sign} {write(_whole(source, column.name, bound, to_whole))}"
        for bound, sign, to_whole in ((column.lower, "<", math.ceil), (column.upper, ">", math.floor))
    )
    listed = None if column.values is None else f"{value} NOT IN ({', '.join(write(each) for each in column.values)})"
    return lower, upper, listed


def _whole(source: TableSource, name: str, bound: Bound, to_whole: Callable[[Fraction], int]) -> Bound:
    """Return a bound that whole numbers, or numbers of last places, are on the same side of."""
    if not isinstance(bound, Fraction):
        return bound
    if source.types[name] is Type.INTEGER:
        return Fraction(to_whole(bound))
    places = 10 ** source.digits[name][1] if name in source.digits else None
    return bound if places is None else Fraction(to_whole(bound * places), places)


def _write_constant(source: TableSource, name: str, value: Bound | Value) -> str:
    """Return a bound or a value as the column is read: decimals as how many last places they have."""
    kind = source.types[name]
    if name in source.digits and isinstance(value, int | Fraction):
        return source.dialect.write_constant(int(value * 10 ** source.digits[name][1]), Type.INTEGER)
    if isinstance(value, Fraction) and kind is Type.INTEGER:
        return source.dialect.write_constant(int(value), kind)
    if isinstance(value, int) and not isinstance(value, bool) and kind in (Type.FLOAT, Type.DECIMAL):
        return source.dialect.write_constant(Fraction(value), kind)
    return source.dialect.write_constant(value, kind)


def _count_lost(sources: Mapping[str, TableSource], table: Table, read: ReadRows) -> int:
    """Return how many rows belong to nobody."""
    source, through = sources[table.name], table.through
    if through is None:
        ((lost,),) = read(f"SELECT count(*) AS n FROM ({source.select(frozenset())}) AS q WHERE {UNIT} IS NULL")
        return int(lost)
    mine, theirs = zip(*through.on, strict=True)
    reached = write_select(sources, through.table, frozenset(), theirs)
    equal = " AND ".join(f"a.{name_key(place)} = b.{name_key(place)}" for place in range(len(mine)))
    ((lost,),) = read(
        f"SELECT count(*) AS n FROM ({source.select(frozenset(), mine)}) AS a WHERE NOT EXISTS "
        f"(SELECT 1 FROM ({reached}) AS b WHERE {equal} AND b.{UNIT} IS NOT NULL)"
    )
    return int(lost)


def _count_rows_of_units(
    sources: Mapping[str, TableSource], table: Table, read: ReadRows
) -> tuple[tuple[int, int], ...]:
    rows = write_select(sources, table.name, frozenset())
    counts = f"SELECT count(*) AS n FROM ({rows}) AS q WHERE {UNIT} IS NOT NULL GROUP BY {UNIT}"
    found = read(f"SELECT n, count(*) AS units FROM ({counts}) AS q GROUP BY n ORDER BY n")
    return tuple((int(each), int(units)) for each, units in found)


def _survey_groups(sources: Mapping[str, TableSource], table: Table, read: ReadRows) -> list[SurveyedGroups]:
    """Return how many units are over the limits of one question, by each column whose values are declared."""
    if table.max_groups is None and table.max_rows_per_group is None:
        return []
    source = sources[table.name]
    names = [column.name for column in table.columns if column.values is not None and column.name in source.types]
    found = []
    for name in (None, *names):
        rows = write_select(sources, table.name, frozenset(() if name is None else (name,)))
        key = "" if name is None else f", {source.dialect.quote_name(name)}"
        some = "" if name is None else f" AND {source.dialect.quote_name(name)} IS NOT NULL"
        counts = f"SELECT {UNIT}, count(*) AS n FROM ({rows}) AS q WHERE {UNIT} IS NOT NULL{some} GROUP BY {UNIT}{key}"
        units = f"SELECT count(*) AS g, max(n) AS m FROM ({counts}) AS q GROUP BY {UNIT}"
        over = [
            "0" if most is None else f"count(CASE WHEN {each} > {most} THEN 1 END)"
            for each, most in (("g", table.max_groups), ("m", table.max_rows_per_group))
        ]
        ((groups, most_rows),) = read(f"SELECT {over[0]} AS a, {over[1]} AS b FROM ({units}) AS q")
        found.append(SurveyedGroups(name, int(groups), int(most_rows)))
    return found


def _count_repeated(sources: Mapping[str, TableSource], table: Table, key: tuple[str, ...], read: ReadRows) -> int:
    names = [sources[table.name].dialect.quote_name(each) for each in key]
    rows = write_select(sources, table.name, frozenset(key))
    some = " AND ".join(f"{each} IS NOT NULL" for each in (UNIT, *names))
    twice = f"SELECT {UNIT} FROM ({rows}) AS q WHERE {some} GROUP BY {', '.join((UNIT, *names))} HAVING count(*) > 1"
    ((found,),) = read(f"SELECT count(DISTINCT {UNIT}) AS n FROM ({twice}) AS q")
    return int(found)
