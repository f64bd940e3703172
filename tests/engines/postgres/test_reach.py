"""What is said of how large and small the values of an expression can be holds for all of them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import duckdb
import pytest

from discreet.base.types import Type
from discreet.engines.duck.connection import connect
from discreet.engines.duck.forms import write_sql
from discreet.engines.postgres.reach import ANY, WHOLE, bound_reach, of_constant
from discreet.plan.expressions import Call, Expression, Literal
from discreet.plan.functions import FUNCTIONS, call
from engines.postgres.test_forms import WORST
from support.differential import COLUMNS, KINDS, every, nested, rows


def holds(value: Any, expression: Expression) -> bool:
    if value is None or isinstance(value, str) or value != value or value == 0 or math.isinf(float(value)):
        return True
    low, high = bound_reach(expression)
    exponent = math.frexp(float(value))[1]
    return low < exponent <= high


@pytest.fixture(scope="module")
def cursor() -> duckdb.DuckDBPyConnection:
    found = connect()
    found.register("t", rows({**KINDS, **WORST}))
    return found


def numeric(calls: list[Call]) -> list[Call]:
    return [made for made in calls if made.type in (Type.FLOAT, Type.INTEGER)]


def check(cursor: duckdb.DuckDBPyConnection, calls: list[Call], step: int) -> None:
    for start in range(0, len(calls), 40):
        some = calls[start : start + 40]
        listed = ", ".join(write_sql(made) for made in some)
        for row in cursor.execute(f"SELECT {listed} FROM t WHERE t.row % {step} = 0").fetchall():
            for made, value in zip(some, row, strict=True):
                assert holds(value, made), (made, value, bound_reach(made))


def test_every_function_stays_within_its_reach(cursor: duckdb.DuckDBPyConnection) -> None:
    calls = numeric([made for name in sorted(FUNCTIONS) for made in every(name)])
    assert len(calls) > 500
    check(cursor, calls, 11)


@pytest.mark.slow
def test_functions_of_functions_stay_within_their_reach(cursor: duckdb.DuckDBPyConnection) -> None:
    check(cursor, numeric(nested(3, 300)), 11)


def test_a_sum_reaches_further_than_its_parts(cursor: duckdb.DuckDBPyConnection) -> None:
    wave = call("sin", COLUMNS[Type.FLOAT][0])
    check(cursor, [call("add", wave, wave), call("sub", wave, call("neg", wave)), call("mul", wave, wave)], 1)


def test_columns_may_be_anything_and_constants_are_known() -> None:
    assert bound_reach(COLUMNS[Type.FLOAT][0]) == ANY
    assert bound_reach(COLUMNS[Type.INTEGER][0]) == WHOLE
    assert bound_reach(Literal(Fraction(1), Type.FLOAT)) == of_constant(1) == (0, 1)
    assert of_constant(Fraction(3, 8)) == (-2, -1)
    assert of_constant(0) == of_constant(None) == (0, 1)
