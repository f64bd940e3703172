"""Arithmetic, mathematical functions and casts give what Python gives, or NULL where there is nothing to give."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from support.worst_values import compared, nasty


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return nasty()


def null_safe(rule: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: None if None in given else rule(*given)


def whole(value: Any) -> bool:
    return isinstance(value, int)


def sign(x: Any) -> Any:
    return None if x != x else (x > 0) - (x < 0)


def truncated(x: Any, y: Any) -> Any:
    return None if y == 0 else (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)


def remainder(x: Any, y: Any) -> Any:
    if whole(x) and whole(y):
        return None if y == 0 else x - y * truncated(x, y)
    if y == 0 or not math.isfinite(x) or y != y:
        return None
    return math.fmod(x, y)


def stepped(rule: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: x if whole(x) or not math.isfinite(x) else float(rule(x))


def to_integer(x: Any) -> Any:
    if isinstance(x, str):
        plain = x.strip(" ").removeprefix("-").removeprefix("+")
        x = int(x) if plain.isascii() and plain.isdecimal() else math.nan
    return round(x) if math.isfinite(x) and -(2**63) <= round(x) < 2**63 else None


def to_float(x: Any) -> Any:
    try:
        found = float(x)
    except ValueError:
        return None
    return None if isinstance(x, str) and not math.isfinite(found) else found


REFERENCES: dict[str, Callable[..., Any]] = {
    "sign": sign,
    "int_div": truncated,
    "mod": remainder,
    "abs": abs,
    "floor": stepped(math.floor),
    "ceil": stepped(math.ceil),
    "trunc": stepped(math.trunc),
    "sqrt": lambda x: math.sqrt(x) if 0 <= x < math.inf else None,
    "as_integer": to_integer,
    "as_float": to_float,
}


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_values_are_those_of_python(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    assert compared(connection, name, null_safe(REFERENCES[name])) > 100


def value(connection: duckdb.DuckDBPyConnection, name: str, *arguments: Any) -> Any:
    kinds = {int: Type.INTEGER, Fraction: Type.FLOAT, str: Type.TEXT, bool: Type.BOOLEAN}
    literals: list[Expression] = [Literal(each, kinds[type(each)]) for each in arguments]
    return connection.execute(f"SELECT {write_sql(call(name, *literals))}").fetchall()[0][0]


@pytest.mark.parametrize(
    ("name", "argument"),
    [("sqrt", -1), ("ln", 0), ("ln", -1), ("log10", 0), ("log2", -1), ("asin", 2), ("acos", -2), ("exp", 1000)],
)
def test_what_has_no_value_is_null_on_constants_too(
    connection: duckdb.DuckDBPyConnection, name: str, argument: int
) -> None:
    assert value(connection, name, argument) is None


CURVES = {
    "exp": math.exp,
    "ln": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "atan": math.atan,
    "radians": math.radians,
    "degrees": math.degrees,
}


@given(st.sampled_from(sorted(CURVES)), st.fractions(Fraction(1, 100), 100))
def test_curves_are_those_of_python(connection: duckdb.DuckDBPyConnection, name: str, x: Fraction) -> None:
    assert math.isclose(value(connection, name, x), CURVES[name](float(x)), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("base", "power", "wanted"),
    [(2, 10, 1024.0), (-8, Fraction(1, 3), None), (0, -1, None), (10, 400, None), (-10, 401, None), (0, 0, 1.0)],
)
def test_powers(connection: duckdb.DuckDBPyConnection, base: int, power: Any, wanted: Any) -> None:
    assert value(connection, "pow", base, power) == wanted


@given(st.integers(-(2**63), 2**63), st.integers(-38, 5))
def test_whole_numbers_are_rounded_exactly(connection: duckdb.DuckDBPyConnection, x: int, digits: int) -> None:
    unit = 10**-digits if digits < 0 else 1
    away = (abs(x) + unit // 2) // unit * unit
    assert value(connection, "round", x, digits) == (away if x >= 0 else -away)


def test_halves_are_rounded_away_from_zero_and_cast_to_even(connection: duckdb.DuckDBPyConnection) -> None:
    for x, rounded, cast in ((5, 3, 2), (-5, -3, -2), (3, 2, 2), (1, 1, 0), (-1, -1, 0)):
        assert value(connection, "round", Fraction(x, 2)) == rounded
        assert value(connection, "as_integer", Fraction(x, 2)) == cast
    assert value(connection, "round", Fraction(-12345, 100), 1) == -123.5


@pytest.mark.parametrize(
    ("text", "integer", "number"),
    [
        (" 12 ", 12, 12.0),
        ("+5", 5, 5.0),
        ("1_000", None, None),
        ("0x1F", None, None),
        ("1.5", None, 1.5),
        (".5", None, 0.5),
        ("1e3", None, 1000.0),
        ("nan", None, None),
        ("inf", None, None),
        ("1e999", None, None),
        ("1\n", None, None),
        ("", None, None),
        ("9223372036854775808", None, 9223372036854775808.0),
    ],
)
def test_only_plain_numbers_are_read(
    connection: duckdb.DuckDBPyConnection, text: str, integer: Any, number: Any
) -> None:
    assert value(connection, "as_integer", text) == integer
    assert value(connection, "as_float", text) == number


@pytest.mark.parametrize(
    ("x", "wanted"), [(-1, 0), (0, 1), (Fraction(5, 2), 2), (Fraction(99, 10), 4), (10, 5), (10**30, 5)]
)
def test_buckets(connection: duckdb.DuckDBPyConnection, x: Any, wanted: int) -> None:
    assert value(connection, "width_bucket", x, 0, 10, 4) == wanted


def test_nan_is_in_no_bucket_and_null_neither(connection: duckdb.DuckDBPyConnection) -> None:
    def wanted(x: Any, low: float, high: int, count: int) -> Any:
        if x is None or x != x:
            return None
        if low <= x < high:
            return min(math.floor((x - low) / (high - low) * count) + 1, count)
        return 0 if x < low else count + 1

    assert compared(connection, "width_bucket", wanted) > 100
