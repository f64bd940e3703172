"""Domains of keys are derived from declared values, and follow the conditions."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from discreet.query.bounding.public_facts import PublicFacts
from support.hospital import asked, catalog_of, engine_of
from support.oracle import ENGINE


@pytest.mark.parametrize(
    ("key", "domain"),
    [
        ("ward", ("icu", "north", "south")),
        ("upper(ward)", ("ICU", "NORTH", "SOUTH")),
        ("left(ward, 1)", ("i", "n", "s")),
        ("ward = 'icu'", (False, True)),
        ("age // 50", (0, 1, 2)),
        ("CASE WHEN age > 50 THEN 'old' ELSE 'young' END", ("old", "young")),
        ("CASE WHEN sick THEN ward ELSE 'well' END", ("icu", "north", "south", "well")),
        ("COALESCE(ward, 'none')", ("icu", "none", "north", "south")),
        ("patient", None),
        ("secret", None),
        ("lower(CAST(patient AS TEXT))", None),
    ],
)
def test_domains(key: str, domain: tuple[object, ...] | None) -> None:
    source = "(SELECT ward, age, sick, patient + 0 AS patient, CAST(patient AS TEXT) AS secret FROM visits)"
    question = asked(ENGINE, f"SELECT COUNT(*) FROM {source} GROUP BY {key}")
    assert PublicFacts.of(question.block, catalog_of(ENGINE)).domain(question.keys[0]) == domain


def test_constants_and_remainders_are_keys_of_few_values() -> None:
    constant = asked(ENGINE, "SELECT k, COUNT(*) FROM (SELECT 7 AS k FROM visits) GROUP BY k")
    assert PublicFacts.of(constant.block, catalog_of(ENGINE)).domain(constant.keys[0]) == (7,)
    rest = asked(ENGINE, "SELECT patient % 3 AS r, COUNT(*) FROM visits GROUP BY r")
    found = PublicFacts.of(rest.block, catalog_of(ENGINE)).domain(rest.keys[0])
    assert set(found or ()) >= {-2, -1, 0, 1, 2}


def test_public_values_beyond_38_digits_are_none() -> None:
    """They are NULL as in rows: a key that no row can have is none, and computing it does not fail."""
    one, other = (f"(CASE WHEN {each} THEN {10**37} ELSE 2 END)" for each in ("sick", "age > 5"))
    question = asked(ENGINE, f"SELECT {one} * {other} AS k, COUNT(*) FROM visits GROUP BY k")
    assert PublicFacts.of(question.block, catalog_of(ENGINE)).domain(question.keys[0]) == (4, 2 * 10**37)


def test_numbers_that_no_engine_has_are_no_public_values() -> None:
    """A cast of a float beyond 64 bits is NULL, so that nothing is made from it either."""
    bucket = "WIDTH_BUCKET(CAST(1e308 AS BIGINT), 0, 10, 3)"
    question = asked(ENGINE, f"SELECT {bucket} AS k, COUNT(*) FROM visits GROUP BY k")
    assert PublicFacts.of(question.block, catalog_of(ENGINE)).domain(question.keys[0]) == (0, 1, 2, 3, 4)


def test_parts_of_one_column_go_together() -> None:
    """No key is listed for a day that no month has, nor for one that the bounds leave out."""
    question = asked(ENGINE, "SELECT age // 50 * 10 + age // 25 AS k, COUNT(*) FROM visits GROUP BY k")
    assert PublicFacts.of(question.block, catalog_of(ENGINE)).domain(question.keys[0]) == (0, 1, 12, 13, 24)


def test_days_and_months_between_declared_dates() -> None:
    policy = """\
[budget]
epsilon = 1.0
[tables.t]
rows_are_units = true
[tables.t.columns]
d = { type = "date", lower = 2026-01-30, upper = 2026-02-02 }
"""
    engine = engine_of(policy, {"t": pa.table({"d": pa.array([], pa.date32())})})
    days = asked(engine, "SELECT d, COUNT(*) FROM t GROUP BY d")
    assert PublicFacts.of(days.block, catalog_of(engine)).domain(days.keys[0]) == tuple(
        dt.date(2026, 1, 30) + dt.timedelta(days=place) for place in range(4)
    )
    months = asked(engine, "SELECT date_trunc('month', d) AS m, COUNT(*) FROM t GROUP BY m")
    found = PublicFacts.of(months.block, catalog_of(engine)).domain(months.keys[0])
    assert found is not None
    assert [str(value)[:10] for value in found] == ["2026-01-01", "2026-02-01"]
