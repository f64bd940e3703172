"""HAVING, ORDER BY, LIMIT and arithmetic on what was released: plain SQL over the released table, and nothing else.

It runs in a DuckDB that is kept for this alone and may not touch files. Each finish has a connection of its own there,
and its table is temporary: no other connection sees it. Where a question asks for released columns as they are, there
is nothing to compute, and no database is asked.
"""

from __future__ import annotations

import datetime as dt
import math
import os
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb

from discreet.answers.fields import Row
from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.curator.estimates.values import Values
from discreet.curator.release.finish_sql import ENDS, count_joined, write_finish
from discreet.engines.duck.literals import SQL_TYPES
from discreet.plan.bounded import Key
from discreet.plan.expressions import Reference
from discreet.plan.question import Finish, find_shown_type
from discreet.plan.windows import RELEASED, Computed

FEW = 200
"""Rows up to which pyarrow is not worth its start."""

BEYOND = (
    "arithmetic on the released values leaves 38 digits; CAST them AS DOUBLE. "
    "The values are recorded: asking for them again is free"
)

MOST_JOINED = 1_000_000
"""Rows of an answer that is joined to others."""

MANY = (
    f"joined, the answer has more than {MOST_JOINED:,} rows; join on more columns. "
    "The values are recorded: asking for them again is free"
)

WIDE = "HUGEINT"
"""Whole numbers of the released table: sums and keys may be wider than any column."""


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """A column of the released table: its name and type in SQL, and its values."""

    name: str
    type: str
    values: Sequence[Any]


JoinedRows = tuple[str, list[ReleasedColumn]]
"""A table that released rows are joined to: its name in SQL, and its columns."""


def finish_rows(finish: Finish, keys: tuple[Key, ...], values: Values) -> list[tuple[int | None, Row]]:
    """Return the rows of the answer, each with the number of its released row; sorted by key before ORDER BY.

    The row of a group has the number of its first, and that of no rows at all has none.
    """
    columns = {each.name: each for each in _list_columns(keys, values)}
    plain = [expression for _, expression in finish.outputs if isinstance(expression, Reference)]
    if len(plain) == len(finish.outputs) and not finish.selects:
        shown = [columns[expression.name].values for expression in plain]
        return list(enumerate(zip(*shown, strict=True)))
    return [(number, tuple(row)) for number, *row in _run(write_finish(finish), list(columns.values()), values)]


def finish_joined(
    finish: Finish, keys: tuple[Key, ...], values: Values, tables: Sequence[JoinedRows], extras: Sequence[str]
) -> list[tuple[int | None, Row, Row]]:
    """Return the rows of an answer that is joined to tables, each with some columns beside it."""
    columns = _list_columns(keys, values)
    if len(values.rows) * math.prod(len(listed[0].values) for _, listed in tables) > MOST_JOINED:
        ((count,),) = _run(count_joined(finish, MOST_JOINED), columns, values, tables)
        if count > MOST_JOINED:
            raise QueryError(MANY)
    found = _run(write_finish(finish, None, extras), columns, values, tables)
    return [(number, tuple(row[len(extras) :]), tuple(row[: len(extras)])) for number, *row in found]


def list_joined(place: int, types: Sequence[Type], rows: Sequence[Sequence[Any]]) -> JoinedRows:
    """Return a table of constants, or of another answer's values, with the number of each row."""
    columns = [ReleasedColumn(f"j{place}_number", "BIGINT", range(len(rows)))]
    for at, type_ in enumerate(types):
        kind = WIDE if type_ is Type.INTEGER else SQL_TYPES[type_]
        shown = [_show_value(row[at], type_) for row in rows]
        columns.append(ReleasedColumn(f"j{place}_{at}", kind, shown))
    return f"j{place}", columns


def finish_ends(
    finish: Finish, keys: tuple[Key, ...], values: Values, column: Computed, ends: tuple[Sequence[Any], Sequence[Any]]
) -> list[Row]:
    """Return what the interval of a computed column is made from, for each row of the answer: see `write_finish`.

    `ends` are the least and the largest that its argument can be, for each released row.
    """
    added = [ReleasedColumn(f"{column.name}_{end}", "DOUBLE", each) for end, each in zip(ENDS, ends, strict=True)]
    return [
        tuple(row[1:]) for row in _run(write_finish(finish, column), [*_list_columns(keys, values), *added], values)
    ]


