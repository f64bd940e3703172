"""Every allowed function has a form, and each gives what DuckDB's gives, bit by bit, on the worst values there are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from conformance.placing import KINDS as COLUMN_TYPES
from discreet.base.types import Type
from discreet.engines.postgres.forms import FORMS, is_nan, write_canonical, write_sql
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.functions import FUNCTIONS, call
from support.differential import (
    CLOSE,
    COLUMNS,
    KINDS,
    Kinds,
    Run,
    differences,
    every,
    functions_of,
    nested,
    reference,
    rounds_wide,
    rows,
)

BATCH = 40
SMALLEST, LARGEST = 5e-324, 1.7976931348623157e308
FLOATS = [
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
WORDS = """a A aBc_ABC__ %_' a% NaN inf infinity true TRUE t F yes No on off 1 0 _1 y_ n tr 2 _12_ -7 1_000 0x1F 1.5 5.
1e3 1E-3 -1e-999 1e1000 1e0000010 9223372036854775807 -0 -0.0 1e e5 . 1.7976931348623157e308 1.7976931348623158e308
1.7976931348623159e308 -1e400 1e400 1e-400 4e-324 2.4703282292062327e-324 2.4703282292062328e-324 -2.47e-324 2021-02-29
1900-02-29 2000-02-29 2020-13-01 0001-01-01 0000-01-01 9999-12-31 10000-01-01 2020-04-31 2020-1-1 _2020-02-29_ epoch
today now 2020-02-29_10:30 2020-02-29T10:30:01.5 2020-02-29_10:30:00+02 2020-02-29_24:00 2020-02-29_24:00:00.5
2020-02-29_23:59:60 2020-02-29_23:60 2020-02-29_25:00 2020-02-29_10:30:01.1234567 2020-02-29_ 9999-12-31_23:59:59.999999
2020-01-01_(BC) - b ab"""
TEXTS: list[str | None] = [
    None,
    "",
    "  ",
    "1\n",
    "\n1",
    "2020-02-29\n",
    "\u00a01",
    "\t1",
    "\uff11",
    "\x7f",
    "it's %_\\",
]
TEXTS += [word.replace("_", " ") for word in WORDS.split()] + [
    "9" * 309,
    "9" * 400,
    "9" * 401,
    "0." + "0" * 398,
    "1_000",
]
TEXTS += ["-" + "0" * 390 + "1", "\U0001f600" * 500, "\u00c9\u00dfA", "\u00e9\U0001f600e\u0301", "\\d", "1\u0661"]
WORST: Kinds = {
    name: (type_, (FLOATS if name == "f" else TEXTS if name == "s" else values), kind)
    for name, (type_, values, kind) in KINDS.items()
    if name in "ifs"
}
"""More floats and texts than other engines are asked about: PostgreSQL raises where those overflow or are zero."""


@contextmanager
def opened(server: psycopg.Connection[Any], kinds: Kinds) -> Iterator[Run]:
    """Make the table `t` of both engines here, and return how statements are run."""
    table = rows(kinds)
    written = {**COLUMN_TYPES, pa.string(): 'text COLLATE "C"'}
    columns = ", ".join(f"{field.name} {written[field.type]}" for field in table.schema)
    server.execute(f"CREATE TEMP TABLE t ({columns})".encode())
    with server.cursor().copy("COPY t FROM STDIN") as copy:
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            copy.write_row(row)
    try:
        yield lambda statement: server.execute(statement.encode(), None, binary=True).fetchall()
    finally:
        server.execute("DROP TABLE t")


def compared(calls: Iterable[Call], wanted: Run, run: Run, batch: int = BATCH) -> list[Any]:
    return differences(list(calls), wanted, run, write_sql, batch)[:5]


def columns_of(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Column):
        yield expression.name
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from columns_of(argument)


def test_every_function_has_a_form_and_every_form_a_function() -> None:
    assert FORMS.keys() == FUNCTIONS.keys()


def test_every_form_gives_what_duckdb_gives_on_all_values_and_pairs(server: psycopg.Connection[Any]) -> None:
    calls = [made for name in sorted(FUNCTIONS) for made in every(name)]
    assert len(calls) > 2000
    assert {made.function for made in calls} == set(FUNCTIONS)
    with opened(server, KINDS) as run:
        assert compared(calls, reference(), run) == []


@pytest.mark.slow
def test_every_form_of_numbers_and_texts_gives_what_duckdb_gives_on_the_worst_of_them(
    server: psycopg.Connection[Any],
) -> None:
    calls = [made for name in sorted(FUNCTIONS) for made in every(name)]
    some = [made for made in calls if len(set(columns_of(made))) > 0 and set(columns_of(made)) <= {"f", "f2", "s"}]
    assert len({made.function for made in some}) > 50
    with opened(server, WORST) as run:
        assert compared(some, reference(WORST), run) == []


@pytest.mark.many
@pytest.mark.parametrize("seed", range(3))
def test_nested_forms_give_what_duckdb_gives(server: psycopg.Connection[Any], seed: int) -> None:
    calls = [made for made in nested(seed, 300) if not rounds_wide(made)]
    assert len(calls) > 150
    with opened(server, KINDS) as run:
        assert compared(calls, reference(), run, 20) == []


def test_curves_inside_of_forms_raise_nothing(server: psycopg.Connection[Any]) -> None:
    """Curves differ in their last bits, which forms around them may blow up: that none fails is enough here."""
    curves = [call(name, COLUMNS[Type.FLOAT][0]) for name in sorted(CLOSE - {"pow", "atan2"})]
    pairs = [call(name, *COLUMNS[Type.FLOAT]) for name in ("pow", "atan2")]
    calls = [call(name, one, two) for name in ("mul", "div", "add", "pow") for one in pairs for two in curves]
    with opened(server, WORST) as run:
        listed = ", ".join(write_sql(made) for made in calls[:: len(calls) // 40])
        assert len(run(f"SELECT {listed} FROM t")) > 9000


def test_sql_grows_with_nesting_by_addition() -> None:
    x, y = (Column("t", name, Type.FLOAT) for name in "xy")
    steps: list[Callable[[Expression], Expression]] = [
        lambda made: call("round", made, Literal(2, Type.INTEGER)),
        lambda made: call("mul", made, y),
        lambda made: call("sqrt", call("div", made, call("add", y, x))),
        lambda made: call("floor", made),
    ]
    for step in steps:
        made: Expression = x
        lengths = []
        for _ in range(4):
            made = step(made)
            lengths.append(len(write_sql(made)))
        growth = [b - a for a, b in itertools.pairwise(lengths[1:])]
        assert max(growth) <= growth[0] + 200


def test_forms_nest_as_deeply_as_expressions_may(server: psycopg.Connection[Any]) -> None:
    made: Expression = COLUMNS[Type.FLOAT][0]
    for _ in range(150):
        made = call("add", made, COLUMNS[Type.FLOAT][1])
    assert len(list(functions_of(made))) == 150
    assert isinstance(made, Call)
    with opened(server, KINDS) as run:
        assert compared([made], reference(), run) == []


@pytest.mark.parametrize(
    ("value", "type_", "wanted"),
    [
        ("'5'::bigint", Type.INTEGER, "5"),
        ("'-0'::float8", Type.FLOAT, "-9223372036854775808"),
        ("'nan'::float8", Type.FLOAT, "9221120237041090560"),
        ("'1'::float8", Type.FLOAT, "4607182418800017408"),
        ("TRUE", Type.BOOLEAN, "true"),
        ("DATE '0001-01-01'", Type.DATE, "0001-01-01"),
        ("TIMESTAMP '1969-12-31 23:59:59.999999'", Type.TIMESTAMP, "-1"),
        ("TIMESTAMP '9999-12-31 23:59:59.999999'", Type.TIMESTAMP, "253402300799999999"),
        ("'\u00e9'::text", Type.TEXT, "\u00e9"),
        ("NULL::float8", Type.FLOAT, None),
    ],
)
def test_values_are_told_by_the_same_letters_on_every_engine(
    server: psycopg.Connection[Any], value: str, type_: Type, wanted: Any
) -> None:
    assert server.execute(f"SELECT {write_canonical(value, type_)}".encode()).fetchall() == [(wanted,)]


def test_nan_is_found(server: psycopg.Connection[Any]) -> None:
    listed = ", ".join(is_nan(f"{value}::float8") for value in ("'nan'", "'inf'", "'1'", "NULL"))
    assert server.execute(f"SELECT {listed}".encode()).fetchall() == [(True, False, False, None)]
