"""Arguments that a form needs several times are computed once, and never before they are asked for."""

from __future__ import annotations

from typing import Any

import psycopg

from discreet.base.types import Type
from discreet.engines.postgres.once import compute_once, computed
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call

X = Column("t", "x", Type.FLOAT)
ONE = Literal(1, Type.INTEGER)


def body(a: str, b: str) -> str:
    return f"({a} + {b} + {a})"


def test_columns_are_written_again_and_all_else_is_computed_first() -> None:
    inner: Expression = call("add", X, ONE)
    assert compute_once(["x", "y"], [X, X], body) == "(x + y + x)"
    assert (
        compute_once(["x + 1", "y"], [inner, X], body)
        == "(SELECT (v.a0 + y + v.a0) FROM (SELECT x + 1 AS a0 OFFSET 0) AS v)"
    )
    assert compute_once(["x", "1"], [X, ONE], body) == "(SELECT (x + v.a1 + x) FROM (SELECT 1 AS a1 OFFSET 0) AS v)"


def test_an_argument_is_evaluated_once_for_each_row(server: psycopg.Connection[Any]) -> None:
    server.execute("CREATE TEMP SEQUENCE counted")
    written = computed("nextval('pg_temp.counted') + 0 * g.n AS x", "v.x + v.x + v.x")
    server.execute(f"SELECT {written} FROM generate_series(1, 5) AS g(n)".encode())
    assert server.execute("SELECT last_value FROM pg_temp.counted").fetchall() == [(5,)]
    server.execute("DROP SEQUENCE pg_temp.counted")


def test_a_branch_that_no_row_takes_is_not_evaluated_early(server: psycopg.Connection[Any]) -> None:
    written = computed("0 AS x", "CASE WHEN v.x <> 0 THEN 1 / v.x END")
    assert server.execute(f"SELECT {written}".encode()).fetchall() == [(None,)]