def _run(sql: str, columns: list[ReleasedColumn], values: Values, tables: Sequence[JoinedRows] = ()) -> list[Any]:
    """Run a finish over a table of these columns and the number of each row, and over others that it is joined to."""
    number = ReleasedColumn("number", "BIGINT", range(len(values.rows)))
    with closing(_DATABASE.connect()) as connection:
        try:
            for name, listed in ((RELEASED, [number, *columns]), *tables):
                _create_table(connection, listed, name)
            return connection.execute(sql).fetchall()
        except (duckdb.Error, ValueError):  # pyarrow's are ValueErrors
            raise QueryError(BEYOND) from None


class FinishDatabase:
    """A DuckDB in memory that holds nothing of its own. Threads may share it; a forked child opens another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._database: duckdb.DuckDBPyConnection | None = None

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a connection for one finish."""
        with self._lock:
            if self._database is None or self._owner != os.getpid():
                self._database, self._owner = duckdb.connect(":memory:"), os.getpid()
                self._database.execute("SET GLOBAL TimeZone = 'UTC'")
                self._database.execute("SET enable_external_access = false")
            return self._database.cursor()


_DATABASE = FinishDatabase()


def _list_columns(keys: tuple[Key, ...], values: Values) -> list[ReleasedColumn]:
    """Return the columns k0, k1, ... of keys, a0, a1, ... of aggregates, and s0, the set of keys of each row."""
    found = [ReleasedColumn("s0", WIDE, [row.set for row in values.rows])]
    for place, key in enumerate(keys):
        shown = find_shown_type(key.expression)
        kind = WIDE if shown is Type.INTEGER else SQL_TYPES[shown]
        found.append(ReleasedColumn(f"k{place}", kind, [_show_key(row.keys[place], shown) for row in values.rows]))
    for place, asked in enumerate(values.aggregates):
        kind = WIDE if asked.type is Type.INTEGER else "DOUBLE"
        found.append(ReleasedColumn(f"a{place}", kind, [values.value(place, row) for row in values.rows]))
    return found


def _show_key(value: object, type_: Type) -> object:
    """Return a key as an answer shows it: numbers that are no whole ones as floats, and times, all in UTC, as such."""
    if type_ is Type.FLOAT:
        return float(value) if isinstance(value, int | Fraction) else None
    if isinstance(value, Fraction):
        return int(value)
    return value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value


def _show_value(value: Any, type_: Type) -> Any:
    return value if value is None or isinstance(value, float) else _show_key(value, type_)


def _create_table(connection: duckdb.DuckDBPyConnection, columns: list[ReleasedColumn], name: str) -> None:
    listed = ", ".join(f'"{each.name}" {each.type}' for each in columns)
    connection.execute(f"CREATE TEMP TABLE {name} ({listed})")
    count = len(columns[0].values)
    if 0 < count <= FEW:
        marks = ", ".join([f"({', '.join('?' for _ in columns)})"] * count)
        rows = zip(*(each.values for each in columns), strict=True)
        connection.execute(f"INSERT INTO {name} VALUES {marks}", [value for row in rows for value in row])
    elif count:
        _insert_arrow(connection, columns, name)


def _insert_arrow(connection: duckdb.DuckDBPyConnection, columns: list[ReleasedColumn], name: str) -> None:
    import pyarrow as pa

    types = {
        WIDE: pa.decimal128(38, 0),
        "BOOLEAN": pa.bool_(),
        "BIGINT": pa.int64(),
        "VARCHAR": pa.string(),
        "DATE": pa.date32(),
        "TIMESTAMP": pa.timestamp("us"),
    }
    arrays = [pa.array(_to_plain(each), types.get(each.type, pa.float64())) for each in columns]
    connection.register("given", pa.table(arrays, [f"c{place}" for place in range(len(arrays))]))
    connection.execute(f"INSERT INTO {name} SELECT * FROM given")
    connection.unregister("given")


def _to_plain(column: ReleasedColumn) -> list[Any]:
    if column.type != WIDE:
        return list(column.values)
    return [None if value is None else Decimal(value) for value in column.values]
