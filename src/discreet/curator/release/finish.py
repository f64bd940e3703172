"""HAVING, ORDER BY, LIMIT and arithmetic on what was released: plain SQL over the released table, and nothing else.

It runs in a DuckDB of its own that holds no other table and may not touch files, so nothing here can cost privacy.
"""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb

from discreet.answers.fields import Row
from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.curator.estimates.values import Values
from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.literals import SQL_TYPES, quote_name
from discreet.plan.bounded import Key
from discreet.plan.question import RELEASED, Finish

FEW = 100
"""Rows up to which pyarrow is not worth its start."""

BEYOND = (
    "arithmetic on the released values leaves 38 digits; multiply by 1.0 to use floats. "
    "The values are recorded: asking for them again is free"
)


def finish_rows(finish: Finish, keys: tuple[Key, ...], values: Values) -> list[tuple[int, Row]]:
    """Return the rows of the answer, each with the number of its released row; sorted by key before ORDER BY."""
    names, types = ["number"], ["BIGINT"]
    columns: list[list[Any]] = [list(range(len(values.rows)))]
    for place, key in enumerate(keys):
        column: list[Any] = [row.keys[place] for row in values.rows]
        if key.type in (Type.FLOAT, Type.DECIMAL):
            column = [float(value) if isinstance(value, int | Fraction) else None for value in column]
        names.append(f"k{place}")
        types.append(SQL_TYPES[key.type])
        columns.append(column)
    for place, asked in enumerate(values.aggregates):
        names.append(f"a{place}")
        types.append("HUGEINT" if asked.type is Type.INTEGER else "DOUBLE")
        columns.append([values.value(place, row) for row in values.rows])
    with closing(duckdb.connect(":memory:")) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        listed = ", ".join(f'"{name}" {kind}' for name, kind in zip(names, types, strict=True))
        connection.execute(f"CREATE TABLE {RELEASED} ({listed})")
        _fill(connection, types, columns)
        connection.execute("SET enable_external_access = false")
        try:
            rows = connection.execute(write_finish(finish)).fetchall()
        except duckdb.Error:
            raise QueryError(BEYOND) from None
    return [(number, tuple(row)) for number, *row in rows]


def _fill(connection: duckdb.DuckDBPyConnection, types: list[str], columns: list[list[Any]]) -> None:
    """Put the columns into the released table: few rows one by one, since pyarrow takes long to begin with."""
    if len(columns[0]) <= FEW:
        marks = ", ".join("?" for _ in columns)
        for row in zip(*columns, strict=True):
            connection.execute(f"INSERT INTO {RELEASED} VALUES ({marks})", row)
        return
    import pyarrow as pa

    arrays = [pa.array(_plain(column, kind), _arrow(kind)) for kind, column in zip(types, columns, strict=True)]
    connection.register("given", pa.table(arrays, [f"c{place}" for place in range(len(arrays))]))
    connection.execute(f"INSERT INTO {RELEASED} SELECT * FROM given")
    connection.unregister("given")


def _plain(column: list[Any], kind: str) -> list[Any]:
    return [None if value is None else Decimal(value) for value in column] if kind == "HUGEINT" else column


def write_finish(finish: Finish) -> str:
    """Return the SQL over the released table."""
    outputs = ", ".join(f"{write_sql(expression)} AS {quote_name(name)}" for name, expression in finish.outputs)
    where = f" WHERE {write_sql(finish.having)}" if finish.having is not None else ""
    order = [
        f"{write_sql(term.by)} {'DESC' if term.descending else 'ASC'} NULLS {'FIRST' if term.nulls_first else 'LAST'}"
        for term in finish.order
    ]
    limit = f" LIMIT {finish.limit}" if finish.limit is not None else ""
    number = f"{RELEASED}.number"
    return f"SELECT {number}, {outputs} FROM {RELEASED}{where} ORDER BY {', '.join([*order, number])}{limit}"


def _arrow(kind: str) -> Any:
    """Return Arrow's type for one of DuckDB's."""
    import pyarrow as pa

    types = {
        "HUGEINT": pa.decimal128(38, 0),
        "BOOLEAN": pa.bool_(),
        "BIGINT": pa.int64(),
        "VARCHAR": pa.string(),
        "DATE": pa.date32(),
        "TIMESTAMP": pa.timestamp("us", "UTC"),
    }
    return types.get(kind, pa.float64())
