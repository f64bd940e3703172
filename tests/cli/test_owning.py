"""`discreet init`, `check`, `tables`, `data`, `budget`, `ledger`: the owner's way from files to a watched budget."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

from discreet.curator.door.performance import Performance
from discreet.engines.duck.engine import DuckRun
from discreet.engines.running import EngineLostError
from discreet.ledger import Claim
from discreet.ledger.runs import Runs
from support.cli import BY_WARD, COUNT, POLICY, Ran, refused, run, write_clinic
from support.clinic import ANALYSTS, VISITS, write_tables


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_clinic(tmp_path))
    return tmp_path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data and nothing else."""
    write_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_owners_way_from_files_to_a_verified_ledger(bare: Path) -> None:
    told = run("init", "visits.parquet", "wards.csv")
    assert "drafted policy.toml" in told
    assert "budget.epsilon: is missing" in told
    draft = (bare / "policy.toml").read_text()
    assert 'source = "visits.parquet"' in draft
    assert "budget.epsilon" in refused("init")
    assert "is not overwritten" in refused("init", "visits.parquet")
    assert (bare / "policy.toml").read_text() == draft
    visits, mark, wards = draft.replace("# -> epsilon", "epsilon").partition("[tables.wards]")
    visits = visits.replace("# -> unit", "unit").replace("# -> max_rows", "max_rows")
    (bare / "policy.toml").write_text(visits + mark + wards.replace("# -> public", "public"))
    assert "there is none yet" in Ran("check").out
    assert "created the ledger .discreet/ledger.db" in run("init", "visits.parquet")
    assert "exists already" in refused("init")
    assert "everything fits" in run("check")
    receipt = json.loads(run("ask", COUNT, "-e", 0.5, "--format", "json"))["receipt"]["receipt"]
    assert "50.00% spent" in run("budget")
    assert "all as the chain says" in run("ledger", "--verify")
    assert "the receipt's entry" in run("ledger", "--verify", "--receipt", receipt)
    with sqlite3.connect(bare / ".discreet" / "ledger.db") as db:
        db.execute("UPDATE entries SET body = replace(body, 'COUNT', 'count') WHERE kind = 'CHARGE'")
    ran = Ran("ledger", "--verify")
    assert ran.code == 1
    assert "was edited" in ran.out
    assert "verification failed" in ran.err
    assert Ran("check").code == 1


def test_drafts_know_folders_patterns_and_duckdb_files(bare: Path) -> None:
    with duckdb.connect(str(bare / "shop.duckdb")) as shop:
        shop.execute("CREATE TABLE buyers (id INTEGER, name VARCHAR)")
        shop.execute("CREATE TABLE visits (id INTEGER, things INTEGER[])")
    (bare / "months").mkdir()
    shutil.copy("visits.parquet", bare / "months" / "may.parquet")
    run("init", "visits.parquet", "months", "shop.duckdb", "months/*.parquet")
    draft = (bare / "policy.toml").read_text()
    for section in ("visits", "months", "buyers", "visits_2", "months_2"):
        assert f"[tables.{section}]" in draft
    assert 'source = "months/*.parquet"' in draft
    assert "# things: of a type that discreet does not know" in draft
    assert "# age = { lower = ..., upper = ... }  # integer" in draft


def test_a_pattern_over_files_with_different_columns_is_one_table_each(bare: Path) -> None:
    (bare / "all").mkdir()
    shutil.copy("visits.parquet", bare / "all" / "visits.parquet")
    duckdb.sql(f"COPY (SELECT 1 AS id) TO '{bare}/all/buyers.parquet'")
    run("init", "all/*.parquet")
    draft = (bare / "policy.toml").read_text()
    assert 'source = "all/visits.parquet"' in draft
    assert 'source = "all/buyers.parquet"' in draft
    (bare / "policy.toml").unlink()
    run("init", "all")
    assert (bare / "policy.toml").read_text() == draft


