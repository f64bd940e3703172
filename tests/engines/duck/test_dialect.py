"""DuckDB's part of what all engines write alike: canonical texts, whole numbers of texts, sums and order."""

from __future__ import annotations

import datetime as dt
import math
import struct
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.duck.literals import SQL_TYPES

CONNECTION = duckdb.connect()


def told(value: Any, type_: Type) -> str:
    ((found,),) = CONNECTION.execute(
        f"SELECT {DUCKDB.write_canonical(f'CAST($1 AS {SQL_TYPES[type_]})', type_)}", [value]
    ).fetchall()
    return str(found)


@given(st.floats(allow_nan=False))
def test_floats_are_told_by_their_bits(value: float) -> None:
    assert told(value, Type.FLOAT) == str(struct.unpack("<q", struct.pack("<d", value))[0])


def test_nan_is_one_value() -> None:
    assert told(math.nan, Type.FLOAT) == told(-math.nan, Type.DECIMAL) == "9221120237041090560"


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (-(2**63), Type.INTEGER, "-9223372036854775808"),
        (True, Type.BOOLEAN, "true"),
        (dt.date(1, 1, 1), Type.DATE, "0001-01-01"),
        (dt.datetime(1969, 12, 31, 23, 59, 59, 999999), Type.TIMESTAMP, "-1"),
        ("it's ü", Type.TEXT, "it's ü"),
    ],
)
def test_other_values_are_told_as_every_engine_writes_them(value: Any, type_: Type, text: str) -> None:
    assert told(value, type_) == text


def test_the_leading_digits_of_a_hash_are_a_number() -> None:
    ((found,),) = CONNECTION.execute(f"SELECT {DUCKDB.leading_bits(repr('f' * 32))}").fetchall()
    assert found == 2**60 - 1


def test_sums_and_quotients_are_of_38_digits() -> None:
    statement = f"SELECT {DUCKDB.total('i')} FROM (SELECT CAST(9223372036854775807 AS BIGINT) AS i FROM range(9))"
    assert CONNECTION.execute(statement).fetchall() == [(9 * (2**63 - 1),)]
    assert CONNECTION.execute(f"SELECT {DUCKDB.quotient(str(10**37), '3')}").fetchall() == [(10**37 // 3,)]
