"""Forms held against DuckDB's, value by value: the same tables of the worst there is, the same expressions, and the
canonical texts of the results compared.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
import random
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import duckdb
import psycopg

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.duck.dialect import told as duck_told
from discreet.engines.duck.forms import sql as duck_sql
from discreet.engines.postgres.forms import sql, told
from discreet.engines.postgres.literals import double, plain, whole
from discreet.plan.expressions import Call, Column, Expression
from discreet.plan.functions import call

SMALLEST, LARGEST = 5e-324, 1.7976931348623157e308
FLOATS: list[float | None] = [
    *(None, math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 7.0, -7.0, 10.0, 45.0, 100.0, -100.0),
    *(0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, 1 / 3, 0.1, -0.3, 1.005, 123456.789, 1e15 + 0.5, 50.0),
    *(SMALLEST, -SMALLEST, 1e-323, 1e-310, 2.2250738585072014e-308, 2.225073858507201e-308, 1e-290, -1e-200, 1e-162),
    *(2.0**-538, 2.0**-537, -(2.0**-537) * (1 + 2**-52), 2.0**-537 * (1 - 2**-53), 2.0**-500, 1.5e-162, 1e-17),
    *(2.0**511, 2.0**512, 2.0**513, 1.3407807929942596e154, 1.3407807929942597e154, -1e154, 2.0**970, 2.0**969, 1e300),
    *(math.nextafter(2.0**970, 0.0), 2.0**1023, -(2.0**1023), LARGEST, -LARGEST, math.nextafter(LARGEST, 0.0), 1e308),
    *(2.0**53, 2.0**53 + 2, -(2.0**53) - 2, 2.0**63, -(2.0**63), 9223372036854774784.0, 1e19, 4503599627370497.5),
    *(1.5707963267948966, 709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412, -744.6, 1023.5),
    *(1024.0, -1074.0, -1075.0, -1074.5, 1e-5, 4503599627370495.5, 1e22, 1e23, 2.0**126, 512.0, -538.0),
]
WHOLES: list[int | None] = [
    *(None, 0, 1, -1, 2, -2, 3, 7, -7, 12, 50, -50, 100, 149, 150, -150, 86400, 2**31 - 1, 2**31, -(2**31), 4294967297),
    *(2**53, 2**53 + 1, -(2**53) - 1, 2**62, 10**18, -(10**18), 2**63 - 1, -(2**63), 5, -5, 1970),
]
TEXTS: list[str | None] = [
    *(
        None,
        "",
        "a",
        "A",
        "aBc ABC  ",
        "it's %_\\",
        "\u00e9\U0001f600e\u0301",
        "\u00c9\u00dfA",
        "%_'",
        "a%",
        "nan",
        "NaN",
    ),
    *("inf", "infinity", "true", "TRUE", "t", "F", "yes", "No", "on", "off", "1", "0", " 1", "y ", "n", "tr", "2"),
    *(" 12 ", "+5", "-7", "1_000", "0x1F", "1.5", ".5", "5.", "1e3", "1E-3", "1e999", "-1e-999", "1e1000", "1e0000010"),
    *(
        "1\n",
        "\n1",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-0",
        "-0.0",
        "1e",
        "e5",
        ".",
    ),
    *(
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "-1e400",
        "1e400",
        "1e-400",
        "4e-324",
    ),
    *(
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "-2.47e-324",
        "9" * 309,
        "9" * 400,
        "9" * 401,
        "0." + "0" * 398,
    ),
    *(
        "-" + "0" * 390 + "1",
        "2020-02-29",
        "2021-02-29",
        "1900-02-29",
        "2000-02-29",
        "2020-02-30",
        "2020-13-01",
    ),
    *(
        "0001-01-01",
        "9999-12-31",
        "2020-04-31",
        "2020-1-1",
        " 2020-02-29 ",
        "2020-02-29\n",
        "2020-02-29 10:30",
        "epoch",
        "today",
    ),
    *("2020-02-29T10:30:01.5", "2020-02-29 10:30:00+02", "2020-02-29 24:00", "2020-02-29 24:00:00.5"),
    *(
        "2020-02-29 23:59:60",
        "2020-02-29 23:60",
        "2020-02-29 25:00",
        "2020-02-29 10:30:01.1234567",
        "2020-02-29 ",
        "  ",
    ),
    *(
        "9999-12-31 23:59:59.999999",
        "2020-01-01 (BC)",
        "\u00a01",
        "\t1",
        "\U0001f600" * 500,
        "\uff11",
        "b",
        "ab",
        "\x7f",
        "-",
    ),
]
TRUTHS: list[bool | None] = [None, True, False]
DATES: list[dt.date | None] = [
    *(None, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1), dt.date(2020, 2, 29), dt.date(2024, 12, 30)),
    *(dt.date(1969, 12, 31), dt.date(2021, 1, 3), dt.date(2000, 3, 31), dt.date(1900, 2, 28), dt.date(1, 1, 2)),
    *(dt.date(9999, 1, 31), dt.date(4, 2, 29), dt.date(1999, 5, 1), dt.date(2005, 1, 1), dt.date(9999, 11, 30)),
]
MOMENTS: list[dt.datetime | None] = [
    *(None, dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999), dt.datetime(1970, 1, 1)),
    *(
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        dt.datetime(2020, 2, 29, 13, 59, 59, 999500),
        dt.datetime(2024, 12, 30),
    ),
    *(dt.datetime(1969, 12, 31, 23, 0, 0, 1), dt.datetime(2000, 3, 31, 0, 0, 0, 999), dt.datetime(1, 1, 1, 0, 0, 0, 1)),
    *(dt.datetime(2021, 1, 3, 5, 6, 7), dt.datetime(1900, 2, 28, 12, 30), dt.datetime(9999, 12, 31)),
]
VALUES: dict[Type, Sequence[Any]] = {
    Type.FLOAT: FLOATS,
    Type.INTEGER: WHOLES,
    Type.TEXT: TEXTS,
    Type.BOOLEAN: TRUTHS,
    Type.DATE: DATES,
    Type.TIMESTAMP: MOMENTS,
}
DUCK_TYPES = {
    Type.FLOAT: "DOUBLE",
    Type.INTEGER: "BIGINT",
    Type.TEXT: "VARCHAR",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}
CLOSE = frozenset(
    {"exp", "ln", "log10", "log2", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "radians", "degrees"}
)
"""Functions whose last bits are the library's."""