def test_types_of_a_csv_file_are_proposed_for_the_owner_to_confirm(bare: Path) -> None:
    (bare / "rides.csv").write_text("rider,day,zone,fare\n1,2026-01-03,007,2.5\n2,,b,3\n")
    assert "types that the first rows of csv files fit: confirm these" in run("init", "rides.csv")
    draft = (bare / "policy.toml").read_text()
    for line in ('# -> rider = { type = "integer" }', '# -> day = { type = "date" }', '# -> fare = { type = "float" }'):
        assert f"\n{line}" in draft
    assert '\nzone = { type = "text" }' in draft
    filled = draft.replace("# -> epsilon", "epsilon").replace("# -> rows_are_units", "rows_are_units")
    (bare / "policy.toml").write_text(filled)
    assert "rides.columns.rider: has no type" in Ran("check").out
    head, mark, columns = filled.partition("[tables.rides.columns]")
    (bare / "policy.toml").write_text(head + mark + columns.replace("# -> ", ""))
    run("init")
    assert "everything fits" in run("check")


def test_one_more_table_is_drafted_beside_a_ledger_and_nothing_is_overwritten(bare: Path) -> None:
    (bare / "policy.toml").write_text(POLICY)
    run("init")
    (bare / "rides.csv").write_text("rider,fare\n1,2.5\n")
    shutil.copy("visits.parquet", bare / "more.parquet")
    ran = Ran("init", "rides.csv", "more.parquet", "visits.parquet")
    assert (ran.code, "add this to policy.toml" in ran.err) == (0, True)
    assert ran.out.startswith('[tables.rides]\nsource = "rides.csv"\n')
    assert "[tables.more]" in ran.out
    assert "[tables.visits" not in ran.out
    assert (bare / "policy.toml").read_text() == POLICY
    assert "gone.csv: there is no such file" in refused("init", "gone.csv")
    told = refused("init", "visits.parquet")
    assert "policy.toml has a table for each of these files, so nothing is drafted; " in told
    assert "exists already" in told


def test_a_missing_file_is_named(bare: Path) -> None:
    for name in ("gone.csv", "gone/*.parquet"):
        (bare / "policy.toml").write_text(f'[budget]\nepsilon = 1\n[tables.t]\nsource = "{name}"\npublic = true\n')
        assert f'tables.t.source: there is no file "{name}"' in Ran("check").out


def test_a_table_of_a_duckdb_file_that_was_renamed_is_still_found(bare: Path) -> None:
    with duckdb.connect(str(bare / "shop.duckdb")) as shop:
        shop.execute("CREATE TABLE visits (id INTEGER)")
    run("init", "visits.parquet", "shop.duckdb")
    draft = (bare / "policy.toml").read_text()
    assert 'table = "visits"' in draft.partition("[tables.visits_2]")[2]


def test_a_draft_elsewhere_names_its_sources_from_there(bare: Path) -> None:
    (bare / "inner").mkdir()
    run("init", "visits.parquet", "--policy", "inner/policy.toml")
    assert f'source = "{bare}/visits.parquet"' in (bare / "inner" / "policy.toml").read_text()
    assert "there is no folder" in refused("init", "visits.parquet", "--policy", "missing/policy.toml")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("missing.parquet", "there is no such file"),
        ("postgresql://reader:hunter2@host/clinic", "as docs/engines.md shows"),
        ("notes.txt", "does not end in"),
        ("empty", "no .parquet and no .csv"),
        ("broken.parquet", "cannot be read as parquet"),
        ("broken.duckdb", "cannot be read as duckdb"),
    ],
)
def test_files_that_cannot_be_drafted_are_refused(bare: Path, source: str, complaint: str) -> None:
    for name in ("notes.txt", "broken.parquet", "broken.duckdb"):
        (bare / name).write_text("patient 7 has cancer")
    (bare / "empty").mkdir()
    told = refused("init", source)
    assert complaint in told
    assert "cancer" not in told
    assert "hunter2" not in told
    assert not (bare / "policy.toml").exists()


