"""Expressions over public values: no table is behind them, so they are computed in a DuckDB that holds nothing."""

from __future__ import annotations

import math
from fractions import Fraction

import duckdb

from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.frames import to_values_table
from discreet.engines.duck.literals import SQL_TYPES
from discreet.engines.rows import get_stored_type
from discreet.engines.statements import to_constant
from discreet.plan.expressions import Column, Constant, Expression, replace_columns
from discreet.plan.scales import find_scale


def evaluate(
    cursor: duckdb.DuckDBPyConnection, expression: Expression, given: dict[Column, tuple[Constant, ...]]
) -> tuple[Constant, ...]:
    """Return the distinct values of an expression, without NULL, over all combinations of public values and NULL."""
    tables, named = [], {}
    for place, (column, values) in enumerate(given.items()):  # by place: two tables may have columns of one name
        name = f"__discreet_given_{place}"
        stored = get_stored_type(column)
        cursor.register(name, to_values_table((*_count_places(column, values), None), stored))
        kind = "HUGEINT" if stored is Type.INTEGER else SQL_TYPES[stored]
        tables.append(f"(SELECT CAST(v AS {kind}) AS v FROM {name}) AS g{place}")
        named[column] = Column(f"g{place}", "v", column.type, digits=column.digits)
    value = write_sql(replace_columns(expression, lambda column: named.get(column, column)))
    statement = f"SELECT DISTINCT v FROM (SELECT {value} AS v FROM {', '.join(tables)}) WHERE v IS NOT NULL"
    found = cursor.execute(statement).fetchall()
    constants = tuple(to_constant(value) for (value,) in found if value == value)
    if expression.type is not Type.DECIMAL:
        return constants
    unit = 10 ** find_scale(expression)
    return tuple(Fraction(value, unit) for value in constants if isinstance(value, int))


def _count_places(column: Column, values: tuple[Constant, ...]) -> tuple[Constant, ...]:
    """Return values as they are held: of decimals, how many last places they have."""
    if column.type is not Type.DECIMAL:
        return values
    unit = 10 ** find_scale(column)
    return tuple(math.floor(value * unit) for value in values if isinstance(value, int | Fraction))
