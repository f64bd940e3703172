"""Names and constants stay what they are, whatever they hold."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import duckdb
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.engines.duck.literals import SQL_TYPES, quote_name, write_constant, write_text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@example("it's ' OR 1 = 1 --")
def test_no_text_leaves_its_quotes(value: str) -> None:
    found = duckdb.execute(f"SELECT {write_text(value)}, {write_constant(value, Type.TEXT)}").fetchall()
    assert found == [(value, value)]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
@example('a"b" --')
def test_no_name_leaves_its_quotes(name: str) -> None:
    found = duckdb.execute(f"SELECT {quote_name(name)} FROM (SELECT 5 AS {quote_name(name)})").fetchall()
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
        assert duckdb.execute(f"SELECT {write_constant(value, type_)}").fetchall() == [(wanted,)]


def test_every_type_has_its_name() -> None:
    assert SQL_TYPES.keys() == set(Type)
