"""Workers: one that is killed is replaced, nothing that it was paid for is lost, and who waits is told to ask again."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from discreet.base.errors import DiscreetError, PendingError
from discreet.curator.owner.account import open_account
from support.serving import Served, make_served_clinic, serving


def kill_workers(served: Served) -> None:
    for worker in served.door._pool._workers:
        os.kill(worker._process.pid or 0, signal.SIGKILL)


def test_killed_workers_are_replaced_and_nothing_is_charged_twice(tmp_path: Path) -> None:
    with serving(*make_served_clinic(tmp_path)) as served, served.connect("alice") as alice:
        first = alice.ask("SELECT COUNT(*) FROM visits", 0.1)
        kill_workers(served)
        for _ in range(20):
            try:
                again = alice.ask("SELECT COUNT(*) FROM visits", 0.1)
                break
            except PendingError:
                continue
        assert (again.rows, again.receipt.paid) == (first.rows, "free")
        assert served.door._pool.deaths == 1
    with open_account(served.path) as account:
        assert [entry.kind for entry in account.ledger.entries()].count("CHARGE") == 1
        assert account.ledger.verify().ok


def test_what_is_wrong_with_a_policy_is_said_at_the_start(tmp_path: Path) -> None:
    path, tokens = make_served_clinic(tmp_path)
    (tmp_path / "wards.csv").unlink()
    with pytest.raises(DiscreetError, match=r"wards"), serving(path, tokens):
        pass
