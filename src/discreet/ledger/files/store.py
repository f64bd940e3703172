"""The ledger's file: an SQLite database that only `create` makes, durable at every commit, written one at a time.

Write-ahead logging with full sync: a commit is on the disk before it returns. Writers queue at a gate (a file lock)
before SQLite's own lock, so that none starves. One connection serves all threads of a process, behind a mutex. SQLite
forbids carrying a connection across a fork, and its locks would not protect one that is opened beside a carried one:
so all connections are closed just before a fork and each side opens its own again when it needs it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import threading
import time
import urllib.parse
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from discreet.base.errors import LedgerError
from discreet.ledger.database import PATIENCE, Database
from discreet.ledger.files.failures import FailureFile
from discreet.ledger.files.leases import FileLeases
from discreet.ledger.files.locks import wait_for_lock
from discreet.ledger.files.results import ResultFiles, sync_folder
from discreet.ledger.files.schema import APPLICATION, SCHEMA, VERSION

_open: weakref.WeakSet[SqliteStore] = weakref.WeakSet()


class SqliteStore:
    """A ledger's database: reading sees one state of it, writing is all or nothing and durable."""

    counted = "SELECT seq FROM sqlite_sequence WHERE name = 'entries'"

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self.path = path
        self.gate = path.with_name("gate")
        self.leases = FileLeases(path.with_name("leases"))
        self.results = ResultFiles(path.with_name("results"))
        self.failures = FailureFile(path.with_name("failures.jsonl"))
        self._patience = patience
        self._mutex = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        _open.add(self)
        with self._mutex, self.explaining():
            self._connected()

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """Give a connection that sees one state of the ledger and does not hold writers up."""
        with self._mutex, self.explaining(), self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """Give a connection inside a transaction that nobody else writes beside: committed, or as if never begun."""
        with self._mutex, self.explaining(), self._queue(), self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def scanning(self) -> AbstractContextManager[Database]:
        """Give the same as `reading`: SQLite reads rows as they are asked for."""
        return self.reading()

    def clock(self) -> float:
        """Return the time of this computer, the only one that has the file."""
        return time.time()

    def close(self) -> None:
        """Close the database; using it afterwards is an error."""
        with self._mutex:
            self._closed = True
            self._disconnect()

    @contextmanager
    def _queue(self) -> Iterator[None]:
        gate = wait_for_lock(self.gate, self._patience)
        if gate is None:
            raise LedgerError(_busy(self.path, self._patience))
        try:
            yield
        finally:
            gate.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        connection = self._connected()
        connection.execute(begin)
        try:
            yield connection
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _connected(self) -> sqlite3.Connection:
        if self._closed:
            raise LedgerError("this ledger was closed; open it again")
        if self._connection is None:
            self._connection = _connect(self.path, self._patience)
        return self._connection

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, sqlite3.Error):
            self._disconnect()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Turn failures of the database or the disk into an error with a remedy."""
        try:
            yield
        except sqlite3.Error as error:
            raise LedgerError(_explained(self.path, error, self._patience)) from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise LedgerError(f"cannot use the folder {self.path.parent}: {reason}. {WRITABLE}") from error


def create_file(path: Path, fill: Callable[[Database], None]) -> None:
    """Make a new ledger whose tables hold nothing but what `fill` puts there, or raise.

    It appears whole under its name or not at all, and never over another ledger or what is left of one.
    """
    if path.exists():
        raise LedgerError(f"{path} exists already: a ledger is created once. Remove nothing; go on asking")
    left = [name for name in (f"{path.name}-wal", f"{path.name}-shm") if path.with_name(name).exists()]
    if left:
        raise LedgerError(
            f"{path.parent} holds {left[0]}, part of a ledger that is gone: put {path.name} back beside it"
        )
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(part, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(f"BEGIN; {SCHEMA}")
            fill(connection)
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()
        os.link(part, path)
        sync_folder(path.parent)
    except FileExistsError:
        raise LedgerError(f"{path} exists already: a ledger is created once. Remove nothing; go on asking") from None
    except (OSError, sqlite3.Error) as error:
        raise LedgerError(f"cannot create {path}: {error}. {WRITABLE}") from error
    finally:
        for name in (part, Path(f"{part}-wal"), Path(f"{part}-shm"), Path(f"{part}-journal")):
            with contextlib.suppress(OSError):
                name.unlink()


def _connect(path: Path, patience: float) -> sqlite3.Connection:
    if not path.exists():
        raise LedgerError(f"there is no ledger at {path}. `discreet init` creates one; if there was one, restore it")
    where = f"file:{urllib.parse.quote(str(path.resolve()))}?mode=rw"
    connection = sqlite3.connect(where, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
        kind = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        if kind != APPLICATION:
            raise LedgerError(f"{path} is a database, but not a ledger; restore the ledger from a backup")
        if version != VERSION:
            raise LedgerError(
                f"{path} has layout {version}, and this program reads {VERSION}: use the version of discreet that made "
                "it, or create a new ledger in another folder and lower its budget by what was spent here"
            )
        if mode != "wal" and connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
            raise LedgerError(f"{path} cannot keep a write-ahead log here; put it on a local disk")
    except BaseException:
        connection.close()
        raise
    return connection


WRITABLE = "The folder must be on a local disk, with room left, and writable for whoever asks"


def _busy(path: Path, patience: float) -> str:
    return f"{path} is busy: no turn to write within {patience:g} s. See who holds it (`lsof {path}`), then ask again"


def _explained(path: Path, error: sqlite3.Error, patience: float) -> str:
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return _busy(path, patience)
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return f"{path} is damaged or not a ledger ({name}): restore it from a backup and verify it with a receipt"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_PERM")):
        return f"cannot use {path} ({name}). {WRITABLE}"
    return f"{path} could not be used ({name}): run `discreet ledger --verify`"


_forking: list[SqliteStore] = []


def _before_fork() -> None:
    _forking[:] = list(_open)
    for store in _forking:
        store._mutex.acquire()
        store._disconnect()


def _after_fork() -> None:
    for store in _forking:
        store._mutex.release()
    _forking.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
