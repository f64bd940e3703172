"""An analyst whose tables the policy lists can name these alone: all others are not there for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import PolicyError, QueryError
from discreet.curator import Curator
from support.clinic import write_policy, write_tables

ANALYSTS = """
[views.elderly]
sql = "SELECT * FROM visits WHERE age >= 65"

[analysts.alice]
epsilon = 1.0
tables = ["Elderly", "wards"]

[analysts.bob]
epsilon = 1.0
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    write_tables(tmp_path)
    path = tmp_path / "policy.toml"
    path.write_text(write_policy(files=True) + ANALYSTS)
    Curator.init(path)
    return path


def test_a_table_that_is_not_listed_is_not_there(clinic: Path) -> None:
    with Curator.open(clinic, "alice") as curator:
        alice, bob = curator.session("alice"), curator.session("bob")
        for ask in (
            lambda: alice.prepare("SELECT COUNT(*) FROM visits", 0.1),
            lambda: alice.prepare("WITH v AS (SELECT * FROM visits) SELECT COUNT(*) FROM v", 0.1),
            lambda: alice.prepare("SELECT COUNT(*) FROM elderly JOIN visits USING (patient_id)", 0.1),
            lambda: alice.plan_rows("SELECT age FROM visits"),
            lambda: alice.prepare_choice([1, 2], "COUNT(*) FILTER (WHERE age > $candidate)", 0.1, table="visits"),
            lambda: alice.bounds("visits.cost", 0.1),
            lambda: alice.table("visits"),
        ):
            with pytest.raises(QueryError, match="there is no table 'visits'") as refused:
                ask()
            assert "patients" not in str(refused.value)
        assert bob.prepare("SELECT COUNT(*) FROM visits", 0.1).fields
        assert [entry.kind for entry in curator.ledger.entries()] == ["CREATE"]


def test_a_listed_view_is_asked_although_its_table_is_not_listed(clinic: Path) -> None:
    with Curator.open(clinic, "alice") as curator:
        session = curator.session("alice")
        answer = session.ask("SELECT ward, COUNT(*) AS n FROM elderly JOIN wards USING (ward) GROUP BY ward", 0.5)
        assert len(answer.rows) == 3
        assert [each.table.name for each in session.tables] == ["wards"]
        assert [each.name for each in session.tables.views] == ["elderly"]


@pytest.mark.parametrize(("listed", "wrong"), [("[]", "is empty"), ('["nobody"]', "is no table or view")])
def test_a_policy_lists_tables_that_there_are(clinic: Path, listed: str, wrong: str) -> None:
    clinic.write_text(clinic.read_text().replace('["Elderly", "wards"]', listed))
    with pytest.raises(PolicyError, match=wrong):
        Curator.open(clinic, "bob")
