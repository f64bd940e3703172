"""What the tests of forms share: the worst values of every type, in a table and as constants, and every function."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import duckdb

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.functions import call
from support.hospital import duck, engine_of

ROWS = """\
CREATE TEMP TABLE t AS SELECT * FROM (VALUES
  (0::BIGINT, 0::DOUBLE, '', true, DATE '1970-01-01', TIMESTAMP '1970-01-01', 3::BIGINT),
  (9223372036854775807, 'inf', 'it''s %_\\', false, DATE '5881580-07-10',
   TIMESTAMP '294247-01-10 04:00:54.775806', -9223372036854775808),
  (-9223372036854775808, '-inf', '\u00e9\U0001f600e\u0301', true, DATE '5877642-06-25 (BC)',
   TIMESTAMP '290309-12-22 (BC) 00:00:00', 9223372036854775807),
  (-1, 'nan', 'nan', NULL, DATE 'infinity', TIMESTAMP 'infinity', -2),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (1, 1.7e308, 'aBc ABC  ', true, DATE '-infinity', TIMESTAMP '-infinity', 0),
  (2, 5e-324, ' 12 ', true, DATE '2020-02-29', TIMESTAMP '2020-02-29 13:59:59.999999', NULL),
  (-7, -2.5, '2020-02-30', false, DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59.999999', 1),
  (86400, -0.0, '1e999', NULL, DATE '0001-01-01', TIMESTAMP '0001-01-01', -1),
  (12, 2.5, repeat('\U0001f600', 5000), false, DATE '2024-12-30', TIMESTAMP '1969-12-31 23:59:59.999999', 4294967297)
) v(i, f, s, b, d, m, j)"""


def column(name: str, type_: Type) -> Column:
    return Column("t", name, type_)


def constants(type_: Type, *values: Any) -> list[Expression]:
    return [Literal(value, type_) for value in (*values, None)]


WHOLES = [column("i", Type.INTEGER), column("j", Type.INTEGER)]
WHOLES += constants(Type.INTEGER, 0, -1, 2, 2**63 - 1, -(2**63))  # type: ignore[arg-type]
FLOATS = [
    column("f", Type.FLOAT),
    *constants(Type.FLOAT, Fraction(0), Fraction(-1), Fraction(1, 3), Fraction(10) ** 308),
]
TEXTS = [
    column("s", Type.TEXT),
    *constants(Type.TEXT, "", "a", "\u00e9\U0001f600", "%_'", "\u00c9\u00dfA", "2020-02-29", "-1.5e3"),
]
TRUTHS = [column("b", Type.BOOLEAN), *constants(Type.BOOLEAN, True, False)]
DATES = [column("d", Type.DATE), *constants(Type.DATE, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2020, 2, 29))]
MOMENTS = [
    column("m", Type.TIMESTAMP),
    *constants(
        Type.TIMESTAMP,
        dt.datetime(1, 1, 1, tzinfo=dt.UTC),
        dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
    ),
]
NUMBERS = [*WHOLES, *FLOATS]
TIMES = [*DATES, *MOMENTS]
ALL = [*NUMBERS, *TEXTS, *TRUTHS, *TIMES]
DIGITS = [Literal(digits, Type.INTEGER) for digits in (-38, -19, -2, 0, 1, 38)]
SEARCHED = [Literal(value, Type.TEXT) for value in ("a", "\u00e9", " ")]
PUT = [Literal(value, Type.TEXT) for value in ("", "xyz", "\U0001f600")]
LENGTHS = [Literal(value, Type.INTEGER) for value in (0, 3, 1000)]
PATTERNS = [Literal(value, Type.TEXT) for value in ("a", "[^a]", "^\\s*[a-z]+", "[\u00e9\U0001f600]{1,2}$", ".")]
PLACES = [Literal(value, Type.INTEGER) for value in (1, 2, -1, -2, 1_000_000)]
LONG = [Literal(unit, Type.TEXT) for unit in ("day", "week", "month", "quarter", "year")]
SHORT = [Literal(unit, Type.TEXT) for unit in ("hour", "minute", "second", "millisecond", "microsecond")]
PARTS = [
    Literal(part, Type.TEXT)
    for part in ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow", "isodow", "doy")
]
STEPS = [Literal(step, Type.INTEGER) for step in (0, 1, -1, 13, 119_999, -200_000, 5_000_000)]
TINY_STEPS = [Literal(step, Type.INTEGER) for step in (0, 1, -1, 3_600_000_000, 10**18, -(10**18))]
ENDS = [Literal(Fraction(end), Type.FLOAT) for end in (-1, 0)], [Literal(10, Type.INTEGER)], [Literal(4, Type.INTEGER)]

Pools = tuple[list[Any], ...]

_BOTH = (ALL, ALL)
_ONE_NUMBER: Pools = (NUMBERS,)
_TWO_TEXTS: Pools = (TEXTS, TEXTS)

ARGUMENTS: dict[str, list[Pools]] = {
    **{key: [_BOTH] for key in ("eq", "ne", "lt", "le", "gt", "ge", "distinct", "in", "nullif")},
    **{key: [(TRUTHS, TRUTHS)] for key in ("and", "or")},
    **{key: [(TRUTHS,)] for key in ("not", "is_true", "is_false")},
    **{key: [(NUMBERS, NUMBERS)] for key in ("add", "sub", "mul", "div", "int_div", "mod", "pow", "atan2")},
    **{key: [_ONE_NUMBER] for key in ("neg", "abs", "sign", "floor", "ceil", "trunc", "sqrt", "exp", "ln", "log10")},
    **{key: [_ONE_NUMBER] for key in ("log2", "sin", "cos", "tan", "asin", "acos", "atan", "radians", "degrees")},
    "is_null": [(ALL,)],
    "round": [(NUMBERS,), (NUMBERS, DIGITS)],
    "case": [(TRUTHS, ALL, ALL)],
    **{key: [(ALL,), _BOTH] for key in ("coalesce", "least", "greatest")},
    **{key: [(ALL,)] for key in ("as_boolean", "as_integer", "as_float", "as_text", "as_date", "as_timestamp")},
    "as_decimal": [(ALL, [Literal(18, Type.INTEGER)], [Literal(scale, Type.INTEGER)]) for scale in (0, 3, 18)],
    "width_bucket": [(NUMBERS, *ENDS)],
    "like": [_TWO_TEXTS, (TEXTS, [Literal("a!%_", Type.TEXT)], [Literal("!", Type.TEXT)])],
    **{key: [_TWO_TEXTS] for key in ("starts_with", "ends_with", "contains", "strpos", "join")},
    **{key: [(TEXTS,)] for key in ("lower", "upper", "reverse", "length", "strlen")},
    "split_part": [(TEXTS, SEARCHED, PLACES)],
    "concat": [(TEXTS,), _TWO_TEXTS],
    "substring": [(TEXTS, WHOLES), (TEXTS, WHOLES, WHOLES)],
    **{key: [(TEXTS, WHOLES)] for key in ("left", "right")},
    **{key: [(TEXTS,), (TEXTS, [*SEARCHED, *PUT])] for key in ("trim", "ltrim", "rtrim")},
    "replace": [(TEXTS, SEARCHED, PUT)],
    **{key: [(TEXTS, PATTERNS, PUT)] for key in ("regexp_replace", "regexp_replace_all")},
    **{key: [(TEXTS, LENGTHS, SEARCHED)] for key in ("lpad", "rpad")},
    "date_trunc": [(LONG, TIMES)],
    "time_trunc": [(SHORT, TIMES)],
    "date_part": [(PARTS, TIMES)],
    "date_diff": [([*LONG[:1], *LONG[2:], *SHORT], TIMES, TIMES)],
    "last_day": [(TIMES,)],
    "plus_months": [(TIMES, STEPS)],
    "plus_days": [(TIMES, STEPS), (DATES, WHOLES[:2])],
    "plus_microseconds": [(TIMES, TINY_STEPS)],
}


def every(name: str) -> Iterator[Call]:
    """Yield every call of a function that its types allow, on the worst there is."""
    for pools in ARGUMENTS[name]:
        for arguments in itertools.product(*pools):
            try:
                yield call(name, *arguments)
            except QueryError:
                continue


def nasty() -> duckdb.DuckDBPyConnection:
    """Return a cursor of a real engine, with the settings that questions run under, and the worst rows."""
    cursor = duck(engine_of())._cursor(set())
    cursor.execute(ROWS)
    return cursor


def compared(connection: duckdb.DuckDBPyConnection, name: str, wanted: Callable[..., Any]) -> int:
    """Hold every call's values against a function of Python, and return how many were."""
    seen = 0
    for made in every(name):
        listed = ", ".join(write_sql(each) for each in (*made.arguments, made))
        for *given, found in connection.execute(f"SELECT {listed} FROM t").fetchall():
            expected = wanted(*given)
            assert found == expected or (found != found and expected != expected), (
                write_sql(made),
                given,
                found,
                expected,
            )
            seen += 1
    return seen
