"""The keeper: it lives while runs do, renews in time, and survives a ledger that cannot be reached."""

from __future__ import annotations

import threading
import time

import pytest

from discreet.base.errors import LedgerError, LostLeaseError
from discreet.curator.door.keeper import Keeper
from discreet.ledger import Claim
from discreet.privacy.charges import Charge


class Runs:
    """Counts what a keeper does; `trouble` is raised by the next renewals."""

    def __init__(self, lease_seconds: float) -> None:
        self.lease_seconds = lease_seconds
        self.renewed, self.late = 0, 0
        self.trouble: list[Exception] = []
        self.happened = threading.Condition()

    def renew(self, claim: Claim) -> None:
        with self.happened:
            self.renewed += 1
            self.happened.notify_all()
        if self.trouble:
            raise self.trouble.pop()

    def count_overrun(self, claim: Claim) -> None:
        with self.happened:
            self.late += 1
            self.happened.notify_all()
        if self.trouble:
            raise self.trouble.pop()

    def wait(self, renewed: int = 0, late: int = 0) -> None:
        with self.happened:
            assert self.happened.wait_for(lambda: self.renewed >= renewed and self.late >= late, 30)


def claim() -> Claim:
    return Claim(2, Charge(0.1, 0.01), None, "charged")


def never() -> None:
    pytest.fail("no lease was lost")


def test_a_lease_is_renewed_four_times_in_its_time_and_no_longer_than_the_run() -> None:
    runs = Runs(0.04)
    keeper = Keeper(runs, None)  # type: ignore[arg-type]
    with keeper.keep(claim(), never):
        began = time.monotonic()
        runs.wait(renewed=8)
        assert time.monotonic() - began >= 0.07
    keeper.wait()
    done = runs.renewed
    with keeper.keep(claim(), never):
        runs.wait(renewed=done + 1)


def test_one_thread_keeps_many_runs_and_ends_with_the_last() -> None:
    runs = Runs(0.02)
    keeper = Keeper(runs, None)  # type: ignore[arg-type]
    with keeper.keep(claim(), never), keeper.keep(claim(), never), keeper.keep(claim(), never):
        runs.wait(renewed=9)
        assert [each.name for each in threading.enumerate()].count("discreet-keeper") == 1
        thread = keeper._thread
    assert thread is not None
    thread.join(30)
    assert not thread.is_alive()


def test_a_ledger_that_cannot_be_reached_is_tried_again() -> None:
    runs = Runs(0.02)
    runs.trouble = [LedgerError("no server there"), LedgerError("no server there")]
    keeper = Keeper(runs, None)  # type: ignore[arg-type]
    with keeper.keep(claim(), never):
        runs.wait(renewed=5)
        assert runs.trouble == [], "both failures were met, and renewing went on"


def test_a_lost_lease_is_told_to_its_run_alone() -> None:
    runs, lost = Runs(0.02), threading.Event()
    runs.trouble = [LostLeaseError("theirs now")]
    keeper = Keeper(runs, None)  # type: ignore[arg-type]
    with keeper.keep(claim(), lost.set):
        assert lost.wait(30)
        runs.wait(renewed=3)


def test_an_overrun_that_could_not_be_written_is_counted_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.curator.door.keeper.RETRY", 0.01)
    runs = Runs(60)
    runs.trouble = [LedgerError("no server there")]
    keeper = Keeper(runs, 0.01)  # type: ignore[arg-type]
    with keeper.keep(claim(), never):
        runs.wait(late=2)
        assert runs.trouble == []


def test_a_run_is_late_once() -> None:
    runs = Runs(0.02)
    keeper = Keeper(runs, 0.05)  # type: ignore[arg-type]
    with keeper.keep(claim(), never):
        runs.wait(renewed=20, late=1)
        assert runs.late == 1
    patient = Keeper(runs, 600)  # type: ignore[arg-type]
    with patient.keep(claim(), never):
        runs.wait(renewed=runs.renewed + 5)
    patient.wait()
    assert runs.late == 1
