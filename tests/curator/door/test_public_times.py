"""A served run that outlasts its public time is counted as late, and more than three suspend, as with a deadline."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from discreet.base.errors import FailedError, SuspendedError
from discreet.curator import Curator, session
from support.clinic import write_policy, write_tables


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_tables(tmp_path)
    path = tmp_path / "policy.toml"
    path.write_text(write_policy(files=True, analysts=True))
    Curator.init(path)
    return path


def ask_slowly(curator: Curator, monkeypatch: pytest.MonkeyPatch, number: int, seconds: float) -> None:
    """Ask a question whose run takes so long."""
    engines, run = curator._engines, type(curator._engines).run

    def run_slowly(plan: object) -> object:
        time.sleep(seconds)
        return run(engines, plan)  # type: ignore[arg-type]

    monkeypatch.setattr(engines, "run", run_slowly)
    curator.session("alice").ask(f"SELECT COUNT(*) FROM visits WHERE age > {number}", 0.01)


@pytest.mark.parametrize("served", [True, False])
def test_a_late_run_is_counted_and_the_fourth_suspends(
    path: Path, monkeypatch: pytest.MonkeyPatch, served: bool
) -> None:
    monkeypatch.setattr(session, "find_public_time", lambda plans, policy: 0.05)
    with Curator.open(path, "alice", served=served) as curator:
        ended = 0
        for number in range(5):
            try:
                ask_slowly(curator, monkeypatch, number, 0.3)
            except (SuspendedError, FailedError):
                ended += 1
        kinds = [entry.kind for entry in curator.ledger.entries()]
        assert (kinds.count("OVERRUN"), "SUSPEND" in kinds, ended > 0) == (
            (4, True, True) if served else (0, False, False)
        )
