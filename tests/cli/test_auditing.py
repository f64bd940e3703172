"""`discreet audit`: the owner's questions on the owner's rows; nothing is charged, and no answer is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.audit.graybox import ReplayNeighbours, make_neighbours, questions
from discreet.curator import Curator
from discreet.plan.bounded import Limits
from discreet.policy.model import Policy
from support.cli import BY_WARD, COUNT, POLICY, Ran, refused
from support.clinic import VISITS, write_tables

FEW = ("with unit with many rows", "without the unit with the most rows")


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    write_tables(tmp_path, VISITS[:90])
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    Curator.init(path)
    return path


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two neighbours be tried, which is quick."""

    def make(policy: Policy, most_rows: int) -> ReplayNeighbours:
        return make_neighbours(policy, most_rows=most_rows).only(*FEW)

    monkeypatch.setattr(questions, "make_neighbours", make)


def test_questions_of_a_file_are_replayed_and_nothing_is_charged(policy: Path, tmp_path: Path) -> None:
    asked = tmp_path / "questions.sql"
    asked.write_text(f"-- what we publish each month; on Mondays\n{BY_WARD};\n\n-- the end\n")
    ledger = tmp_path / ".discreet" / "ledger.db"
    before = ledger.read_bytes()
    ran = Ran("audit", policy, "--questions", asked, "--no-clock", "--format", "json")
    assert ran.code == 0
    assert ledger.read_bytes() == before
    (found,) = json.loads(ran.out)["questions"]
    assert BY_WARD in found["question"]
    assert len(found["neighbours"]) == 14
    assert found["findings"] == []
    assert "-- what we publish" not in Ran("audit", policy, "--questions", asked, "--no-clock").out
    part = {"part": "measure 1, rows", "norm": "L1", "declared": "4", "observed": "4"}
    assert part in found["parts"]
    assert "nothing is charged" in json.loads(ran.out)["for"].lower()


@pytest.mark.usefixtures("few")
def test_a_table_tells_what_is_declared_observed_and_found(policy: Path) -> None:
    ran = Ran("audit", policy, "-q", COUNT, "-q", "SELECT nothing FROM visits", "--no-clock")
    assert ran.code == 1, "a question that was not replayed is not audited"
    assert "for the owner's eyes only" in ran.err
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["measure", "1,", "rows", "4", "4", "L1"] in lines
    assert "  2 neighbours: nothing found" in ran.out
    assert "not replayed: on the database, QueryError: 'visits' has no column 'nothing'" in ran.out
    assert "2 questions, 1 of them not replayed, 0 findings" in ran.out
    assert "sums in steps, which are named" in " ".join(ran.out.split())


@pytest.mark.usefixtures("few")
def test_a_question_that_tells_a_person_is_found(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.query.bound.choose_limits", lambda *_: Limits(1000, 1, 1000))
    monkeypatch.setattr(Limits, "l1", lambda self: 3)
    monkeypatch.setattr(Limits, "l2_squared", lambda self: 9)
    ran = Ran("audit", policy, "-q", COUNT, "--no-clock")
    assert ran.code == 1
    assert "FOUND  sensitivity, with unit with many rows: desk: measure 1, rows: declared 3, observed" in ran.out


@pytest.mark.usefixtures("few")
def test_without_questions_the_simplest_are_asked_of_every_private_table(policy: Path) -> None:
    ran = Ran("audit", policy, "--no-clock", "--format", "json")
    found = [each["question"] for each in json.loads(ran.out)["questions"]]
    assert found == [
        'SELECT COUNT(*), SUM("age"), SUM("cost"), SUM("quantity") FROM "visits"',
        'SELECT COUNT(*) FROM "patients"',
    ]
    assert ran.code == 0


@pytest.mark.usefixtures("few")
def test_numbers_without_a_step_are_added_up_too_and_parts_name_their_columns(policy: Path) -> None:
    policy.write_text(policy.read_text().replace(", step = 0.01", ""))
    lines = Ran("audit", policy, "--no-clock").out.splitlines()
    assert any(line.startswith("  measure 2, values (cost, steps of") for line in lines), lines
    assert any("values (age)" in line for line in lines)


def test_where_all_tables_are_public_there_is_nothing_to_audit(tmp_path: Path) -> None:
    (tmp_path / "wards.csv").write_text("ward,beds\nnorth,3\n")
    text = '[budget]\nepsilon = 1\n[tables.wards]\nsource = "wards.csv"\npublic = true\n[tables.wards.columns]\n'
    (tmp_path / "policy.toml").write_text(text + 'ward = { type = "text" }\nbeds = { type = "integer" }\n')
    assert "all tables of this policy are public" in refused("audit", tmp_path / "policy.toml")


@pytest.mark.usefixtures("few")
def test_the_owner_is_told_that_an_unknown_column_is_a_hidden_one(policy: Path) -> None:
    policy.write_text(policy.read_text().replace("[tables.visits]\n", '[tables.visits]\nhidden = ["doctor"]\n'))
    ran = Ran("audit", policy, "-q", "SELECT COUNT(DISTINCT doctor) FROM visits", "--no-clock")
    assert ran.code == 1
    assert "'doctor' of 'visits' is hidden by the policy, so nobody may ask about it" in ran.out


@pytest.mark.usefixtures("few")
def test_the_owner_is_told_what_to_say_where_a_question_costs_more_than_the_budget(policy: Path) -> None:
    ran = Ran("audit", policy, "-q", "SELECT COUNT(*) FROM visits", "--no-clock", "-e", "5000")
    assert ran.code == 1
    assert "Say less than --epsilon 5000: how far a unit moves it is the same" in ran.out


def test_a_missing_file_is_said_before_anything_else(tmp_path: Path, policy: Path) -> None:
    assert "for the owner's eyes" not in refused("audit", tmp_path / "none.toml")
    (tmp_path / "visits.parquet").unlink()
    assert "for the owner's eyes" not in refused("audit", policy)


def test_what_cannot_be_read_is_refused(policy: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.sql"
    empty.write_text("-- nothing;\n")
    assert "a file with a question in it" in refused("audit", policy, "--questions", empty)
    command = tmp_path / "command.sql"
    command.write_text("\\d visits\n")
    assert "questions alone" in refused("audit", policy, "--questions", command)
    assert "a file that exists" in refused("audit", policy, "--questions", tmp_path / "none.sql")
    assert "a text file that can be read" in refused("audit", policy, "--questions", tmp_path)
    assert "at least 1" in refused("audit", policy, "--rows", "0")
    assert "epsilon must be" in refused("audit", policy, "-e", "-1")


def test_a_policy_that_is_not_found_is_asked_for_as_an_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "or name it: discreet audit POLICY" in refused("audit")