def written(value: Any, type_: Type) -> str:
    """Return a value as PostgreSQL reads it."""
    if value is None:
        return f"NULL::{'float8' if type_ is Type.FLOAT else DUCK_TYPES[type_].replace('VARCHAR', 'text')}"
    if isinstance(value, float):
        return double(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int):
        return whole(value)
    told = value if isinstance(value, str) else value.isoformat()
    return f"{plain(told)}::{type_.name}"


class Sides:
    """DuckDB and PostgreSQL with the same tables: one of each type, v its values and n their places."""

    def __init__(self, server: psycopg.Connection[Any], duck: duckdb.DuckDBPyConnection) -> None:
        self.server, self.duck = server, duck
        for type_, values in VALUES.items():
            name = f"of_{type_.value}"
            kind = DUCK_TYPES[type_]
            duck.execute(f"CREATE OR REPLACE TABLE {name} (n INTEGER, v {kind})")
            duck.executemany(
                f"INSERT INTO {name} VALUES (?, CAST(? AS {kind}))", [[n, v] for n, v in enumerate(values)]
            )
            listed = ", ".join(f"({n}, {written(value, type_)})" for n, value in enumerate(values))
            collated = ' COLLATE "C"' if type_ is Type.TEXT else ""
            server.execute(f"CREATE TEMP TABLE {name} AS SELECT n, v{collated} AS v FROM (VALUES {listed}) AS q(n, v)")

    def results(self, expressions: Sequence[Expression], *types: Type) -> Iterator[tuple[Expression, Any, Any, Any]]:
        """Yield an expression, the places of its columns' values, and both texts of its value, for all combinations.

        Columns of the expressions are v of x0, x1, ..., which have these types.
        """
        tables = ", ".join(f"of_{type_.value} AS x{place}" for place, type_ in enumerate(types))
        order = ", ".join(f"x{place}.n" for place in range(len(types)))
        sides = []
        for engine, write, tell in ((self.duck, duck_sql, duck_told), (self.server, sql, told)):
            listed = ", ".join(f"{write(each)} AS r{n}" for n, each in enumerate(expressions))
            values = ", ".join(tell(f"r{n}", each.type) for n, each in enumerate(expressions))
            inner = f"SELECT ARRAY[{order}] AS places, {listed} FROM {tables}"
            statement = f"SELECT places, {values} FROM ({inner}) AS q ORDER BY places"
            sides.append(engine.execute(statement).fetchall())
        for first, second in zip(*sides, strict=True):
            for n, each in enumerate(expressions):
                yield each, list(first[0]), first[n + 1], second[n + 1]

    def sampled(self, expressions: Sequence[Expression], seed: int) -> Iterator[tuple[Expression, Any, Any, Any]]:
        """Yield an expression over columns of all types, a row's place, and both texts of its value, for some rows."""
        chance = random.Random(seed)
        rows = [[chance.randrange(len(values)) for values in VALUES.values()] for _ in range(120)]
        names = ", ".join(f"n{place}" for place in range(len(VALUES)))
        listed = ", ".join(f"({', '.join(str(each) for each in (n, *row))})" for n, row in enumerate(rows))
        joins = [f"JOIN of_{type_.value} AS x{place} ON x{place}.n = n{place}" for place, type_ in enumerate(VALUES)]
        tables = f"(VALUES {listed}) AS s(n, {names}) {' '.join(joins)}"
        sides = []
        for engine, write, tell in ((self.duck, duck_sql, duck_told), (self.server, sql, told)):
            made = ", ".join(f"{write(each)} AS r{n}" for n, each in enumerate(expressions))
            values = ", ".join(tell(f"r{n}", each.type) for n, each in enumerate(expressions))
            inner = f"SELECT s.n AS n, {made} FROM {tables} OFFSET 0"
            sides.append(engine.execute(f"SELECT n, {values} FROM ({inner}) AS q ORDER BY n").fetchall())
        for first, second in zip(*sides, strict=True):
            for n, each in enumerate(expressions):
                yield each, first[0], first[n + 1], second[n + 1]


