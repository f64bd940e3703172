"""Whether another engine's form of every function gives what DuckDB's gives, on all pairs of the worst values."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pyarrow as pa

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.duck import forms as duck
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.functions import FUNCTIONS, call
from support.hospital import duck as duck_engine
from support.hospital import engine_of
from support.worst_values import ARGUMENTS

NAN, INF = math.nan, math.inf

WHOLES = [None, 0, 1, -1, 2, 3, -7, 12, 400, 86400, 2**31, -(2**31) - 1, 2**32 + 1, 2**53 + 1, 10**15, -(10**17) - 3]
WHOLES += [2**62, 2**63 - 1, -(2**63), -(2**63) + 1]
FLOATS = [None, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1 / 3, -0.3, 7.25, 123456.789]
FLOATS += [1e15 + 0.5, 2.0**52 + 1, 2.0**63, -(2.0**63), 1e23, 1.7e308, -1.7e308, 5e-324, NAN, INF, -INF]
TEXTS = [
    None,
    "",
    " ",
    "a",
    "aBc ABC  ",
    "it's %_\\",
    "\u00e9\U0001f600e\u0301",
    "\U0001f600",
    "nan",
    "Infinity",
    " 12 ",
]
TEXTS += ["-9223372036854775808", "9223372036854775808", "+5", "1e999", ".5", "1.", "1.5e-3", "1e00000400", "0" * 420]
TEXTS += ["2020-02-30", "2020-02-29", "2020-02-29T23:59:59.9999", "9999-12-31 24:00", "TRUE", "n", "a\nb\n", "1\n"]
TRUTHS = [None, True, False]
DATES = [
    None,
    dt.date(1970, 1, 1),
    dt.date(1969, 12, 31),
    dt.date(1, 1, 1),
    dt.date(9999, 12, 31),
    dt.date(2020, 2, 29),
]
DATES += [dt.date(1582, 10, 10), dt.date(1500, 3, 1), dt.date(2024, 12, 30), dt.date(2021, 1, 3), dt.date(1900, 2, 28)]
MOMENTS = [None if day is None else dt.datetime(day.year, day.month, day.day) for day in DATES]
MOMENTS += [dt.datetime(9999, 12, 31, 23, 59, 59, 999999), dt.datetime(1, 1, 1, 0, 0, 0, 1)]
MOMENTS += [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(2020, 2, 29, 13, 59, 59, 999999)]
MOMENTS += [dt.datetime(1582, 10, 9, 12, 30, 0, 1500), dt.datetime(1883, 11, 18, 12, 3, 58)]

Kinds = Mapping[str, tuple[Type, list[Any], pa.DataType]]

KINDS: Kinds = {
    "i": (Type.INTEGER, WHOLES, pa.int64()),
    "f": (Type.FLOAT, FLOATS, pa.float64()),
    "s": (Type.TEXT, TEXTS, pa.string()),
    "b": (Type.BOOLEAN, TRUTHS, pa.bool_()),
    "d": (Type.DATE, DATES, pa.date32()),
    "m": (Type.TIMESTAMP, MOMENTS, pa.timestamp("us")),
}
"""A column of each type, and a second one (`i2`, ...) such that all pairs of values stand in some row."""

COLUMNS = {type_: [Column("t", name + again, type_) for again in ("", "2")] for name, (type_, _, _) in KINDS.items()}

CONSTANTS: dict[Type, list[Any]] = {
    Type.INTEGER: [0, -3, 2**63 - 1, None],
    Type.FLOAT: [Fraction(0), Fraction(-1, 3), Fraction(10) ** 308],
    Type.TEXT: ["", "b\U0001f600%_'$\\", None],
    Type.BOOLEAN: [True, None],
    Type.DATE: [dt.date(2020, 2, 29), None],
    Type.TIMESTAMP: [dt.datetime(2020, 2, 29, 1, 2, 3, 4, tzinfo=dt.UTC), None],
}

CLOSE = frozenset(
    ("exp", "ln", "log10", "log2", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "radians", "degrees")
)
"""Functions that no two libraries of mathematics round alike."""


def rows(kinds: Kinds = KINDS) -> pa.Table:
    """Return a table in which all pairs of values of one type stand side by side, three at the least of each."""
    count = max(len(values) for _, values, _ in kinds.values()) ** 2
    columns = {}
    for name, (_, values, kind) in kinds.items():
        size = len(values)
        columns[name] = pa.array([values[at // size % size] for at in range(count)], kind)
        columns[f"{name}2"] = pa.array([values[at % size] for at in range(count)], kind)
    columns["row"] = pa.array(range(count), pa.int64())
    return pa.table(columns)


def pools(name: str) -> Iterator[tuple[list[Expression], ...]]:
    """Yield what the arguments of a function are drawn from: columns and constants of every type that it takes."""
    for given in ARGUMENTS[name]:
        yield tuple(
            pool if all(isinstance(each, Literal) for each in pool) else _alike(pool, place)
            for place, pool in enumerate(given)
        )


def _alike(pool: list[Any], place: int) -> list[Expression]:
    types = dict.fromkeys(each.type for each in pool)
    found: list[Expression] = [COLUMNS[type_][place % 2] for type_ in types]
    return found + [Literal(value, type_) for type_ in types for value in CONSTANTS[type_]]


def every(name: str) -> Iterator[Call]:
    """Yield calls of a function on columns, and on a constant beside columns, as far as its types allow."""
    for given in pools(name):
        for arguments in itertools.product(*given):
            fixed = [isinstance(each, Literal) for each, pool in zip(arguments, given, strict=True) if _free(pool)]
            if sum(fixed) > 1 and len(fixed) > 1:
                continue
            if name == "like" and not isinstance(arguments[1], Literal):
                continue
            try:
                yield call(name, *arguments)
            except QueryError:
                continue


def _free(pool: Iterable[Expression]) -> bool:
    return any(isinstance(each, Column) for each in pool)


def nested(seed: int, count: int) -> list[Call]:
    """Return generated calls of calls of calls, without functions that are only close."""
    source = random.Random(seed)
    names = sorted(set(FUNCTIONS) - CLOSE)
    found: list[Call] = []
    while len(found) < count:
        made = _grown(source, names, 3)
        if isinstance(made, Call) and any(isinstance(each, Call) for each in made.arguments):
            found.append(made)
    return found


def _grown(source: random.Random, names: list[str], depth: int, type_: Type | None = None) -> Expression:
    for _ in range(200):
        name = source.choice(names)
        given = source.choice(list(pools(name)))
        arguments: list[Expression] = []
        for place, pool in enumerate(given):
            chosen = source.choice(pool)
            grows = depth > 1 and _free(pool) and not (name == "like" and place == 1) and source.random() < 0.7
            arguments.append(_grown(source, names, depth - 1, chosen.type) if grows else chosen)
        if name == "like" and not isinstance(arguments[1], Literal):
            continue
        try:
            made = call(name, *arguments)
        except QueryError:
            continue
        if type_ is None or made.type is type_:
            return made
    return COLUMNS[type_ or Type.INTEGER][0]


def plain(value: Any) -> Any:
    """Return a value such that equal ones of two engines are equal, -0.0 not being 0.0, and NaN being NaN."""
    if isinstance(value, float):
        return "nan" if value != value else value.hex()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def close(a: Any, b: Any) -> bool:
    """Say whether two floats differ by a few units in their last places at most."""
    finite = isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b)
    return math.isclose(a, b, rel_tol=1e-13, abs_tol=1e-300) if finite else plain(a) == plain(b)


Run = Callable[[str], list[tuple[Any, ...]]]
Found = tuple[str, Any, Any, Any]


def reference(kinds: Kinds = KINDS) -> Run:
    """Return DuckDB under the settings of questions, with the table `t`."""
    cursor: duckdb.DuckDBPyConnection = duck_engine(engine_of())._cursor(set())
    cursor.register("t", rows(kinds))
    return lambda statement: cursor.execute(statement).fetchall()


def differences(calls: list[Call], wanted: Run, run: Run, sql: Callable[[Expression], str], batch: int) -> list[Found]:
    """Run calls on both engines, so many in one statement, and return (SQL, arguments, wanted, found) that differ."""
    found: list[Found] = []
    for start in range(0, len(calls), batch):
        some = calls[start : start + batch]
        theirs = run(_statement(some, sql))
        ours = wanted(_statement(some, duck.write_sql))
        assert len(theirs) == len(ours) > 0
        for (row, *left), (same, *right) in zip(by_row(ours), by_row(theirs), strict=True):
            assert row == same
            if repr(left) == repr(right):
                continue
            for made, a, b in zip(some, left, right, strict=True):
                if not (close(a, b) if made.function in CLOSE else plain(a) == plain(b)):
                    found.append((sql(made), row, a, b))
    return found


def by_row(found: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows of a result in their order in the table."""
    return sorted(found, key=lambda row: int(row[0]))


def functions_of(expression: Expression) -> Iterator[str]:
    """Yield the functions of an expression, outermost first."""
    if isinstance(expression, Call):
        yield expression.function
        for argument in expression.arguments:
            yield from functions_of(argument)


def rounds_wide(expression: Expression) -> bool:
    """Say whether a computed whole number becomes a float: DuckDB rounds those of more than 53 bits twice."""
    if not isinstance(expression, Call):
        return False
    floats = expression.type is Type.FLOAT or any(each.type is Type.FLOAT for each in expression.arguments)
    wide = any(isinstance(each, Call) and each.type is Type.INTEGER for each in expression.arguments)
    return (floats and wide) or any(rounds_wide(each) for each in expression.arguments)


def _statement(calls: list[Call], sql: Callable[[Expression], str]) -> str:
    return f"SELECT t.row, {', '.join(f'{sql(made)} AS c{place}' for place, made in enumerate(calls))} FROM t"
