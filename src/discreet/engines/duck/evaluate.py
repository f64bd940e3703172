"""Expressions over public values: no table is behind them, so they are computed in a DuckDB that holds nothing."""

from __future__ import annotations

import duckdb

from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.frames import to_values_table
from discreet.engines.duck.literals import SQL_TYPES
from discreet.engines.statements import to_constant
from discreet.plan.expressions import Column, Constant, Expression, replace_columns


def evaluate(
    cursor: duckdb.DuckDBPyConnection, expression: Expression, given: dict[Column, tuple[Constant, ...]]
) -> tuple[Constant, ...]:
    """Return the distinct values of an expression, without NULL, over all combinations of public values and NULL."""
    tables, named = [], {}
    for place, (column, values) in enumerate(given.items()):  # by place: two tables may have columns of one name
        name = f"__discreet_given_{place}"
        cursor.register(name, to_values_table((*values, None), column.type))
        kind = "HUGEINT" if column.type is Type.INTEGER else SQL_TYPES[column.type]
        tables.append(f"(SELECT CAST(v AS {kind}) AS v FROM {name}) AS g{place}")
        named[column] = Column(f"g{place}", "v", column.type)
    value = write_sql(replace_columns(expression, lambda column: named.get(column, column)))
    statement = f"SELECT DISTINCT v FROM (SELECT {value} AS v FROM {', '.join(tables)}) WHERE v IS NOT NULL"
    found = cursor.execute(statement).fetchall()
    return tuple(to_constant(value) for (value,) in found if value == value)
