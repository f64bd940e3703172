"""What is public: ranges follow expressions and not names, and domains of keys are derived from declared values."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pyarrow as pa
import pytest

from discreet.plan.ranges import Range
from discreet.query.bounding.public_facts import PublicFacts, cover_ranges
from support.hospital import POLICY, asked, bounded, catalog_of, engine_of, refusal
from support.oracle import ENGINE

SUMMED = "SELECT patient, SUM(age) AS s, COUNT(*) AS n, AVG(age) AS m, MIN(age) AS lo FROM visits GROUP BY patient"


@pytest.mark.parametrize(
    ("argument", "source", "ends"),
    [
        ("age", "visits", (0, 110)),
        ("cost", "visits", (0, 100)),
        ("cost", "(SELECT cost * 1000 AS cost FROM visits)", (0, 100_000)),
        ("cost", "(SELECT -cost AS cost FROM visits)", (-100, 0)),
        ("cost", "(SELECT age AS cost, cost AS age FROM visits)", (0, 110)),
        ("x", "(SELECT age AS x FROM visits UNION ALL SELECT price FROM stays)", (-50, 110)),
        ("s", f"({SUMMED})", (0, 2200)),
        ("n", f"({SUMMED})", (0, 20)),
        ("m", f"({SUMMED})", (0, 110)),
        ("lo", f"({SUMMED})", (0, 110)),
        ("s * 2", f"({SUMMED})", (0, 4400)),
        (
            "s",
            "(SELECT patient, SUM(price) AS s FROM visits JOIN stays ON who = patient GROUP BY patient)",
            (-20_000, 40_000),
        ),
        ("total", "totals", (0, 2000)),
        ("LEAST(GREATEST(patient, 5), 9)", "visits", (5, 9)),
    ],
)
def test_ranges(argument: str, source: str, ends: tuple[int, int]) -> None:
    question = asked(ENGINE, f"SELECT COUNT({argument}) FROM {source}")
    (found,) = question.aggregates
    assert found.argument is not None
    known = PublicFacts.of(question.block, catalog_of(ENGINE)).range(found.argument)
    assert known is not None
    assert [known.lower, known.upper] == list(ends)


def test_a_column_that_is_redefined_has_no_range_of_its_old_name() -> None:
    question = asked(ENGINE, "SELECT COUNT(age) FROM (SELECT patient + 1 AS age FROM visits)")
    (found,) = question.aggregates
    assert found.argument is not None
    assert PublicFacts.of(question.block, catalog_of(ENGINE)).range(found.argument) is None


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


def test_the_hull_of_ranges() -> None:
    one, other = Range(Fraction(0), Fraction(5), Fraction(1)), Range(Fraction(-3), Fraction(2), Fraction(1, 2))
    assert cover_ranges([one, other]) == Range(Fraction(-3), Fraction(5), Fraction(1, 2))
    assert cover_ranges([one, None]) is None


DAYS = "seen = { lower = 1970-01-01, upper = 1999-12-31 }"
DATED = POLICY.replace("[tables.visits.columns]", f"[tables.visits.columns]\n{DAYS}", 1)


@pytest.mark.parametrize(
    ("argument", "ends"),
    [
        ("YEAR(seen)", (1970, 1999)),
        ("DATE_DIFF('day', seen, DATE '1970-01-11')", (-10946, 10)),
        ("LENGTH(ward)", (3, 5)),
        ("YEAR(seen) * 2", (3940, 3998)),
    ],
)
def test_numbers_of_public_values_have_bounds(argument: str, ends: tuple[int, int]) -> None:
    (measure,) = bounded(engine_of(DATED), f"SELECT SUM({argument}) FROM visits").plan.measures
    assert measure.grid is not None
    assert [end * measure.grid.step for end in (measure.grid.lower, measure.grid.upper)] == [
        Fraction(end) for end in ends
    ]


def test_numbers_of_anything_have_none() -> None:
    assert "has no bounds that follow" in refusal(engine_of(), "SELECT SUM(YEAR(seen)) FROM visits")
    assert "no declared bounds" in refusal(engine_of(), "SELECT SUM(patient) FROM visits")
