"""Names and constants mean in PostgreSQL what they are, whatever they hold."""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.engines.postgres.literals import (
    SQL_TYPES,
    cast_double,
    cast_working,
    quote_name,
    write_constant,
    write_double,
    write_plain,
    write_text,
    write_whole,
)

LETTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])


def value(server: psycopg.Connection[Any], written: str) -> Any:
    return server.execute(f"SELECT {written}".encode(), None, binary=True).fetchall()[0][0]


def test_texts_are_themselves_and_compared_byte_by_byte(server: psycopg.Connection[Any]) -> None:
    @settings(max_examples=60)
    @given(st.text(LETTERS, max_size=20))
    def check(given_text: str) -> None:
        assert value(server, write_text(given_text)) == value(server, write_plain(given_text)) == given_text

    check()
    for odd in ("\\", "\\'", "'; DROP TABLE t; --", "%s", "E'\\n'", "$$", "it''s"):
        assert value(server, write_text(odd)) == odd
    assert value(server, f"pg_collation_for({write_text('a')})") == '"C"'
    assert value(server, f"pg_collation_for({write_constant(None, Type.TEXT)})") == '"C"'


def test_names_are_themselves(server: psycopg.Connection[Any]) -> None:
    @settings(max_examples=60)
    @given(st.text(LETTERS, min_size=1, max_size=15))
    def check(name: str) -> None:
        found = server.execute(f"SELECT 1 AS {quote_name(name)}".encode())
        assert found.description is not None
        assert found.description[0].name == name

    check()


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63), 2**63, 2**126 - 1, -(2**126) + 1])
def test_whole_numbers_are_exact(server: psycopg.Connection[Any], number: int) -> None:
    assert value(server, write_whole(number)) == number
    assert value(server, write_constant(number, Type.INTEGER)) == number
    assert value(server, f"abs({write_whole(number)})") == abs(number)


@pytest.mark.parametrize("number", [0.1, -0.0, 5e-324, -1.7976931348623157e308, math.inf, -math.inf, 1e23])
def test_floats_are_exact(server: psycopg.Connection[Any], number: float) -> None:
    found = value(server, write_double(number))
    assert (found, math.copysign(1, found)) == (number, math.copysign(1, number))
    assert math.isnan(value(server, write_double(math.nan)))


def test_constants_of_every_type(server: psycopg.Connection[Any]) -> None:
    moment = dt.datetime(1, 1, 1, 0, 0, 0, 1, dt.UTC)
    for given_value, type_, wanted in [
        (True, Type.BOOLEAN, True),
        (Fraction(1, 3), Type.FLOAT, 1 / 3),
        (2**200, Type.INTEGER, 2.0**200),
        (dt.date(9999, 12, 31), Type.DATE, dt.date(9999, 12, 31)),
        (moment, Type.TIMESTAMP, moment.replace(tzinfo=None)),
        (
            dt.datetime(2024, 1, 1, 9, tzinfo=dt.timezone(dt.timedelta(hours=9))),
            Type.TIMESTAMP,
            dt.datetime(2024, 1, 1),
        ),
        ("x", Type.TEXT, "x"),
    ]:
        assert value(server, write_constant(given_value, type_)) == wanted
    for type_ in SQL_TYPES:
        assert value(server, write_constant(None, type_)) is None


def test_whole_numbers_become_floats_only_beside_floats() -> None:
    assert cast_double("x", Type.INTEGER) == "CAST(x AS DOUBLE PRECISION)"
    assert cast_double("x", Type.FLOAT) == "x"
    assert cast_working("x", Type.INTEGER, Type.FLOAT) == "CAST(x AS DOUBLE PRECISION)"
    assert cast_working("x", Type.INTEGER, Type.INTEGER) == "x"
