"""The audit log: durable, chained, append-only, and nothing of it is anybody's but the owner's."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from discreet.base.errors import LedgerError
from discreet.server.audit_log import AuditLog, _hash, read_lines, read_newest, verify_log


def write(path: Path, count: int = 5) -> None:
    log = AuditLog(path, clock=lambda: 1_800_000_000.0)
    done = [log.add("question", "ann", text=f"SELECT {number}") for number in range(count)]
    log.close()
    assert all(each.exception() is None for each in done)


def test_lines_come_back_as_they_were_written_and_the_chain_holds(tmp_path: Path) -> None:
    path = tmp_path / "log" / "audit.db"
    write(path)
    write(path, 2)
    lines = list(read_lines(path))
    assert [line.number for line in lines] == list(range(1, 8))
    assert (lines[0].kind, lines[0].who, lines[0].body, lines[0].at[:10]) == (
        "question",
        "ann",
        {"text": "SELECT 0"},
        "2027-01-15",
    )
    assert verify_log(path) == (7, lines[-1].hash, ())
    assert [line.number for line in read_newest(path, 2)] == [7, 6]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE lines SET who = 'bob' WHERE number = 3",
        "DELETE FROM lines WHERE number = 3",
        "DELETE FROM lines WHERE number = 5",
        "UPDATE lines SET body = '{}' WHERE number = 5",
    ],
)
def test_whatever_is_changed_afterwards_is_found(tmp_path: Path, change: str) -> None:
    path = tmp_path / "audit.db"
    write(path)
    db = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.Error, match="append only"):
        db.execute(change)
    db.execute("DROP TRIGGER no_change")
    db.execute("DROP TRIGGER no_removal")
    db.execute(change)
    db.close()
    assert verify_log(path)[2]


def test_hostile_and_endless_texts_are_cut_and_written(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    log = AuditLog(path)
    log.add("login", "a\0b\ud800" + "x" * 100_000, text="\n\x1b[31m" + "y" * 100_000).result(10)
    log.close()
    (line,) = read_lines(path)
    assert line.who.startswith("a\\0b?")
    assert len(line.who) < 11_000
    assert len(line.body["text"]) < 11_000
    assert not verify_log(path)[2]


def test_a_log_that_cannot_be_written_says_so_to_who_waits(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    log = AuditLog(path)
    path.unlink()
    for beside in tmp_path.glob("audit.db-*"):
        beside.unlink()
    with pytest.raises(LedgerError, match="cannot be written"):
        log.add("login", "ann").result(10)
    log.close()
    path.unlink()
    with pytest.raises(LedgerError, match="there is no audit log"):
        verify_log(path)


def test_a_line_that_is_rewritten_with_its_hash_is_found_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    write(path)
    lines = list(read_lines(path))
    third, changed = lines[2], '{"text": "SELECT 17"}'
    forged = _hash(lines[1].hash, third.number, third.at, third.kind, third.who, changed)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TRIGGER no_change")
    db.execute("UPDATE lines SET body = ?, hash = ? WHERE number = 3", (changed, forged))
    db.close()
    assert verify_log(path)[2] == ("line 4 is not the one that was written",)
