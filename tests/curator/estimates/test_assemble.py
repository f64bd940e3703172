"""Released numbers to answers: fields, remarks and notes."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from discreet.answers import CLAMPED, SELECTED
from discreet.base.types import Type
from discreet.curator.estimates.assemble import (
    BESIDE,
    CHOSEN,
    CHOSEN_CLAMPED,
    CHOSEN_CUT,
    CUT,
    UNGROUPED,
    describe_selection,
)
from discreet.mechanisms.key_selection import KeySelection
from support.clinic import open_clinic

EPOCH = dt.date(1970, 1, 1)


@pytest.mark.many
@pytest.mark.parametrize(
    ("question", "notes"),
    [
        ("SELECT COUNT(*) FROM visits", (CUT,)),
        ("SELECT SUM(cost) FROM visits", (CLAMPED, CUT)),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY 2", (CUT, UNGROUPED)),
        ("SELECT MODE(ward) FROM visits", (CHOSEN_CUT, UNGROUPED, CHOSEN)),
        (
            "SELECT ward FROM visits GROUP BY ward ORDER BY SUM(cost) DESC LIMIT 1",
            (CHOSEN_CLAMPED, CHOSEN_CUT, UNGROUPED, CHOSEN),
        ),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY 2 LIMIT 1", (CUT, UNGROUPED, SELECTED)),
        ("SELECT ward, AVG(age) FROM visits GROUP BY ward HAVING AVG(age) > 0", (CLAMPED, CUT, UNGROUPED, SELECTED)),
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING ward > 'a' ORDER BY ward LIMIT 1", (CUT, UNGROUPED)),
        (
            "SELECT t.ward, n / beds FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) t "
            "JOIN wards USING (ward)",
            (CUT, UNGROUPED),
        ),
        (
            "SELECT a.ward, n / m FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) a "
            "JOIN (SELECT ward, COUNT(*) AS m FROM visits WHERE age > 9 GROUP BY ward) b USING (ward)",
            (BESIDE, CUT, UNGROUPED),
        ),
        (
            "SELECT a.ward, n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) a "
            "JOIN (SELECT ward, COUNT(*) AS m FROM visits WHERE age > 9 GROUP BY ward) b ON n = m",
            (BESIDE, CUT, UNGROUPED, SELECTED),
        ),
    ],
)
def test_an_answer_says_what_its_intervals_do_not_cover(tmp_path: Path, question: str, notes: tuple[str, ...]) -> None:
    with open_clinic(tmp_path) as curator:
        assert curator.ask(question, 0.5).notes == notes


def test_every_column_says_how_its_interval_is_made(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        answer = curator.ask(
            "SELECT ward, COUNT(*) AS n, COUNT(*) * 2 AS twice, CASE WHEN COUNT(*) > 5 THEN 'a' ELSE 'b' END AS w, "
            "AVG(cost) AS mean FROM visits GROUP BY ward",
            0.5,
        )
        assert [field.noisy for field in answer.fields] == [False, True, True, True, True]
        assert [field.remark.split(":")[0] for field in answer.fields] == [
            "",
            "exact",
            "conservative",
            "none",
            "conservative",
        ]
        assert [field.type for field in answer.fields] == [Type.TEXT, Type.INTEGER, Type.INTEGER, Type.TEXT, Type.FLOAT]
        assert answer.bounds(0.95, False)[0][3] is None


def test_a_recorded_answer_is_shown_as_it_was(tmp_path: Path) -> None:
    question = "SELECT ward, COUNT(*) AS n, MEDIAN(cost) AS m, AVG(cost) AS a FROM visits GROUP BY ward"
    with open_clinic(tmp_path) as curator:
        first = curator.ask(question, 0.5)
    with open_clinic(tmp_path) as curator:
        again = curator.ask(question, 0.5)
        assert again.rows == first.rows
        assert again.bounds(0.9, True) == first.bounds(0.9, True)


def test_the_note_on_selected_keys_is_made_at_once_however_small_epsilon_is() -> None:
    selection = KeySelection(1e-9, 1e-10, 4)
    half = int(describe_selection(selection).split("those with ")[1].split()[0].replace(",", ""))
    assert selection.probability(half - 1).low < 0.5 <= selection.probability(half).low


def test_the_least_and_the_largest_date_are_dates_and_one_release_with_their_days(tmp_path: Path) -> None:
    """They lie within the declared dates, and asking for their days, which have an interval, is free."""
    with open_clinic(tmp_path, epsilon=1000.0) as curator:
        answer = curator.ask("SELECT MIN(day) AS first, MAX(day) AS last, YEAR(MAX(day)) AS y FROM visits", 50.0)
        ((first, last, year),) = answer.rows
        assert isinstance(first, dt.date)
        assert isinstance(last, dt.date)
        assert dt.date(2025, 1, 1) <= first < dt.date(2025, 2, 1) < dt.date(2026, 11, 1) < last <= dt.date(2026, 12, 31)
        assert year == last.year
        assert answer.bounds_at() == ((None, None, None),)
        for shown, word in zip(answer.fields[:2], ("MIN", "MAX"), strict=True):
            assert f"; {word}(DATE_DIFF('day', DATE '1970-01-01', x)) is the same release" in shown.remark
        later = curator.ask("SELECT DATE '2026-01-01' + CAST(COUNT(*) AS INTEGER) AS d FROM visits", 1.0)
        assert "same release" not in later.fields[0].remark
        assert later.bounds_at() == ((None,),)
        assert "extreme quantiles" in str(answer)
        spent = curator.ledger.head
        days = "DATE_DIFF('day', DATE '1970-01-01', day)"
        numbers = curator.ask(f"SELECT MIN({days}) AS a, MAX({days}) AS b FROM visits", 50.0)
        assert curator.ledger.head == spent
        assert numbers.rows == (((first - EPOCH).days, (last - EPOCH).days),)
        assert None not in numbers.bounds_at()[0]


def test_the_largest_time_is_told_to_the_second(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=1000.0) as curator:
        for told in ("1969-12-31 23:59:59", "2024-02-29 00:00:00", "0001-01-01 00:00:01", "9999-12-31 12:34:56"):
            asked = f"MAX(CASE WHEN age < 0 THEN TIMESTAMP '{told}' - INTERVAL 1 SECOND ELSE TIMESTAMP '{told}' END)"
            ((found,),) = curator.ask(f"SELECT {asked} FROM visits", 50.0).rows
            assert str(found) == told
