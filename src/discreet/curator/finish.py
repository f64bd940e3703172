"""HAVING, ORDER BY, LIMIT and arithmetic on what was released: plain SQL over the released table, and nothing else.

It runs in a DuckDB of its own that holds no other table and may not touch files, so nothing here can cost privacy.
"""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.curator.values import Values
from discreet.engines.forms import SQL_TYPES, quoted, sql
from discreet.plan.bounded import Key
from discreet.plan.question import RELEASED, Finish

Row = tuple[object, ...]

BEYOND = (
    "arithmetic on the released values leaves 38 digits; multiply by 1.0 to use floats. "
    "The values are recorded: asking for them again is free"
)


def finished(finish: Finish, keys: tuple[Key, ...], values: Values) -> list[tuple[int, Row]]:
    """Return the rows of the answer, each with the number of its released row; sorted by key before ORDER BY."""
    import pyarrow as pa

    rows = values.rows
    columns = {"number": pa.array(range(len(rows)), pa.int64())}
    types = ['"number" BIGINT']
    for place, key in enumerate(keys):
        column: list[object] = [row.keys[place] for row in rows]
        if key.type in (Type.FLOAT, Type.DECIMAL):
            column = [float(value) if isinstance(value, int | Fraction) else None for value in column]
        columns[f"k{place}"] = pa.array(column, _arrow(key.type))
        types.append(f'"k{place}" {SQL_TYPES[key.type]}')
    for place, asked in enumerate(values.aggregates):
        whole = asked.type is Type.INTEGER
        found = [values.value(place, row) for row in rows]
        exact = [None if value is None else Decimal(value) for value in found] if whole else found
        columns[f"a{place}"] = pa.array(exact, pa.decimal128(38, 0) if whole else pa.float64())
        types.append(f'"a{place}" {"HUGEINT" if whole else "DOUBLE"}')
    with closing(duckdb.connect(":memory:")) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("given", pa.table(columns))
        connection.execute(f"CREATE TABLE {RELEASED} ({', '.join(types)})")
        connection.execute(f"INSERT INTO {RELEASED} SELECT * FROM given")
        connection.unregister("given")
        connection.execute("SET enable_external_access = false")
        try:
            found_rows = connection.execute(statement(finish)).fetchall()
        except duckdb.Error:
            raise QueryError(BEYOND) from None
    return [(number, tuple(row)) for number, *row in found_rows]


def statement(finish: Finish) -> str:
    """Return the SQL over the released table."""
    outputs = ", ".join(f"{sql(expression)} AS {quoted(name)}" for name, expression in finish.outputs)
    where = f" WHERE {sql(finish.having)}" if finish.having is not None else ""
    order = [
        f"{sql(term.by)} {'DESC' if term.descending else 'ASC'} NULLS {'FIRST' if term.nulls_first else 'LAST'}"
        for term in finish.order
    ]
    limit = f" LIMIT {finish.limit}" if finish.limit is not None else ""
    number = f"{RELEASED}.number"
    return f"SELECT {number}, {outputs} FROM {RELEASED}{where} ORDER BY {', '.join([*order, number])}{limit}"


def _arrow(kind: Type) -> Any:
    """Return Arrow's type of a key."""
    import pyarrow as pa

    types = {
        Type.BOOLEAN: pa.bool_(),
        Type.INTEGER: pa.int64(),
        Type.TEXT: pa.string(),
        Type.DATE: pa.date32(),
        Type.TIMESTAMP: pa.timestamp("us", "UTC"),
    }
    return types.get(kind, pa.float64())
