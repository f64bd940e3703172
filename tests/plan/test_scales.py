"""Digits behind the point follow from the form of an expression, as DuckDB's types do."""

from __future__ import annotations

from fractions import Fraction

import duckdb
import pytest

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call
from discreet.plan.scales import MOST_SCALE, count_places, find_scale

A, B = (Column("t", name, Type.DECIMAL, digits=digits) for name, digits in (("a", (9, 2)), ("b", (8, 3))))
N, F = Column("t", "n", Type.INTEGER), Column("t", "f", Type.FLOAT)
TABLE = "(SELECT 1.5::DECIMAL(9,2) AS a, 2.5::DECIMAL(8,3) AS b, 3::BIGINT AS n, 0.5::DOUBLE AS f, true AS c)"
TRUTH = Column("t", "c", Type.BOOLEAN)


def whole(value: int) -> Literal:
    return Literal(value, Type.INTEGER)


@pytest.mark.parametrize(
    ("made", "sql"),
    [
        (call("add", A, B), "a + b"),
        (call("sub", A, N), "a - n"),
        (call("mul", A, B), "a * b"),
        (call("mul", A, N), "a * n"),
        (call("mod", A, B), "a % b"),
        (call("neg", B), "-b"),
        (call("abs", B), "abs(b)"),
        (call("floor", B), "floor(b)"),
        (call("ceil", B), "ceil(b)"),
        (call("trunc", B), "trunc(b)"),
        (call("round", B), "round(b)"),
        (call("round", B, whole(1)), "round(b, 1)"),
        (call("round", B, whole(7)), "round(b, 7)"),
        (call("round", B, whole(-1)), "round(b, -1)"),
        (call("coalesce", A, B), "coalesce(a, b)"),
        (call("least", A, N), "least(a, n)"),
        (call("case", TRUTH, A, B), "CASE WHEN c THEN a ELSE b END"),
        (call("nullif", A, B), "nullif(a, b)"),
        (call("as_decimal", F, whole(10), whole(4)), "f::DECIMAL(10, 4)"),
        (call("div", A, B), "a / b"),
        (call("add", A, F), "a + f"),
        (call("mul", F, B), "f * b"),
        (call("sqrt", A), "sqrt(a)"),
    ],
)
def test_types_and_scales_are_duckdbs(made: Expression, sql: str) -> None:
    ((kind,),) = duckdb.connect().execute(f"SELECT typeof({sql}) FROM {TABLE}").fetchall()
    if kind == "DOUBLE":
        assert made.type is Type.FLOAT
    else:
        assert made.type is Type.DECIMAL
        assert kind.endswith(f",{find_scale(made)})")


def test_a_constant_has_the_digits_that_it_needs() -> None:
    assert [count_places(Fraction(each)) for each in ("0.06", "0.50", "3", "0.001")] == [2, 1, 0, 3]
    assert count_places(Fraction(1, 3)) > MOST_SCALE
    assert find_scale(Literal(None, Type.DECIMAL)) == 0


def test_what_has_more_digits_behind_the_point_than_any_number_is_refused() -> None:
    fine = Column("t", "x", Type.DECIMAL, digits=(30, 19))
    assert find_scale(call("mul", fine, Column("t", "y", Type.DECIMAL, digits=(20, 18)))) == MOST_SCALE
    with pytest.raises(QueryError, match="more than 37 digits behind the point; CAST"):
        call("mul", fine, fine)


def test_constants_beside_floats_are_floats() -> None:
    tenth = Literal(Fraction(1, 10), Type.DECIMAL)
    assert call("lt", F, tenth).arguments[1] == Literal(Fraction(1, 10), Type.FLOAT)
    assert call("div", N, tenth).arguments[1].type is Type.FLOAT
    assert call("lt", N, tenth).arguments[1].type is Type.DECIMAL
