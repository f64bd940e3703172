"""Numbers and texts do not grow beyond their limits by going through subqueries."""

from __future__ import annotations

import pytest

from support.hospital import refusal
from support.oracle import ENGINE, assert_same

SQUARE = "SELECT patient, patient * patient AS x, ward FROM visits"
JOINED = "SELECT patient, {} AS w FROM ({})"


def test_what_fits_is_answered() -> None:
    assert_same(f"SELECT COUNT(*) FROM ({SQUARE}) WHERE x > 50")
    assert_same("SELECT COUNT(*) FROM (SELECT ward || ward AS w FROM visits) WHERE w || w = 'icuicuicuicu'")


@pytest.mark.parametrize(
    "source",
    [
        f"(SELECT x * x AS y FROM ({SQUARE}))",
        f"(SELECT x * patient AS y FROM ({SQUARE}))",
        f"(SELECT m * m AS y FROM (SELECT patient, MAX(x) AS m FROM ({SQUARE}) GROUP BY patient))",
        f"(SELECT x * x AS y FROM ({SQUARE} UNION ALL {SQUARE}))",
        f"(SELECT b.x * a.patient AS y FROM visits a JOIN ({SQUARE} WHERE sick) b USING (patient))",
    ],
)
def test_numbers_that_could_leave_38_digits_are_held_however_deep(source: str) -> None:
    assert_same(f"SELECT COUNT(y) FROM {source} WHERE y > 5")
    assert "38 digits" in refusal(ENGINE, f"SELECT COUNT(y) FROM {source} WHERE ROUND(y, -2) > 5")


def test_texts_that_double_in_every_subquery_are_refused() -> None:
    source = "visits"
    for _ in range(24):
        source = f"(SELECT patient, ward || ward AS ward FROM {source})"
    told = refusal(ENGINE, f"SELECT COUNT(*) FROM {source} WHERE ward = 'x'")
    assert "text" in told


def test_texts_of_one_row_are_bounded_together() -> None:
    """Each is short enough; an engine holds all of a row in one piece."""
    long = [f"COUNT(DISTINCT REPLACE(ward, 'a', '{'b' * 42}{at}'))" for at in range(3)]
    assert_same(f"SELECT {long[0]}, {long[1]} FROM visits")
    assert "128 times as long together" in refusal(ENGINE, f"SELECT {', '.join(long)} FROM visits")
    twice = "COUNT(DISTINCT w), COUNT(DISTINCT w || 'x')"
    nested = f"SELECT patient, REPLACE(ward, 'a', '{'b' * 60}') AS w FROM visits"
    assert "together" in refusal(ENGINE, f"SELECT {twice}, COUNT(DISTINCT w || 'y') FROM ({nested})")


def test_a_letter_counts_as_many_bytes_as_it_has() -> None:
    assert_same(f"SELECT COUNT(DISTINCT REPLACE(ward, 'a', '{'b' * 60}')) FROM visits")
    told = refusal(ENGINE, f"SELECT COUNT(DISTINCT REPLACE(ward, 'a', '{chr(0x1F600) * 17}')) FROM visits")
    assert "64 times" in told
