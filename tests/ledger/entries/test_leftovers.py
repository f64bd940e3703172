"""What died runs left, and nothing names: it is told, and swept while nobody runs. What is named is never touched."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from curator.door.test_wings import die, kill_in_child
from discreet.base.canonical import hash_bytes
from discreet.base.errors import LostLeaseError, PendingError
from discreet.ledger import JournalRow, Ledger
from discreet.ledger.steps import watch_steps
from ledger.test_verify_parts import ONE, TWO, keep, measure
from support.ledger import TENTH, Clock, Home, again, ask, kinds, new, question, soon

LOST = b"lost"


def test_what_a_dead_run_left_is_told_and_swept_and_nothing_else(home: Home) -> None:
    """A process is killed in the gap between a part and its journal's row."""
    with new(home) as ledger:
        names = measure(ledger)
        ask(ledger, "large", b"x" * (1 << 20))

    def run() -> None:
        with again(home) as own, own.charge(question("dies"), TENTH) as claim:
            keep(own, claim, ONE)
            with watch_steps(lambda step: die() if step == "part kept" else None):
                own.parts.write(LOST)

    kill_in_child(run)
    with again(home) as ledger:
        _wait_until_dead(home, ledger)
        found = ledger.verify()
        assert found.ok, found.problems
        assert [(each.name, each.bytes) for each in found.left] == [(hash_bytes(LOST), 4)]
        assert f"such as {hash_bytes(LOST)}" in str(found)
        assert ledger.parts.sweep() == found.left
        assert [entry.body["part"] for entry in ledger.entries() if entry.kind == "SWEEP"] == [hash_bytes(LOST)]
        assert [ledger.parts.read(each) for each in names] == [ONE, TWO]
        assert ledger.parts.sweep() == ()
        after = ledger.verify()
        assert after.ok, after.problems
        assert after.left == ()
        assert ask(ledger, "large") == b"x" * (1 << 20)


def test_nothing_is_swept_while_a_run_lives_even_when_its_time_is_over(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        with ledger.charge(question(), TENTH) as claim:
            name = ledger.parts.write(ONE)
            with pytest.raises(PendingError, match="is being run now"):
                other.parts.sweep()
            clock.time += 100_000
            with pytest.raises(PendingError, match="is being run now"):
                other.parts.sweep()
            assert other.parts.read(name) == ONE
            ledger.runs.write_journal(claim, 0, (JournalRow("call", name.encode()),))
        assert other.parts.sweep() == ()
        assert other.parts.read(name) == ONE


def test_a_run_that_lost_its_lease_unknowingly_names_nothing_after_a_sweep(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its session with PostgreSQL ended, say, and it goes on: the part that it kept is gone."""
    with new(home) as ledger, again(home) as other:
        with ledger.charge(question(), TENTH) as claim:
            name = ledger.parts.write(ONE)
            with monkeypatch.context() as changed:
                changed.setattr(type(other._store.leases), "alive", lambda leases, token: False)
                assert [each.name for each in other.parts.sweep()] == [name]
            with pytest.raises(LostLeaseError):
                ledger.runs.write_journal(claim, 0, (JournalRow("call", name.encode()),))
            with pytest.raises(LostLeaseError):
                ledger.record(claim, name.encode())
        assert other.verify().ok
        assert ask(other, "q") is not None


def test_a_part_that_was_swept_can_come_again_and_be_named(home: Home) -> None:
    with new(home) as ledger:
        ledger.charge(question("first"), TENTH).__exit__()
        ledger.parts.write(ONE)
        assert [each.name for each in ledger.parts.sweep()] == [hash_bytes(ONE)]
        assert ledger.verify().ok
        assert measure(ledger)[0] == hash_bytes(ONE)
        assert ledger.verify().ok
        assert ledger.parts.read(hash_bytes(ONE)) == ONE


def test_halves_are_swept_and_files_of_others_stay(tmp_path: Path) -> None:
    with new(tmp_path) as ledger:
        measure(ledger)
        half, foreign = tmp_path / "results" / f"{hash_bytes(LOST)}.0a1b.part", tmp_path / "results" / "notes.txt"
        half.write_bytes(b"lo")
        foreign.write_bytes(b"mine")
        assert [(each.name, each.bytes) for each in ledger.parts.sweep()] == [(half.name, 2)]
        assert not half.exists()
        assert foreign.exists()
        assert ledger.verify().ok
        assert "SWEEP" in kinds(ledger)


def _wait_until_dead(home: Home, ledger: Ledger) -> None:
    """Wait until the end of a killed process is seen: a server hears of it a moment later."""
    deadline = time.monotonic() + soon(home)
    while True:
        with ledger._store.reading() as db:
            tokens = [token for (token,) in db.execute("SELECT token FROM charges WHERE token IS NOT NULL").fetchall()]
        if not any(map(ledger._store.leases.alive, tokens)) or time.monotonic() > deadline:
            return
        time.sleep(0.05)
