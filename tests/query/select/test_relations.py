"""What stands in FROM, and whether it speaks of the same people."""

from __future__ import annotations

import pytest

from support.hospital import HOSPITAL, POLICY, engine_of, refusal
from support.oracle import ENGINE, assert_same


def test_tables_of_the_same_people_join_under_different_names() -> None:
    assert_same("SELECT COUNT(*), SUM(days) FROM visits JOIN stays ON visits.patient = stays.who")
    assert_same("SELECT COUNT(*) FROM stays JOIN secrets ON stays.who = secrets.patient")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM visits JOIN staff ON staff.patient = visits.patient",
        "SELECT COUNT(*) FROM visits JOIN staff ON employee = visits.patient",
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT employee FROM staff)",
        "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM staff WHERE employee = v.patient)",
        "SELECT COUNT(*) FROM (SELECT patient FROM visits UNION ALL SELECT employee FROM staff)",
        "SELECT COUNT(*) FROM (SELECT age FROM visits UNION ALL SELECT age FROM people)",
    ],
)
def test_other_peoples_rows_are_never_combined(text: str) -> None:
    assert "do not speak of the same people" in refusal(ENGINE, text)


def test_rows_that_are_units_are_added_up_and_never_joined() -> None:
    assert_same("SELECT COUNT(*), SUM(age) FROM (SELECT age FROM people UNION ALL SELECT age FROM people)")
    for text in (
        "SELECT COUNT(*) FROM people a JOIN people b USING (age)",
        "SELECT COUNT(*) FROM people WHERE age IN (SELECT age FROM people)",
    ):
        told = refusal(ENGINE, text)
        assert "a unit of its own" in told or "for the unit alone" in told


def test_a_unit_of_another_name_is_other_people_unless_the_policy_says_so() -> None:
    other = POLICY + '[tables.stays]\nunit = "who"\nsize = 1000\nmax_rows = 2\n'
    engine = engine_of(other, {**HOSPITAL, "stays": HOSPITAL["visits"].rename_columns(["who", *"abcdefg"])})
    assert "identifies" in refusal(engine, "SELECT COUNT(*) FROM visits JOIN stays ON patient = who")