def test_check_says_everything_that_is_to_be_done(bare: Path) -> None:
    (bare / "policy.toml").write_text(POLICY.replace("epsilon = 3.0", "epsilon = -1").replace("max_rows = 4", ""))
    ran = Ran("check")
    assert ran.code == 1
    assert "budget.epsilon" in ran.out
    assert "2 things to do" in ran.out
    (bare / "policy.toml").write_text(POLICY.replace("cost =", "price =").replace("wards.csv", "gone.csv"))
    ran = Ran("check")
    assert ran.code == 1
    assert "price" in ran.out
    (bare / "policy.toml").write_text(POLICY.replace("epsilon = 3.0", "epsilon = 30"))
    assert "20 or less is usual" in Ran("check").out


def test_check_refuses_a_policy_that_protects_something_else(here: Path) -> None:
    unit = 'unit = "patient_id"\nidentifies = "patient"\nsize = 1_000_000\nmax_rows = 4'
    assert unit in POLICY
    (here / "policy.toml").write_text(POLICY.replace(unit, "rows_are_units = true\nsize = 1_000_000"))
    ran = Ran("check")
    assert ran.code == 1
    assert "protects something else" in ran.out
    assert "protects something else" in refused("ask", COUNT, "-e", 1)


def test_tables_shows_what_is_public(here: Path) -> None:
    told = run("tables")
    for words in (
        "visits (unit: patient_id; max_rows = ",
        "wards (public)",
        "0 to 5000; step 0.01",
        "north, south, icu",
    ):
        assert words in told


def test_changed_data_is_taken_under_a_new_version_only_when_accepted(here: Path) -> None:
    assert "version '1', as accepted" in run("data")
    assert "wards     version '1', named in the policy" in run("data")
    first = run("ask", COUNT, "-e", 0.5, "--format", "csv")
    write_tables(here, VISITS[:400])
    assert run("ask", COUNT, "-e", 0.5, "--format", "csv") == first
    assert "discreet data accept visits --version NAME" in run("data")
    ran = Ran("check")
    assert (ran.code, "1 thing to do" in ran.out) == (1, True)
    assert "had version '1' already" in refused("data", "accept", "visits", "--version", "1")
    assert "needs a name" in refused("data", "accept", "visits", "--version", " ")
    assert "visits is at version '2'" in run("data", "accept", "VISITS", "--version", "2")
    assert "everything fits" in run("check")
    assert "charged" in run("ask", COUNT, "-e", 0.5)
    assert "version 2" in run("ledger", "--last", 4)
    os.utime("visits.parquet", (1, 1))
    assert "had version '2' already" in refused("data", "accept", "visits", "--version", "2")
    assert "is at version '3'" in run("data", "--policy", here / "policy.toml", "accept", "visits", "--version", "3")
    assert "33.33% spent" in run("budget")


def test_accepting_is_only_for_versions_that_the_policy_does_not_name(here: Path) -> None:
    assert "change version in the policy" in refused("data", "accept", "wards", "--version", "2")
    assert "no such table" in refused("data", "accept", "nothing", "--version", "2")


def test_a_table_that_came_later_is_to_be_accepted(here: Path) -> None:
    shutil.copy("visits.parquet", "more.parquet")
    more = '[tables.more]\nsource = "more.parquet"\nunit = "patient_id"\nmax_rows = 4\n'
    (here / "policy.toml").write_text(POLICY + more)
    assert "more was never accepted" in Ran("check").out
    run("data", "accept", "more", "--version", "1")
    assert run("check")


def test_budget_shows_shares_and_how_many_questions_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path, POLICY + ANALYSTS))
    run("ask", COUNT, "-e", 0.25, "--analyst", "bob")
    told = run("budget", "--epsilon", 0.1)
    for words in ("total", "8.33% spent", "alice", "50.00% left of epsilon 0.5", "still fit: 27", "for bob: 2"):
        assert words in told
    own = run("budget", "--epsilon", 0.1, "--analyst", "bob")
    assert "alice" not in own
    assert "for bob: 2" in own
    assert "epsilon must be" in refused("budget", "-e", -1)


