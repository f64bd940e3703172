"""Keys that follow the conditions, and keys that are handed in, asked through a curator."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from discreet.answers import Answer
from discreet.base.errors import QueryError
from support.clinic import open_clinic

DOCTORS = "SELECT doctor, COUNT(*) AS n FROM visits GROUP BY doctor"


def count_of(answer: Answer, row: int) -> int:
    """Return the second column of a row."""
    found = answer.rows[row][1]
    assert isinstance(found, int)
    return found


def test_only_keys_that_rows_can_have_are_shown(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100) as curator:

        def keys(text: str) -> list[tuple[object, ...]]:
            found = curator.ask(text, 1)
            plain = [place for place, field in enumerate(found.fields) if not field.noisy]
            return [tuple(row[place] for place in plain) for row in found.rows]

        young = keys("SELECT age, COUNT(*) AS n FROM visits WHERE age < 18 GROUP BY age")
        assert young == [(age,) for age in range(18)]
        assert (
            len(keys("SELECT day, COUNT(*) FROM visits WHERE day BETWEEN '2026-03-01' AND '2026-03-07' GROUP BY day"))
            == 7
        )
        some = keys("SELECT ward, COUNT(*) FROM visits WHERE ward IN ('north', 'icu') GROUP BY ward")
        assert some == [("north",), ("icu",)]
        either = keys("SELECT ward, COUNT(*) FROM visits WHERE ward IN ('north', 'icu') OR age < 18 GROUP BY ward")
        assert len(either) == 3
        both = keys(
            "SELECT beds, age, city, COUNT(*) FROM visits JOIN wards USING (ward) WHERE age < 2 GROUP BY 1, 2, 3"
        )
        wards = ((12, "Bonn"), (30, "Bonn"), (40, "Aachen"))
        assert both == [(beds, age, city) for beds, city in wards for age in (0, 1)]


def test_listed_keys_cost_no_delta_and_need_no_selection(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100) as curator:
        listed = curator.ask("SELECT doctor, COUNT(*) AS n FROM visits WHERE doctor IN ('x', 'y') GROUP BY doctor", 1)
        assert [row[0] for row in listed.rows] == ["x", "y"]
        assert listed.cost.delta == 0
        case = "CASE WHEN doctor IN ('x', 'y') THEN doctor ELSE 'other' END"
        cased = curator.ask(f"SELECT {case} AS d, COUNT(*) AS n FROM visits GROUP BY d", 5)
        assert [row[0] for row in cased.rows] == ["other", "x", "y"]
        assert count_of(cased, 0) > 500
        assert curator.ask(DOCTORS, 1).cost.delta > 0


def test_every_key_that_is_handed_in_appears(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100) as curator:
        asked = curator.ask("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", 20, keys=["icu", "nowhere"])
        assert [row[0] for row in asked.rows] == ["icu", "nowhere"]
        assert count_of(asked, 0) > 50
        assert abs(count_of(asked, 1)) < 10
        assert asked.cost.delta == 0
        frame = pd.DataFrame({"age": [31, 30], "w": ["north", "icu"]})
        pairs = curator.ask("SELECT ward AS w, age, COUNT(*) AS n FROM visits GROUP BY w, age", 1, keys=frame)
        assert [row[:2] for row in pairs.rows] == [("icu", 30), ("north", 31)]
        fluent = curator.table("visits").group_by("doctor").count(epsilon=1, keys=["x"])
        assert [row[0] for row in fluent.rows] == ["x"]


def test_keys_belong_to_the_question(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100) as curator:
        first = curator.ask(DOCTORS, 1, keys=["x", "y"])
        again = curator.ask(DOCTORS, 1, keys=["y", "x"])
        assert again.rows == first.rows
        assert again.receipt.paid == "free"
        other = curator.prepare(DOCTORS, 1, keys=["x", "z"])
        assert other.request.identity != curator.prepare(DOCTORS, 1, keys=["x", "y"]).request.identity
        assert other.text.startswith(f"{DOCTORS} -- 2 keys handed in, ")
        told = curator.explain(DOCTORS, 1, keys=["x", "y"])
        assert "doctor (2): 2 rows, also the empty ones" in str(told)


def test_keys_that_go_together_are_explained(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        told = curator.explain(
            "SELECT city, beds, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY city, beds", 0.5
        )
        assert "city (2), beds (3): together, 3 rows, also the empty ones" in str(told)


def test_wrong_keys_cost_nothing(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        before = [entry.kind for entry in curator.ledger.entries()]
        for wrong in (["x", "x"], [None], [3], [("x", "y")], "x"):
            with pytest.raises(QueryError):
                curator.ask(DOCTORS, 0.5, keys=wrong)
        assert [entry.kind for entry in curator.ledger.entries()] == before
