"""Constants mean themselves to Spark, whatever they hold, and so do names."""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
from typing import Any

import pytest

from discreet.base.types import Type
from discreet.engines.spark.literals import (
    PLAIN,
    cast_working,
    quote_name,
    write_constant,
    write_domain,
    write_number,
    write_text,
)
from discreet.engines.spark.session import SparkConnection

TEXTS: tuple[str, ...] = (
    "",
    "it's",
    'a "b"',
    "\\",
    "\\n",
    "\\'",
    "${spark.master}",
    "${x",
    "%_\\%",
    "a\nb\r\tc",
    "\x01\x1f\x7f",
    "é\u0301",
)
TEXTS += (
    "\U0001f600",
    "-- no comment",
    "/* nor this */",
    "\u2028",
    "`",
    "$",
    "{}",
    ":name ?",
    "\\u0041",
    "null",
    "0" * 3000,
)

VALUES: list[tuple[Any, Type]] = [
    (2**126 - 1, Type.INTEGER),
    (-(2**126) + 1, Type.INTEGER),
    (0, Type.INTEGER),
    (True, Type.BOOLEAN),
    (None, Type.DATE),
    (dt.date(1, 1, 1), Type.DATE),
    (dt.date(9999, 12, 31), Type.DATE),
    (dt.date(1582, 10, 10), Type.DATE),
    (dt.datetime(1, 1, 1, 0, 0, 0, 1, tzinfo=dt.UTC), Type.TIMESTAMP),
    (dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC), Type.TIMESTAMP),
]
FLOATS = (0.1, 5e-324, 1.7976931348623157e308, -1 / 3, 2.0**63, 1e23, 9007199254740993.0)


def test_every_constant_comes_back_as_it_was(session: SparkConnection) -> None:
    written = [write_text(value) for value in TEXTS]
    written += [write_constant(value, type_) for value, type_ in VALUES] + [
        write_number(Fraction(value)) for value in FLOATS
    ]
    (found,) = session.session.sql(f"SELECT {', '.join(written)}").collect()
    assert list(found)[: len(TEXTS)] == list(TEXTS)
    for (value, type_), each in zip(VALUES, list(found)[len(TEXTS) :], strict=False):
        wanted = value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value
        assert each == wanted, type_
    assert list(found)[-len(FLOATS) :] == list(FLOATS)


DOMAINS: list[tuple[tuple[Any, ...], Type]] = [
    (TEXTS, Type.TEXT),
    ((3, -(2**63) + 1, 2**63 - 1), Type.INTEGER),
    ((3, 2**63, -(2**126) + 1), Type.INTEGER),
    ((3, 10**40), Type.INTEGER),
    ((True, False), Type.BOOLEAN),
    ((Fraction(1, 10), 7, *map(Fraction, FLOATS)), Type.FLOAT),
    ((Fraction(1, 3), Fraction(5)), Type.DECIMAL),
    (tuple(value for value, type_ in VALUES if type_ is Type.DATE and value), Type.DATE),
    (tuple(value for value, type_ in VALUES if type_ is Type.TIMESTAMP), Type.TIMESTAMP),
    (tuple(f"key {at}" for at in range(20_000)), Type.TEXT),
]


@pytest.mark.slow
def test_every_domain_comes_back_in_its_order(session: SparkConnection) -> None:
    for values, type_ in DOMAINS:
        found = session.session.sql(f"SELECT v, i FROM {write_domain(values, type_)} AS d(v, i) ORDER BY i").collect()
        wanted = [value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value for value in values]
        if type_ in (Type.FLOAT, Type.DECIMAL) or 10**40 in values:
            wanted = [float(value) for value in values]
        assert [(row["v"], row["i"]) for row in found] == [(value, at) for at, value in enumerate(wanted)], type_


def test_every_name_names_itself(session: SparkConnection) -> None:
    names = ("a b", "it's", "a`b", "${spark.master}", "é\U0001f600", "SELECT", "a.b", "-- x", "\\", '"')
    listed = ", ".join(f"1 AS {quote_name(name)}" for name in names)
    assert tuple(session.session.sql(f"SELECT {listed}").columns) == names


def test_no_letter_in_a_constant_means_anything_to_spark() -> None:
    assert PLAIN.isdisjoint("'\"\\${}`%_:?-/*;")
    assert write_text("${a}'\\") == r"'\u0024\u007Ba\u007D\u0027\u005C'"
    assert write_text("\U0001f600") == r"'\U0001F600'"


def test_whole_numbers_beyond_38_digits_are_floats() -> None:
    assert write_constant(2**126, Type.INTEGER) == f"CAST('{float(2**126)!r}' AS DOUBLE)"
    assert math.isfinite(2.0**126)


def test_whole_numbers_are_computed_in_38_digits() -> None:
    assert cast_working("x", Type.INTEGER) == "CAST(x AS DECIMAL(38,0))"
    assert cast_working("x", Type.DECIMAL) == "CAST(x AS DOUBLE)"
