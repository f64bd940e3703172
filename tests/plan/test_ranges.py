"""Bounds of expressions enclose what the engine computes from columns that keep theirs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call
from discreet.plan.ranges import Range, find_range, is_never_null

WHOLE, REAL, OTHER = Column("t", "i", Type.INTEGER), Column("t", "f", Type.FLOAT), Column("t", "u", Type.FLOAT)
TRUTH, WORDS, DAY = Column("t", "b", Type.BOOLEAN), Column("t", "s", Type.TEXT), Column("t", "d", Type.DATE)
RANGES = {
    "i": Range(Fraction(-7), Fraction(20), Fraction(1)),
    "f": Range(Fraction(-5, 2), Fraction(100), Fraction(1, 4)),
}
VALUES: dict[str, list[float | None]] = {
    "i": [-7, -6, -1, 0, 1, 3, 13, 20, None],
    "f": [-2.5, -2.25, -0.25, 0.0, 0.5, 1.0, 2.75, 50.25, 100.0, None],
}


def known(column: Column) -> Range | None:
    return RANGES.get(column.name)


def number(value: int | Fraction | None) -> Literal:
    return Literal(value, Type.INTEGER if isinstance(value, int) else Type.FLOAT)


def unit(part: str) -> Literal:
    return Literal(part, Type.TEXT)


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute("CREATE TABLE t (i BIGINT, f DOUBLE, b BOOLEAN)")
    for i in VALUES["i"]:
        for f in VALUES["f"]:
            made.execute("INSERT INTO t VALUES (?, ?, TRUE), (?, ?, FALSE)", [i, f, i, f])
    return made


LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.just(WHOLE),
    st.just(REAL),
    st.integers(-4, 60).map(number),
    st.fractions(-9, 9, max_denominator=4).filter(lambda value: value.denominator in (2, 4)).map(number),
)
ONE = ["neg", "abs", "sign", "floor", "ceil", "trunc", "sqrt", "exp", "ln", "log10", "log2", "sin", "cos"]
ONE += ["asin", "acos", "atan", "radians", "degrees", "round", "as_integer", "as_float"]
TWO = ["add", "sub", "mul", "div", "int_div", "mod", "pow", "least", "greatest", "coalesce", "nullif", "atan2"]


@st.composite
def expressions(draw: Any, depth: int = 3) -> Expression:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        leaf: Expression = draw(LEAVES)
        return leaf
    name = draw(st.sampled_from([*ONE, *TWO, "case", "digits", "width_bucket"]))
    inner: list[Expression] = [draw(expressions(depth - 1)) for _ in range(2 if name in (*TWO, "case") else 1)]
    try:
        if name == "case":
            return call("case", call("gt", REAL, number(1)), inner[0], inner[1])
        if name == "digits":
            return call("round", inner[0], number(draw(st.integers(-2, 2))))
        if name == "width_bucket":
            return call(name, inner[0], number(0), number(10), number(5))
        return call(name, *inner)
    except QueryError:
        return inner[0]


@settings(max_examples=400, deadline=None)
@given(made=expressions())
def test_bounds_enclose_what_the_engine_computes(connection: duckdb.DuckDBPyConnection, made: Expression) -> None:
    found = find_range(made, known)
    if found is None:
        return
    low, high = float(max(found.lower, -(Fraction(10) ** 300))), float(min(found.upper, Fraction(10) ** 300))
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    for (value,) in connection.execute(f"SELECT DISTINCT {write_sql(made)} FROM t").fetchall():
        if value is not None and not math.isnan(value):
            assert low - slack <= value <= high + slack


@settings(max_examples=200, deadline=None)
@given(made=expressions())
def test_exact_values_lie_on_the_grid(connection: duckdb.DuckDBPyConnection, made: Expression) -> None:
    found = find_range(made, known)
    if (
        found is None
        or found.step is None
        or abs(found.lower) + abs(found.upper) > 10**9
        or found.step < Fraction(1, 64)
    ):
        return
    if found.step.denominator & (found.step.denominator - 1):
        return  # only halves, quarters, ... are exact in floats
    for (value,) in connection.execute(f"SELECT DISTINCT {write_sql(made)} FROM t").fetchall():
        if value is not None and not math.isnan(value):
            assert abs(Fraction(value) / found.step - round(Fraction(value) / found.step)) < Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("made", "lower", "upper", "step"),
    [
        (call("mul", WHOLE, WHOLE), -140, 400, 1),
        (call("mul", REAL, number(-2)), -200, 5, Fraction(1, 4)),
        (call("add", WHOLE, REAL), Fraction(-19, 2), 120, Fraction(1, 4)),
        (call("sub", number(1), WHOLE), -19, 8, 1),
        (call("div", REAL, number(-2)), -50, Fraction(5, 4), None),
        (call("abs", REAL), 0, 100, Fraction(1, 4)),
        (call("mod", WHOLE, number(5)), -5, 5, 1),
        (call("int_div", WHOLE, number(-3)), -6, 2, 1),
        (call("int_div", WHOLE, WHOLE), -20, 20, 1),
        (call("floor", call("div", REAL, number(3))), -1, 33, 1),
        (call("round", REAL, number(1)), Fraction(-5, 2), 100, Fraction(1, 10)),
        (call("round", WHOLE, number(-1)), -10, 20, 10),
        (call("round", WHOLE, number(1)), -7, 20, 1),
        (call("pow", REAL, number(2)), 0, 10000, None),
        (call("pow", WHOLE, number(3)), -343, 8000, None),
        (call("sign", REAL), -1, 1, 1),
        (call("case", TRUTH, WHOLE, Literal(None, Type.INTEGER)), -7, 20, 1),
        (call("coalesce", REAL, number(0)), Fraction(-5, 2), 100, Fraction(1, 4)),
        (call("nullif", WHOLE, number(0)), -7, 20, 1),
        (call("as_integer", TRUTH), 0, 1, 1),
        (call("as_integer", REAL), -2, 100, 1),
        (call("as_float", WHOLE), -7, 20, 1),
        (call("least", call("greatest", OTHER, number(0)), number(9)), 0, 9, None),
        (call("greatest", call("least", OTHER, number(9)), number(0)), 0, 9, None),
        (call("least", WHOLE, REAL), -7, 100, Fraction(1, 4)),
        (call("width_bucket", OTHER, number(0), number(1), number(4)), 0, 5, 1),
        (call("date_part", unit("month"), DAY), 1, 12, 1),
        (call("date_part", unit("dow"), DAY), 0, 6, 1),
        (call("sin", OTHER), -1, 1, None),
        (number(Fraction(1, 3)), Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_some_bounds(made: Expression, lower: Any, upper: Any, step: Any) -> None:
    assert find_range(made, known) == Range(Fraction(lower), Fraction(upper), step if step is None else Fraction(step))


@pytest.mark.parametrize(
    "made",
    [
        TRUTH,
        WORDS,
        OTHER,
        call("add", WHOLE, OTHER),
        call("mul", WHOLE, OTHER),
        call("div", WHOLE, REAL),
        call("ln", REAL),
        call("exp", call("mul", REAL, number(100))),
        call("tan", REAL),
        call("length", WORDS),
        call("greatest", OTHER, number(0)),
        call("least", OTHER, WHOLE),
        call("case", TRUTH, WHOLE, OTHER),
        call("as_integer", WORDS),
        call("date_part", unit("year"), DAY),
        call("date_diff", unit("day"), DAY, DAY),
        call("pow", REAL, WHOLE),
        call("pow", REAL, number(-1)),
        call("pow", REAL, number(10**6)),
        Literal(None, Type.INTEGER),
    ],
)
def test_what_has_no_bounds(made: Expression) -> None:
    assert find_range(made, known) is None


def test_curves_are_bounded_where_they_are() -> None:
    found = find_range(call("sqrt", REAL), known)
    assert found is not None
    assert (float(found.lower), round(float(found.upper), 9)) == (0.0, 10.0)
    found = find_range(call("ln", call("greatest", REAL, number(1))), known)
    assert found is not None
    assert (round(float(found.lower), 9), round(float(found.upper), 6)) == (0, 4.60517)


def test_ends_stay_short() -> None:
    made: Expression = call("div", REAL, number(Fraction(3)))
    for _ in range(5):
        made = call("pow", made, number(60))
    found = find_range(made, known)
    assert found is None or found.upper.numerator.bit_length() < 10_000
    made = call("div", REAL, number(1000))
    for _ in range(9):
        made = call("mul", made, made)
    found = find_range(made, known)
    assert found is not None
    assert found.upper.denominator.bit_length() < 10_000


def test_what_is_never_null() -> None:
    assert is_never_null(number(1))
    assert is_never_null(call("coalesce", WHOLE, number(1)))
    assert not is_never_null(call("coalesce", WHOLE, WHOLE))
    assert not is_never_null(call("add", number(1), number(1)))