def test_the_ledger_is_listed_readably(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path, POLICY + ANALYSTS))
    run("ask", COUNT, "-e", 0.25, "--analyst", "bob")
    run("ask", COUNT, "-e", 0.25, "--analyst", "alice")
    (tmp_path / "policy.toml").write_text(POLICY.replace("3.0", "4.5") + ANALYSTS)
    lines = run("ledger").splitlines()
    kinds = [line.split()[3] for line in lines]
    assert kinds == ["CREATE", "STATE", "CHARGE", "MEASURE", "RECORD", "SHARE", "POLICY"]
    assert "bob" in lines[2]
    assert lines[2].endswith(f"epsilon 0.25, rho 0.03125: {COUNT}")
    assert lines[3].partition("MEASURE")[2].strip().startswith("measured for entry 3")
    assert "alice" in lines[5]
    assert lines[6].endswith("budget.epsilon: 3 -> 4.5")
    assert len(run("ledger", "--last", 2).splitlines()) == 2
    assert [line.split()[3] for line in run("ledger", "--analyst", "alice").splitlines()] == ["SHARE"]
    entries = json.loads(run("ledger", "--format", "json"))
    assert [entry["kind"] for entry in entries] == kinds
    assert entries[2]["body"]["text"] == COUNT
    assert "eve" in refused("ledger", "--analyst", "eve")


def test_a_hostile_question_stays_on_its_line(here: Path) -> None:
    run("ask", f"{COUNT} -- \x1b[31m\n WHERE age > 5", "-e", 0.1)
    line = run("ledger").splitlines()[-3]
    assert "\x1b" not in line
    assert "WHERE age > 5" in line


def test_verification_finds_a_cut_tail_with_a_receipt(here: Path) -> None:
    run("ask", COUNT, "-e", 0.1)
    shutil.copytree(".discreet", "older")
    receipt = json.loads(run("ask", BY_WARD, "-e", 0.1, "--format", "json"))["receipt"]["receipt"]
    shutil.rmtree(".discreet")
    shutil.copytree("older", ".discreet")
    assert "without a receipt" in run("ledger", "--verify")
    ran = Ran("ledger", "--verify", "--receipt", receipt)
    assert ran.code == 1
    assert "its tail was cut" in ran.out
    told = Ran("ledger", "--verify", "--receipt", receipt, "--format", "json")
    assert told.code == 1
    assert json.loads(told.out)["ok"] is False
    assert "64 hexadecimal digits" in refused("ledger", "--verify", "--receipt", "7")
    assert "beside --verify" in refused("ledger", "--receipt", receipt)


def test_a_ledger_is_verified_without_a_policy_that_loads(here: Path) -> None:
    (here / "policy.toml").write_text("nonsense")
    assert "all as the chain says" in run("ledger", "--verify")
    (here / ".discreet" / "ledger.db").write_bytes(b"nonsense" * 1000)
    assert "damaged" in refused("ledger", "--verify", code=1)
    (here / ".discreet" / "ledger.db").unlink()
    assert "there is no ledger" in refused("ledger", "--verify", code=1)


def test_a_missing_ledger_is_an_error_and_never_made_anew(here: Path) -> None:
    shutil.rmtree(here / ".discreet")
    for command in (["ask", COUNT, "-e", "1"], ["budget"], ["ledger"], ["data"]):
        assert "there is no ledger" in refused(*command)
    assert not (here / ".discreet" / "ledger.db").exists()


def test_a_failure_suspends_until_the_operator_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("patient 7 has cancer")

    monkeypatch.chdir(write_clinic(tmp_path, POLICY + ANALYSTS))
    assert "not suspended for 'bob'; nobody is" in refused("resume", "bob")
    with monkeypatch.context() as patch:
        patch.setattr("discreet.engines.duck.engine.DuckEngine.run", fail)
        told = refused("ask", COUNT, "-e", 0.25, "--analyst", "bob", code=1)
    assert "asking is suspended" in told
    assert "cancer" not in told
    assert "`discreet resume bob`" in refused("ask", BY_WARD, "-e", 0.1, "--analyst", "bob", code=4)
    assert "charged" in run("ask", BY_WARD, "-e", 0.1, "--analyst", "alice")
    assert "suspended for 'bob'" in run("budget")
    assert "suspended" not in run("budget", "--analyst", "alice")
    ran = Ran("check")
    assert (ran.code, "run `discreet resume bob`" in ran.out) == (1, True)
    assert "these would end one: `discreet resume bob`" in refused("resume")
    assert "'bob' as well" in refused("resume", "bob", "--analyst", "alice")
    assert "bob may ask again" in run("resume", "bob")
    assert "free" in run("ask", COUNT, "-e", 0.25, "--analyst", "bob")
    lines = [line.split()[3:5] for line in run("ledger", "--analyst", "bob").splitlines()]
    assert lines == [[kind, "bob"] for kind in ("CHARGE", "SUSPEND", "RESUME", "RETRY", "RECORD")]
    assert "asking is suspended: entry 3 failed after its charge" in run("ledger")
    assert "all as the chain says" in run("ledger", "--verify")
    assert "everything fits" in run("check")


