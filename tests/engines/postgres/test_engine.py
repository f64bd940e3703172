"""Questions inside PostgreSQL: the same whole numbers as on DuckDB, from one snapshot, stopped and lost in silence."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import FailedError, PolicyError
from discreet.curator import Curator
from discreet.curator.door.performance import LOST
from discreet.engines.engines import Engines
from discreet.engines.postgres.engine import PostgresEngine, PostgresRun
from engines.postgres.placed import VARIABLE, Placed, engines, on_server
from servers.ports import free_port
from support.clinic import make_tables, write_policy
from support.hospital import HOSPITAL, POLICY, answered, bounded, engine_of

QUESTIONS = (
    "SELECT COUNT(*) FROM visits",
    "SELECT ward, COUNT(*), SUM(age), AVG(cost), COUNT(DISTINCT patient) FROM visits GROUP BY ward",
    "SELECT ward, MEDIAN(age), QUANTILE_CONT(cost, 0.25), COUNT(DISTINCT age) FROM visits GROUP BY ward",
    "SELECT floor, COUNT(*), VARIANCE(age) FROM visits JOIN wards USING (ward) GROUP BY floor",
    "SELECT COUNT(*), SUM(n) FROM (SELECT patient, COUNT(*) AS n, MAX(cost) AS most FROM visits GROUP BY patient) "
    "WHERE most > 1",
    "SELECT ward, COUNT(*), SUM(age) FROM people GROUP BY ward",
    "SELECT ward, sick, COUNT(*) FROM visits GROUP BY GROUPING SETS ((ward), (sick), ())",
    "SELECT seen, COUNT(*), SUM(cost) FROM visits GROUP BY seen",
    "SELECT at, COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM visits WHERE cost > 2) GROUP BY at",
)
SEVERAL = QUESTIONS[6]
ASKED = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS ((ward), ())"
PASSWORD = "not-for-anybody"


@pytest.fixture
def hospital(placed: Placed) -> Iterator[Engines]:
    for name, table in HOSPITAL.items():
        placed.table(name, table)
    found = engines(POLICY)
    yield found
    found.close()


@pytest.fixture
def clinic(placed: Placed, tmp_path: Path) -> Iterator[Curator]:
    """A curator over the clinic, whose address holds a password."""
    for name, table in make_tables().items():
        placed.table(name, table)
    (tmp_path / "policy.toml").write_text(on_server(write_policy()))
    Curator.init(tmp_path / "policy.toml")
    with Curator.open(tmp_path / "policy.toml", operator=True) as curator:
        curator._engines.open_all()
        yield curator


@contextmanager
def locked(placed: Placed) -> Iterator[None]:
    """Keep everybody from reading the visits, so that a question is in its middle for as long as is wanted."""
    with placed.cluster.connect(placed.name) as other:
        other.execute("BEGIN")
        other.execute("LOCK TABLE visits IN ACCESS EXCLUSIVE MODE")
        yield


def backends(placed: Placed, condition: str = "TRUE") -> int:
    asked = f"SELECT pid FROM pg_stat_activity WHERE application_name = 'discreet' AND datname = %s AND {condition}"
    return len(placed.owner.execute(asked.encode(), (placed.name,)).fetchall())


def until_waiting(placed: Placed) -> None:
    for _ in range(1200):
        if backends(placed, "wait_event_type = 'Lock'"):
            return
        time.sleep(0.05)
    pytest.fail("the question does not run")


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


def test_the_same_whole_numbers_as_on_duckdb(hospital: Engines) -> None:
    duck = engine_of()
    for question in QUESTIONS:
        wanted = answered(duck, question)
        assert answered(hospital, question) == wanted, question
        assert any(any(sums) for each in wanted.sets for sums in each.sums)


def test_public_tables_tell_their_values_and_private_ones_do_not(hospital: Engines) -> None:
    duck = engine_of()
    for column in HOSPITAL["wards"].column_names:
        assert hospital.public_values("wards", column) == duck.public_values("wards", column)
    assert hospital.fan_out("wards", ("floor",)) == 2
    assert hospital.fan_out("wards", ("ward",)) == 1
    with pytest.raises(PolicyError, match="private"):
        hospital.public_values("visits", "ward")


def test_writes_between_two_statements_of_a_question_do_not_change_it(
    placed: Placed, hospital: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answered(hospital, SEVERAL)
    execute = PostgresRun.execute
    seen: list[str] = []

    def written_between(run: PostgresRun[Any], statement: str) -> Any:
        found = execute(run, statement)
        seen.append(statement)
        placed.owner.execute("INSERT INTO visits SELECT * FROM visits WHERE patient IS NOT NULL LIMIT 9")
        placed.owner.execute("UPDATE visits SET patient = patient + 100, ward = 'icu'")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(PostgresRun, "execute", written_between)
        assert answered(hospital, SEVERAL) == before
    assert len(seen) == 3
    assert answered(hospital, SEVERAL) != before


def test_a_run_cannot_write(placed: Placed, hospital: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    execute = PostgresRun.execute
    with monkeypatch.context() as patch:
        patch.setattr(PostgresRun, "execute", lambda run, _: execute(run, "DELETE FROM public.visits RETURNING 1"))
        with pytest.raises(Exception, match="read-only transaction"):
            answered(hospital, QUESTIONS[0])
    assert placed.owner.execute("SELECT count(*) FROM visits").fetchall() == [(5,)]


def test_cancel_returns_when_the_backend_runs_nothing_any_more(placed: Placed, hospital: Engines) -> None:
    plan = bounded(hospital, SEVERAL).plan
    with locked(placed):
        run = hospital.run(plan)
        until_waiting(placed)
        assert run.progress() < 0
        run.cancel()
        assert backends(placed, "state = 'active'") == 0
        assert run.progress() == 1.0
        with pytest.raises(Exception, match="cancel"):
            run.result()
    run.cancel()
    assert hospital.run(plan).result() == answered(hospital, SEVERAL)


def test_no_connection_is_held_between_questions(placed: Placed, hospital: Engines) -> None:
    answered(hospital, QUESTIONS[0])
    for _ in range(600):
        if backends(placed) == 0:
            return
        time.sleep(0.1)
    pytest.fail("a connection is still there")


def test_a_lost_backend_costs_no_more_than_the_charge(
    placed: Placed, clinic: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is shown, nobody is suspended, and asked again it is the same charge and one answer."""
    monkeypatch.setattr(PostgresEngine, "ready", lambda *_: None)  # the lock comes after the look at the table
    told: list[BaseException] = []

    def ask() -> None:
        try:
            clinic.ask(ASKED, epsilon=1)
        except BaseException as trouble:
            told.append(trouble)

    asking = threading.Thread(target=ask)
    with locked(placed):
        asking.start()
        until_waiting(placed)
        assert placed.cluster.terminate("discreet", placed.name) == 1
        asking.join()
    (trouble,) = told
    assert isinstance(trouble, FailedError)
    assert str(trouble) == LOST
    assert trouble.__cause__ is None
    assert kinds(clinic)[-2:] == ["CHARGE", "DEATH"]
    spent = clinic.budget.total.spent
    first = clinic.ask(ASKED, epsilon=1)
    assert len(first.rows) == 4
    assert clinic.ask(ASKED, epsilon=1).rows == first.rows
    assert clinic.budget.total.spent == spent
    assert (kinds(clinic).count("CHARGE"), kinds(clinic).count("RECORD")) == (1, 1)


