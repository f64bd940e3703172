"""Expressions over public values: no table is behind them, so they are computed in a DuckDB that holds nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import duckdb

from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.frames import to_values_table
from discreet.engines.duck.literals import SQL_TYPES
from discreet.engines.rows import get_stored_type
from discreet.engines.statements import to_constant
from discreet.plan.expressions import Column, Constant, Expression, GivenRows, replace_columns
from discreet.plan.scales import find_scale


def evaluate(
    cursor: duckdb.DuckDBPyConnection, expression: Expression, given: dict[Column, tuple[Constant, ...]]
) -> tuple[Constant, ...]:
    """Return the distinct values of an expression, without NULL, over all combinations of public values and NULL."""
    rows = tuple(((column,), tuple((value,) for value in (*values, None))) for column, values in given.items())
    return tuple(value for (value,) in combine(cursor, (expression,), None, rows))


def combine(
    cursor: duckdb.DuckDBPyConnection,
    expressions: tuple[Expression, ...],
    where: Expression | None,
    given: tuple[GivenRows, ...],
) -> tuple[tuple[Constant, ...], ...]:
    """Return the distinct rows of some expressions, none of them NULL, over all combinations of public rows.

    Only those count for which the condition is true: not NULL, as in WHERE.
    """
    tables, named = [], {}
    for place, (columns, rows) in enumerate(given):  # by place: two tables may have columns of one name
        name, listed = f"__discreet_given_{place}", []
        by_column = list(zip(*rows, strict=True)) or [() for _ in columns]
        stored = [get_stored_type(column) for column in columns]
        held = {f"v{at}": _count_places(column, by_column[at]) for at, column in enumerate(columns)}
        cursor.register(name, to_values_table(held, stored))
        for at, (column, type_) in enumerate(zip(columns, stored, strict=True)):
            kind = "HUGEINT" if type_ is Type.INTEGER else SQL_TYPES[type_]
            listed.append(f"CAST(v{at} AS {kind}) AS v{at}")
            named[column] = Column(f"g{place}", f"v{at}", column.type, digits=column.digits, bits=column.bits)
        tables.append(f"(SELECT {', '.join(listed)} FROM {name}) AS g{place}")

    def write(expression: Expression) -> str:
        return write_sql(replace_columns(expression, lambda column: named.get(column, column)))

    values = ", ".join(f"{write(each)} AS v{at}" for at, each in enumerate(expressions))
    some = " AND ".join(f"v{at} IS NOT NULL" for at in range(len(expressions)))
    condition = "" if where is None else f" WHERE {write(where)}"
    statement = f"SELECT DISTINCT * FROM (SELECT {values} FROM {', '.join(tables)}{condition}) WHERE {some}"
    found = (
        tuple(_read_constant(each, value) for each, value in zip(expressions, row, strict=True))
        for row in cursor.execute(statement).fetchall()
    )
    return tuple(row for row in found if None not in row)


def _count_places(column: Column, values: Sequence[Constant]) -> tuple[Constant, ...]:
    """Return values as they are held: of decimals, how many last places they have."""
    if column.type is not Type.DECIMAL:
        return tuple(values)
    unit = 10 ** find_scale(column)
    return tuple(math.floor(value * unit) if isinstance(value, int | Fraction) else None for value in values)


def _read_constant(expression: Expression, value: Any) -> Constant:
    """Return a value of an expression as it is meant, None for NaN; a decimal comes as a number of last places."""
    constant = None if value != value else to_constant(value)
    if expression.type is not Type.DECIMAL or not isinstance(constant, int):
        return constant
    return Fraction(constant, 10 ** find_scale(expression))