def test_check_lists_a_view_that_cannot_be_read(here: Path) -> None:
    policy = here / "policy.toml"
    policy.write_text(policy.read_text() + '\n[views.odd]\nsql = "SELECT nothing FROM visits"\n')
    ran = Ran("check")
    assert ran.code == 1
    assert "views.odd.sql: 'visits' has no column 'nothing'" in ran.out
    assert "1 thing to do" in ran.out


def test_failures_are_listed_for_the_operator_and_told_to_nobody_else(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("failures") == "nothing failed\n"
    with monkeypatch.context() as patch:
        patch.setattr("discreet.engines.duck.engine.DuckRun.execute", _broken)
        complaint = refused("ask", COUNT, "-e", 0.5, code=1)
    assert "cancer" not in complaint
    (line,) = run("failures").splitlines()
    assert line.endswith("entry 3, whoever asks without a name, sql: RuntimeError: patient 7 has cancer")
    (found,) = json.loads(run("failures", "--format", "json", "--last", 1))
    assert (found["charge"], found["analyst"], found["where"]) == (3, None, "sql")
    assert (here / ".discreet" / "failures.jsonl").stat().st_mode & 0o777 == 0o600


def _broken(*_: object) -> None:
    raise RuntimeError("patient 7 has cancer")


def _lost(*_: object) -> None:
    raise EngineLostError("no server there")


def test_a_charge_whose_runs_died_twice_waits_for_the_operator(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("discreet.engines.duck.engine.DuckRun.execute", _lost)
        for _ in range(2):
            assert "the engine was lost" in refused("ask", COUNT, "-e", 0.5, code=1)
        assert "`discreet retry 3`" in refused("ask", COUNT, "-e", 0.5, code=4)
    assert "no charge that waits" in refused("retry", 4)
    assert "entry 3 may be run again" in run("retry", 3)
    assert "free" in run("ask", COUNT, "-e", 0.5)


def test_a_late_answer_is_recorded_all_the_same(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (here / "policy.toml").open("a") as policy:
        policy.write("\n[time]\ndeadline = 0.01\n")
    with monkeypatch.context() as patch:
        _delay_beyond_the_first_wait(patch)
        assert "It goes on and will be recorded" in refused("ask", COUNT, "-e", 0.5, code=5)
    assert "free" in run("ask", COUNT, "-e", 0.5)
    assert "overrun 1" in run("ledger")


def _delay_beyond_the_first_wait(patch: pytest.MonkeyPatch) -> None:
    """Let the engine begin only when somebody has waited for it as long as they would, and the overrun is counted."""
    waited, wait, execute = threading.Event(), Performance.wait, DuckRun.execute
    counted, count = threading.Event(), Runs.count_overrun

    def wait_once(performance: Performance[object], seconds: float | None = None) -> bool:
        done = wait(performance, seconds)
        waited.set()
        return done

    def execute_late(run: DuckRun[Any], statement: str) -> list[Any]:
        assert waited.wait(60)
        assert counted.wait(60)
        return execute(run, statement)

    def count_once(runs: Runs, claim: Claim) -> None:
        count(runs, claim)
        counted.set()

    patch.setattr(Performance, "wait", wait_once)
    patch.setattr(DuckRun, "execute", execute_late)
    patch.setattr(Runs, "count_overrun", count_once)
