"""Rows of declared values come in the order in which the policy lists them; nothing else of a question changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.curator import Curator
from discreet.plan.identity import hash_plan
from support.clinic import VISITS, make_tables, open_clinic

LISTED = ["north", "south", "icu"]
"""As the clinic's policy has them; sorted, icu is the first."""


@pytest.mark.parametrize(
    ("text", "wards"),
    [
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", LISTED),
        ("SELECT ward, COUNT(*) AS n FROM visits WHERE ward <> 'south' GROUP BY ward", ["north", "icu"]),
        ("SELECT ward, COUNT(*) AS n FROM visits WHERE ward IN ('icu', 'south') GROUP BY ward", ["south", "icu"]),
        ("SELECT ward, COUNT(*) AS n FROM (SELECT patient_id, ward FROM visits) GROUP BY ward", LISTED),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward LIMIT 2", LISTED[:2]),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward", sorted(LISTED)),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward DESC", sorted(LISTED, reverse=True)),
        ("SELECT UPPER(ward) AS ward, COUNT(*) AS n FROM visits GROUP BY 1", ["ICU", "NORTH", "SOUTH"]),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward)", [*LISTED, None]),
    ],
)
def test_the_policy_orders_rows_unless_the_question_does(tmp_path: Path, text: str, wards: list[str]) -> None:
    with open_clinic(tmp_path) as curator:
        assert curator.ask(text, 1.0)["ward"] == wards


def test_every_row_keeps_its_own_number(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=10_000.0, limits="max_rows = 3") as curator:
        answer = curator.ask("SELECT ward, age > 40 AS old, COUNT(*) AS n FROM visits GROUP BY ward, old", 4_000.0)
        pairs = [(ward, old) for ward in LISTED for old in (False, True)]
        assert [row[:2] for row in answer.rows] == pairs
        for ward, old, count in answer.rows:
            true = sum(visit[3] == ward and visit[1] is not None and (visit[1] > 40) is old for visit in VISITS)
            assert abs(count - true) <= 3  # type: ignore[operator]


def test_plans_and_records_know_nothing_of_the_order(tmp_path: Path) -> None:
    """The order may be changed, and what was asked before is still free."""
    text = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
    with open_clinic(tmp_path) as curator:
        plan, first = curator.prepare(text, 1.0).priced.bounded.plan, sorted(curator.ask(text, 1.0).rows)
        assert plan.keys[0].domain == ("icu", "north", "south")
    path = tmp_path / "policy.toml"
    path.write_text(path.read_text().replace('["north", "south", "icu"]', '["south", "icu", "north"]'))
    with Curator.open(path, None, make_tables(VISITS)) as curator:
        again = curator.ask(text, 1.0)
        assert hash_plan(curator.prepare(text, 1.0).priced.bounded.plan) == hash_plan(plan)
        assert again.receipt.paid == "free"
        assert again["ward"] == ["south", "icu", "north"]
        assert sorted(again.rows) == first
