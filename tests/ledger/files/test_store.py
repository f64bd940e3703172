"""The file: created once and whole, durable, one writer at a time, and plain words for every bad state."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import LedgerError
from discreet.ledger.database import Database
from discreet.ledger.files import store
from discreet.ledger.files.locks import wait_for_lock
from discreet.ledger.files.store import SqliteStore
from support.sampling import in_child


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / ".discreet" / "ledger.db"
    store.create_file(made, lambda db: None)
    return made


def put(opened: SqliteStore, name: str) -> None:
    with opened.writing() as db:
        db.execute("INSERT INTO states VALUES (?, 1, x'00')", (name,))


def names(opened: SqliteStore) -> set[str]:
    with opened.reading() as db:
        return {name for (name,) in db.execute("SELECT name FROM states")}


def test_a_commit_is_on_the_disk_before_it_returns(path: Path) -> None:
    with contextlib.closing(SqliteStore(path)) as opened, opened.writing() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_writing_is_all_or_nothing(path: Path) -> None:
    with contextlib.closing(SqliteStore(path)) as opened:
        put(opened, "kept")
        with pytest.raises(ZeroDivisionError), opened.writing() as db:
            _ = len(db.execute("INSERT INTO states VALUES ('lost', 1, x'00')").fetchall()) / 0
        put(opened, "later")
        assert names(opened) == {"kept", "later"}


def test_only_create_makes_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"no ledger at .*`discreet init` creates one"):
        SqliteStore(tmp_path / "ledger.db")
    assert os.listdir(tmp_path) == []


def test_a_ledger_is_created_once(path: Path) -> None:
    with contextlib.closing(SqliteStore(path)) as opened:
        put(opened, "kept")
        with pytest.raises(LedgerError, match="exists already"):
            store.create_file(path, lambda db: None)
        assert names(opened) == {"kept"}


def test_creating_leaves_nothing_else_behind_and_nothing_at_all_if_it_fails(tmp_path: Path) -> None:
    def fail(db: Database) -> None:
        raise sqlite3.OperationalError("disk full")

    with pytest.raises(LedgerError, match=r"cannot create .* room left"):
        store.create_file(tmp_path / "ledger.db", fail)
    assert os.listdir(tmp_path) == []
    store.create_file(tmp_path / "ledger.db", lambda db: None)
    assert os.listdir(tmp_path) == ["ledger.db"]


def test_two_who_create_at_once_make_one_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with pytest.raises(LedgerError, match="exists already"):
        store.create_file(path, lambda db: store.create_file(path, lambda db: None))
    SqliteStore(path).close()


def test_a_new_ledger_is_not_put_beside_the_log_of_a_lost_one(tmp_path: Path) -> None:
    (tmp_path / "ledger.db-wal").write_bytes(b"what the lost ledger had committed")
    with pytest.raises(LedgerError, match=r"ledger\.db-wal, part of a ledger that is gone"):
        store.create_file(tmp_path / "ledger.db", lambda db: None)


def test_a_file_that_is_no_database_is_named_damaged(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"secret,rows\n" * 500)
    with pytest.raises(LedgerError, match="damaged or not a ledger") as caught:
        SqliteStore(tmp_path / "ledger.db")
    assert "secret" not in str(caught.value)


def test_another_database_is_not_taken_for_a_ledger(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger.db")) as other:
        other.execute("CREATE TABLE t (x)")
    with pytest.raises(LedgerError, match="a database, but not a ledger"):
        SqliteStore(tmp_path / "ledger.db")


def test_a_layout_of_another_version_is_not_guessed(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 1")
    with pytest.raises(LedgerError, match="has layout 1, and this program reads 2: use the version of discreet that"):
        SqliteStore(path)


def test_a_writer_that_never_ends_is_named_after_the_patience(path: Path) -> None:
    with contextlib.closing(SqliteStore(path, patience=0.01)) as opened:
        gate = wait_for_lock(opened.gate, 1)
        assert gate is not None
        with pytest.raises(LedgerError, match=r"busy: no turn to write within 0\.01 s"):
            put(opened, "x")
        gate.close()
        put(opened, "y")
        assert names(opened) == {"y"}


def test_a_database_locked_by_another_program_is_named_after_the_patience(path: Path) -> None:
    with (
        contextlib.closing(SqliteStore(path, patience=0.01)) as opened,
        contextlib.closing(sqlite3.connect(path)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="is busy"):
            put(opened, "x")
        other.rollback()
        put(opened, "y")


def test_a_folder_where_nothing_can_be_written_is_named_with_the_remedy(path: Path) -> None:
    with contextlib.closing(SqliteStore(path)) as opened:
        opened.gate = path.parent / "missing" / "gate"
        with pytest.raises(LedgerError, match=r"cannot use the folder .* writable for whoever asks"):
            put(opened, "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_is_named_with_the_remedy(path: Path) -> None:
    path.parent.chmod(0o500)
    try:
        with pytest.raises(LedgerError, match="writable for whoever asks"):
            put(SqliteStore(path), "x")
    finally:
        path.parent.chmod(0o700)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SQLITE_READONLY_DIRECTORY", "writable"),
        ("SQLITE_CANTOPEN", "writable"),
        ("SQLITE_FULL", "room left"),
        ("SQLITE_IOERR_WRITE", "local disk"),
        ("SQLITE_CORRUPT", "restore it from a backup"),
        ("SQLITE_BUSY_SNAPSHOT", "busy"),
        ("SQLITE_MISMATCH", "--verify"),
    ],
)
def test_every_failure_of_sqlite_has_a_remedy(path: Path, name: str, words: str) -> None:
    error = sqlite3.OperationalError("near 'secret': whatever")
    error.sqlite_errorname = name
    with (
        contextlib.closing(SqliteStore(path)) as opened,
        pytest.raises(LedgerError, match=words) as caught,
        opened.reading(),
    ):
        raise error
    assert "secret" not in str(caught.value)


def test_a_closed_ledger_says_so(path: Path) -> None:
    opened = SqliteStore(path)
    opened.close()
    opened.close()
    with pytest.raises(LedgerError, match="was closed"):
        names(opened)


def test_both_sides_of_a_fork_go_on_with_connections_of_their_own(path: Path) -> None:
    with contextlib.closing(SqliteStore(path)) as opened:
        put(opened, "before")
        before = opened._connection

        def child() -> bytes:
            assert opened._connection is None, "the parent's connection was carried into the child"
            put(opened, "child")
            return ",".join(sorted(names(opened))).encode()

        assert in_child(child) == b"before,child"
        put(opened, "after")
        assert opened._connection is not before
        assert names(opened) == {"before", "child", "after"}


class Announcing:
    """A mutex that says when a fork begins to wait for it: only a fork calls `acquire`."""

    def __init__(self, mutex: Any, begun: threading.Event) -> None:
        self._mutex, self._begun = mutex, begun
        self.release = mutex.release

    def acquire(self) -> None:
        self._begun.set()
        self._mutex.acquire()

    def __enter__(self) -> None:
        self._mutex.acquire()

    def __exit__(self, *_: object) -> None:
        self._mutex.release()


def test_a_fork_waits_until_no_thread_is_inside_a_transaction(path: Path) -> None:
    inside, go_on = threading.Event(), threading.Event()
    with contextlib.closing(SqliteStore(path)) as opened:
        opened._mutex = Announcing(opened._mutex, go_on)  # type: ignore[assignment]

        def slowly() -> None:
            with opened.writing() as db:
                inside.set()
                go_on.wait()
                db.execute("INSERT INTO states VALUES ('thread', 1, x'00')")

        thread = threading.Thread(target=slowly)
        thread.start()
        inside.wait()
        assert in_child(lambda: ",".join(names(opened)).encode()) == b"thread"
        thread.join()