def column(place: int, type_: Type) -> Column:
    return Column(f"x{place}", "v", type_)


def same(expression: Expression, first: Any, second: Any, close: bool) -> bool:
    """Say whether two canonical texts are of one value, or of close ones where libraries may differ."""
    if first == second or not close or first is None or second is None or expression.type is not Type.FLOAT:
        return bool(first == second)
    a, b = (_float(int(each)) for each in (first, second))
    if a != a or b != b or math.isinf(a) or math.isinf(b):
        return False
    return math.isclose(a, b, rel_tol=1e-13, abs_tol=1e-320)


def _float(bits: int) -> float:
    found: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return found


def functions_of(expression: Expression) -> Iterator[str]:
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


def tried(name: str, *arguments: Expression) -> Call | None:
    try:
        return call(name, *arguments)
    except QueryError:
        return None


def batches(expressions: Iterable[Expression], size: int) -> Iterator[list[Expression]]:
    """Yield expressions in lists of this length at most."""
    rest = iter(expressions)
    while some := list(itertools.islice(rest, size)):
        yield some


class Nesting:
    """Calls of calls, over columns x0, x1, ... of all types and constants, as the argument lists of functions allow."""

    def __init__(self, seed: int, arguments: dict[str, list[tuple[list[Any], ...]]]) -> None:
        self.chance = random.Random(seed)
        self.leaves = {type_: column(place, type_) for place, type_ in enumerate(VALUES)}
        self.makers: dict[Type, list[tuple[str, tuple[Any, ...]]]] = {}
        for name, choices in arguments.items():
            for pools in choices:
                for slots in itertools.product(*(self._slots(pool) for pool in pools)):
                    made = tried(name, *(slot[0] if isinstance(slot, list) else slot for slot in slots))
                    if made is not None:
                        self.makers.setdefault(made.type, []).append((name, slots))

    def _slots(self, pool: list[Any]) -> list[Any]:
        """Return what can stand in an argument's place: a column of each type, or the list of its constants."""
        columns = [self.leaves[type_] for type_ in dict.fromkeys(e.type for e in pool if isinstance(e, Column))]
        return columns or [pool]

    def drawn(self, type_: Type, depth: int) -> Expression:
        """Return an expression of a type, at most so deep."""
        chance = self.chance
        if depth == 0 or chance.random() < 0.15:
            return self.leaves[type_]
        for _ in range(10):
            wanted = chance.choice(sorted({name for name, _ in self.makers[type_]}))
            _, slots = chance.choice([each for each in self.makers[type_] if each[0] == wanted])
            inner = [chance.choice(s) if isinstance(s, list) else self.drawn(s.type, depth - 1) for s in slots]
            made = tried(wanted, *inner)
            if made is not None and made.type is type_:
                return made
        return self.leaves[type_]

    def many(self, count: int, depth: int) -> Iterator[Expression]:
        """Yield so many of all types."""
        for _ in range(count):
            yield self.drawn(self.chance.choice(list(self.makers)), depth)
