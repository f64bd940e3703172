"""Every allowed function has a form, and no form ever raises, whatever the data holds."""

from __future__ import annotations

import datetime as dt
import itertools
from fractions import Fraction

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.forms import FORMS, SQL_TYPES, constant, quoted, sql, text
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import FUNCTIONS, call

NASTY = """\
CREATE TABLE t AS SELECT * FROM (VALUES
  (0::BIGINT, 0::DOUBLE, '', true, DATE '1970-01-01', TIMESTAMP '1970-01-01'),
  (9223372036854775807, 'inf', 'it''s %_\\', false, DATE '5881580-07-10', TIMESTAMP '294247-01-10 04:00:54.775806'),
  (-9223372036854775808, '-inf', '\u00e9\U0001f600', true, DATE '5877642-06-25 (BC)',
   TIMESTAMP '290309-12-22 (BC) 00:00:00'),
  (-1, 'nan', 'nan', NULL, DATE 'infinity', TIMESTAMP 'infinity'),
  (NULL, NULL, NULL, NULL, NULL, NULL),
  (1, 1.7e308, 'a', true, DATE '-infinity', TIMESTAMP '-infinity'),
  (2, 5e-324, 'b', true, DATE '2020-02-29', TIMESTAMP '2020-02-29')) v(i, f, s, b, d, m)"""

COLUMNS: list[Expression] = [
    Column("t", "i", Type.INTEGER),
    Column("t", "f", Type.FLOAT),
    Column("t", "s", Type.TEXT),
    Column("t", "b", Type.BOOLEAN),
    Column("t", "d", Type.DATE),
    Column("t", "m", Type.TIMESTAMP),
]
CONSTANTS: list[Expression] = [
    Literal(0, Type.INTEGER),
    Literal(-1, Type.INTEGER),
    Literal(2**126 - 1, Type.INTEGER),
    Literal(Fraction(1, 3), Type.FLOAT),
    Literal(None, Type.INTEGER),
]


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute(NASTY)
    return made


def test_every_function_has_a_form_and_every_form_a_function() -> None:
    assert FORMS.keys() == FUNCTIONS.keys()
    assert SQL_TYPES.keys() == set(Type)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_form_raises_on_nasty_data(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    allowed = 0
    for count in (1, 2, 3):
        if (name in ("neg", "not", "abs", "is_null") and count > 1) or (name == "round" and count > 1):
            continue
        if name not in ("case", "coalesce", "in", "and", "or") and count == 3:
            continue
        if count == 1 and name not in ("neg", "not", "abs", "is_null", "coalesce", "round"):
            continue
        if (name == "case") != (count == 3) and name == "case":
            continue
        for arguments in itertools.product(COLUMNS + CONSTANTS, repeat=count):
            try:
                made = call(name, *arguments)
            except QueryError:
                continue
            allowed += 1
            (found,) = connection.execute(f"SELECT count(*), count({sql(made)}) FROM t").fetchall()
            assert found[0] == 7
            if allowed > 150:
                break
    assert allowed, name


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_no_text_leaves_its_quotes(value: str) -> None:
    found = duckdb.execute(f"SELECT {text(value)}, {constant(value, Type.TEXT)}").fetchall()
    assert found == [(value, value)]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
def test_no_name_leaves_its_quotes(name: str) -> None:
    found = duckdb.execute(f"SELECT {quoted(name)} FROM (SELECT 5 AS {quoted(name)})").fetchall()
    assert found == [(5,)]


def test_constants_are_what_they_were() -> None:
    moment = dt.datetime(2026, 3, 1, 14, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    for value, type_, wanted in [
        (True, Type.BOOLEAN, True),
        (2**63, Type.INTEGER, 2**63),
        (-(2**126) + 1, Type.INTEGER, -(2**126) + 1),
        (Fraction(1, 10), Type.FLOAT, 0.1),
        (dt.date(1, 1, 1), Type.DATE, dt.date(1, 1, 1)),
        (moment, Type.TIMESTAMP, dt.datetime(2026, 3, 1, 12, 30)),
        (None, Type.DATE, None),
    ]:
        assert duckdb.execute(f"SELECT {constant(value, type_)}").fetchall() == [(wanted,)]


def test_a_date_beyond_all_points_in_time_equals_none(connection: duckdb.DuckDBPyConnection) -> None:
    before = sql(call("lt", COLUMNS[4], Column("t", "m", Type.TIMESTAMP)))
    assert "TRY_CAST" in before
    connection.execute(f"SELECT * FROM t WHERE {before}").fetchall()
