"""Ranges follow expressions and not names; those of dates and times too."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.plan.ranges import Range
from discreet.query.bounding.public_facts import PublicFacts
from discreet.query.bounding.public_ranges import cover_ranges
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
