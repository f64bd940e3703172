"""A failing engine is no oracle: one failure, and whoever asked is refused until the operator has looked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import FailedError, LedgerError, PolicyError, StoppedError, SuspendedError
from discreet.curator import Curator
from discreet.curator.door.performance import GENERIC, UNRECORDED, Performance
from discreet.curator.owner.check import _opened
from discreet.engines.duck.engine import DuckEngine
from discreet.ledger import Ledger
from support.clinic import VISITS, WARDS, clinic, visits

QUESTION = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
OTHER = "SELECT COUNT(*) AS n FROM visits"


def raising(trouble: BaseException) -> Callable[..., Any]:
    def fail(*_: object) -> Any:
        raise trouble

    return fail


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


def fail(curator: Curator, monkeypatch: pytest.MonkeyPatch, question: str = QUESTION) -> None:
    """Ask while the engine fails."""
    with monkeypatch.context() as patch:
        patch.setattr(DuckEngine, "run", raising(RuntimeError("patient 7 has cancer")))
        with pytest.raises(FailedError, match="asking is suspended") as told:
            curator.ask(question, 0.2)
    assert str(told.value) == GENERIC
    assert told.value.__cause__ is None


def operator(folder: Path) -> Curator:
    return Curator.open(folder / "policy.toml", None, {"visits": visits(VISITS), "wards": WARDS}, operator=True)


PLACES = {
    "running": "discreet.engines.duck.engine.DuckEngine.run",
    "noise": "discreet.curator.door.desk.release",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_failure_keeps_the_charge_and_suspends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    with clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(PLACES[place], raising(MemoryError()))
            with pytest.raises(FailedError, match="asking is suspended"):
                curator.ask(QUESTION, 0.2)
        assert kinds(curator) == ["CREATE", "CHARGE", "SUSPEND"]
        spent = curator.budget.total.spent
        assert spent > 0
        for question in (QUESTION, OTHER):
            with pytest.raises(SuspendedError, match="entry 2; nothing was charged"):
                curator.ask(question, 0.2)
        with pytest.raises(SuspendedError):
            curator.bounds("visits.cost", 0.1)
        assert curator.budget.total.spent == spent
        assert kinds(curator) == ["CREATE", "CHARGE", "SUSPEND"]


def test_a_ledger_that_cannot_be_written_suspends_nobody_and_loses_no_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is no fact about the data. What was drawn is in the journal, and is what is recorded in the end."""
    with clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "record", raising(LedgerError("disk")))
            with pytest.raises(FailedError, match="the ledger could not be written") as told:
                curator.ask(QUESTION, 0.2)
        assert str(told.value) == UNRECORDED
        drawn = kinds(curator)
        assert drawn == ["CREATE", "CHARGE", "MEASURE"]
        with monkeypatch.context() as patch:
            patch.setattr(DuckEngine, "run", raising(AssertionError("nothing is computed again")))
            assert curator.ask(QUESTION, 0.2).receipt.paid == "free"
        assert kinds(curator) == [*drawn, "RETRY", "RECORD"]


def test_what_reads_no_private_row_is_not_suspended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with clinic(tmp_path) as curator:
        curator.ask(OTHER, 0.2)
        fail(curator, monkeypatch)
        assert "sensitivity" in str(curator.explain(QUESTION, epsilon=0.2))
        assert "patient_id" in str(curator.tables)
        assert "asking is suspended after a failure in entry 5: the operator runs `discreet resume`" in str(
            curator.budget
        )
        with pytest.raises(SuspendedError):
            curator.ask(OTHER, 0.2)


def test_nothing_about_the_failure_is_in_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with clinic(tmp_path) as curator:
        fail(curator, monkeypatch)
        (entry,) = (entry for entry in curator.ledger.entries() if entry.kind == "SUSPEND")
        assert entry.body == {"analyst": None, "charge": 2}


def test_only_that_analyst_and_only_until_the_operator_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        clinic(tmp_path, analyst="alice", analysts=True) as alice,
        clinic(tmp_path, analyst="bob", analysts=True) as bob,
        operator(tmp_path) as owner,
    ):
        fail(alice, monkeypatch)
        assert bob.ask(OTHER, 0.1).rows
        assert "suspended" not in str(bob.budget)
        for seen in (alice, owner):
            assert "suspended for 'alice' after a failure in entry 2" in str(seen.budget)
        for analyst in (alice, bob):
            with pytest.raises(PolicyError, match="only the operator"):
                analyst.resume("alice")
        with pytest.raises(SuspendedError):
            alice.ask(OTHER, 0.1)
        findings = [finding for finding in _opened(owner) if finding.what == "analyst"]
        assert [finding.to_do for finding in findings] == [True]
        assert "`discreet resume alice`" in findings[0].words
        owner.resume("alice")
        assert "suspended" not in str(owner.budget)
        spent = alice.budget.total.spent
        assert alice.ask(QUESTION, 0.2).rows
        assert alice.budget.total.spent == spent, "the charge is run again, not paid again"
        assert kinds(owner)[-4:] == ["RESUME", "RETRY", "MEASURE", "RECORD"]
        assert owner.ledger.verify().ok


def test_stopping_by_hand_suspends_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(Performance, "wait", raising(KeyboardInterrupt()))
            with pytest.raises(StoppedError):
                curator.ask(QUESTION, 0.2)
        assert curator.ask(QUESTION, 0.2).receipt.paid == "free"
        assert "SUSPEND" not in kinds(curator)


def test_the_message_is_the_same_when_even_the_suspension_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr("discreet.ledger.entries.suspensions.suspend", raising(OSError("disk full")))
            fail(curator, patch)
        with pytest.raises(SuspendedError):
            curator.ask(OTHER, 0.1)