def test_the_address_is_in_no_error_log_or_word_about_the_engine(
    placed: Placed, clinic: Curator, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    placed.role("asker", PASSWORD)
    dsn = placed.cluster.dsn(placed.name, user="asker", password=PASSWORD, host="127.0.0.1")
    monkeypatch.setenv(VARIABLE, dsn)
    shown = [repr(clinic), repr(clinic._engines), str(clinic.tables), clinic.fingerprint("visits")]
    shown += [str(clinic.ask(ASKED, epsilon=1)), str(clinic.explain(ASKED, epsilon=1))]
    placed.owner.execute("DROP TABLE visits")
    with pytest.raises(PolicyError) as gone:
        clinic.ask("SELECT SUM(age) AS n FROM visits", epsilon=0.1)
    monkeypatch.setattr(PostgresEngine, "ready", lambda *_: None)
    with pytest.raises(FailedError) as failed:
        clinic.ask("SELECT SUM(age) AS n FROM visits", epsilon=0.1)
    monkeypatch.setenv(VARIABLE, dsn.replace(PASSWORD, f"wrong-{PASSWORD}"))
    with Curator.open(tmp_path / "policy.toml") as other, pytest.raises(PolicyError) as refused:
        other.ask("SELECT SUM(age) AS n FROM visits", epsilon=0.1)
    shown += ["".join(traceback.format_exception(each.value)) for each in (gone, failed, refused)]
    shown += [caplog.text, *(repr(entry) for entry in clinic.ledger.entries()), (tmp_path / "policy.toml").read_text()]
    for told in shown:
        assert PASSWORD not in told
        assert not re.search(rf"(?<![\w.]){placed.cluster.port}(?![\w.])", told), "as a number: hashes hold any digits"
        assert not re.search(r"asker|127\.0\.0\.1", told)
    placed.owner.execute("DROP OWNED BY asker; DROP ROLE asker")


@pytest.mark.parametrize(
    ("change", "back", "words"),
    [
        ("ALTER TABLE visits RENAME TO other", "ALTER TABLE other RENAME TO visits", "there is no table"),
        (
            "ALTER TABLE visits ALTER ward TYPE jsonb USING to_jsonb(ward)",
            "ALTER TABLE visits ALTER ward TYPE text USING ward #>> '{}'",
            "column 'ward' is gone or of another type",
        ),
        ("REVOKE SELECT ON visits FROM reader", "GRANT SELECT ON visits TO reader", "may not read it"),
    ],
)
def test_a_table_that_is_not_what_it_was_costs_no_charge(
    placed: Placed, clinic: Curator, monkeypatch: pytest.MonkeyPatch, change: str, back: str, words: str
) -> None:
    placed.role("reader", PASSWORD)
    monkeypatch.setenv(VARIABLE, placed.cluster.dsn(placed.name, user="reader", password=PASSWORD, host="127.0.0.1"))
    placed.owner.execute(change.encode())
    with pytest.raises(PolicyError, match=words):
        clinic.ask(ASKED, 0.5)
    assert "CHARGE" not in kinds(clinic)
    placed.owner.execute(back.encode())
    clinic.ask(ASKED, 0.5)
    placed.owner.execute("DROP OWNED BY reader; DROP ROLE reader")


def test_a_server_that_is_down_costs_no_charge(
    placed: Placed, clinic: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = os.environ[VARIABLE]
    monkeypatch.setenv(VARIABLE, placed.cluster.dsn(placed.name, port=free_port()))
    with pytest.raises(PolicyError, match="check that the server runs"):
        clinic.ask(ASKED, 0.5)
    monkeypatch.setenv(VARIABLE, address)
    assert "CHARGE" not in kinds(clinic)
    clinic.ask(ASKED, 0.5)


def test_a_public_table_that_is_gone_is_a_clear_error(placed: Placed, hospital: Engines) -> None:
    placed.owner.execute("DROP TABLE wards")
    for asked in (lambda: hospital.public_values("wards", "floor"), lambda: hospital.fan_out("wards", ("ward",))):
        with pytest.raises(PolicyError, match=r"the server failed while public table 'wards' was read"):
            asked()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.engines.postgres.catalog.COUNTED", "SELECT 1 / 0")
        with pytest.raises(PolicyError, match="the server failed while the state of 'visits' was read") as found:
            hospital.fingerprint("visits")
    assert found.value.__cause__ is None


def test_a_view_is_asked_about_like_a_table(placed: Placed) -> None:
    for name, table in HOSPITAL.items():
        placed.table(name, table)
    placed.owner.execute("CREATE VIEW seen AS SELECT * FROM visits WHERE patient < 3")
    with pytest.raises(PolicyError, match=r'version = "2026-03"'):
        engines(POLICY, {"visits": "public.seen"})
    named = POLICY.replace("[tables.visits]\n", '[tables.visits]\nversion = "1"\n')
    found = engines(named, {"visits": "public.seen"})
    wanted = engine_of(POLICY, {**HOSPITAL, "visits": HOSPITAL["visits"].slice(0, 3)})
    for question in QUESTIONS:
        assert answered(found, question) == answered(wanted, question)


def test_a_fingerprint_changes_after_a_write(placed: Placed, hospital: Engines) -> None:
    placed.owner.execute("SELECT pg_stat_force_next_flush()")
    time.sleep(0.2)
    before = hospital.fingerprint("visits")
    assert hospital.fingerprint("visits") == before
    assert re.fullmatch("[0-9a-f]{64}", before)
    placed.owner.execute("UPDATE visits SET age = 1 WHERE patient = 1")
    placed.owner.execute("SELECT pg_stat_force_next_flush()")
    for _ in range(600):
        if hospital.fingerprint("visits") != before:
            return
        time.sleep(0.1)
    pytest.fail("nobody noticed the write")


def test_two_questions_at_once_do_not_mix(hospital: Engines) -> None:
    wanted = {question: answered(hospital, question) for question in QUESTIONS[:4]}
    runs = {question: hospital.run(bounded(hospital, question).plan) for question in wanted}
    assert {question: run.result() for question, run in runs.items()} == wanted


def test_only_tables_of_this_engine_are_its_own(hospital: Engines) -> None:
    (engine,) = (each for each in hospital._engines.values() if isinstance(each, PostgresEngine))
    assert set(engine.tables) == set(HOSPITAL)
    engine.close()
    assert answered(hospital, QUESTIONS[0])
