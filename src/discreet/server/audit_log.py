"""The audit log: who came in, what was asked, refused and answered. Append-only, each line's hash covers all before it.

It holds no token, no row and no word of an engine: what fails in an engine is in the ledger's own log of failures. A
line is on the disk before what it tells of is shown to anybody, but for answers that were paid for before. Several
servers of one policy may write into one log.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from discreet.base.canonical import hash_json, write_json
from discreet.base.errors import LedgerError

GENESIS = "0" * 64
LONGEST = 10_000
"""Letters of one text that are written; the rest of a longer one is left out, and its length is told."""

MOST_AT_ONCE = 500
"""Lines that are made durable together."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS lines (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at     TEXT NOT NULL,
    kind   TEXT NOT NULL,
    who    TEXT NOT NULL,
    body   TEXT NOT NULL,
    hash   TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS of_one ON lines (who, number);
CREATE TRIGGER IF NOT EXISTS no_change BEFORE UPDATE ON lines BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER IF NOT EXISTS no_removal BEFORE DELETE ON lines BEGIN SELECT RAISE(ABORT, 'append only'); END;
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: what happened (`kind`), to whom, and the rest as JSON values."""

    number: int
    at: str
    kind: str
    who: str
    text: str
    hash: str

    @property
    def body(self) -> dict[str, Any]:
        """The rest of what it says."""
        found: dict[str, Any] = json.loads(self.text)
        return found


@dataclass(frozen=True, slots=True)
class _UnwrittenLine:
    kind: str
    who: str
    text: str
    at: str
    done: Future[None]


class AuditLog:
    """A log in a file, for its owner's eyes alone. Threads may share it; one thread of its own writes."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        with _connect(path) as db:
            db.executescript(SCHEMA)
        self._queue: queue.SimpleQueue[_UnwrittenLine | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="discreet-audit", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    def add(self, kind: str, who: str, **told: Any) -> Future[None]:
        """Write a line; what comes back is done once it is on the disk, or has failed."""
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
        waiting = _UnwrittenLine(
            kind, _cut(who), write_json({name: _plain(each) for name, each in told.items()}), at, Future()
        )
        self._queue.put(waiting)
        return waiting.done

    async def note(self, kind: str, who: str, **told: Any) -> None:
        """Write a line, and wait until it is on the disk."""
        await asyncio.wrap_future(self.add(kind, who, **told))

    def close(self) -> None:
        """Write what waits, and end."""
        self._queue.put(None)
        self._thread.join()

    def _write_all(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                return
            batch = [first]
            while len(batch) < MOST_AT_ONCE and not self._queue.empty():
                following = self._queue.get()
                if following is None:
                    self._queue.put(None)
                    break
                batch.append(following)
            try:
                _append(self._path, batch)
            except sqlite3.Error as trouble:
                for each in batch:
                    each.done.set_exception(LedgerError(f"the audit log cannot be written ({trouble})"))
            else:
                for each in batch:
                    each.done.set_result(None)


def read_lines(path: Path, first: int = 1, most: int = 2**62, who: str | None = None) -> Iterator[Line]:
    """Yield the lines from a number on, or those about one name."""
    query = "SELECT number, at, kind, who, body, hash FROM lines WHERE number >= ? "
    with _connect(path) as db:
        rows = db.execute(
            query + ("" if who is None else "AND who = ? ") + "ORDER BY number LIMIT ?",
            (first, *(() if who is None else (who,)), most),
        )
        yield from (Line(*row) for row in rows)


def read_newest(path: Path, most: int, before: int = 2**62, who: str | None = None) -> list[Line]:
    """Return the newest lines, the newest first: those before a number, or about one name."""
    query = "SELECT number, at, kind, who, body, hash FROM lines WHERE number < ? "
    query += ("" if who is None else "AND who = ? ") + "ORDER BY number DESC LIMIT ?"
    with _connect(path) as db:
        rows = db.execute(query, (before, *(() if who is None else (who,)), most))
        return [Line(*row) for row in rows]


def verify_log(path: Path) -> tuple[int, str, tuple[str, ...]]:
    """Return how many lines there are, the hash of the last, and what is wrong with the chain, if anything."""
    if not path.exists():
        raise LedgerError(f"there is no audit log at {path}; `discreet serve` makes one")
    problems, previous, number = [], GENESIS, 0
    for line in read_lines(path):
        number += 1
        if line.number != number or line.hash != _hash(previous, line.number, line.at, line.kind, line.who, line.text):
            problems.append(f"line {line.number} is not the one that was written")
            number = line.number
        previous = line.hash
    with _connect(path) as db:
        counted = db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'lines'").fetchone()[0]
    if counted != number:
        problems.append(f"the log ends at line {number}, but {counted} were written: its tail was cut")
    return number, previous, tuple(problems)


def _append(path: Path, batch: list[_UnwrittenLine]) -> None:
    with _connect(path) as db:
        db.execute("BEGIN IMMEDIATE")
        row = db.execute("SELECT number, hash FROM lines ORDER BY number DESC LIMIT 1").fetchone()
        number, previous = row or (0, GENESIS)
        for each in batch:
            number += 1
            previous = _hash(previous, number, each.at, each.kind, each.who, each.text)
            line = (number, each.at, each.kind, each.who, each.text, previous)
            db.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?)", line)
        db.execute("COMMIT")


def _hash(previous: str, number: int, at: str, kind: str, who: str, text: str) -> str:
    return hash_json([previous, number, at, kind, who, text])


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection until the end of the block; what it commits is on the disk."""
    with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        yield db


def _cut(text: str) -> str:
    """Return a text without what no text may hold here, and no longer than is written."""
    plain = text.encode("utf-8", "replace").decode().replace("\0", "\\0")
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}... ({len(plain):,} letters)"


def _plain(value: Any) -> Any:
    return _cut(value) if isinstance(value, str) else value
