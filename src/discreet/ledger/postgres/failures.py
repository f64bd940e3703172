"""The log of failures on PostgreSQL: a table that roles who ask may add to, and only its owner reads."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from discreet.ledger.database import Database
from discreet.ledger.failures import MOST, Failure, read_failures, write_failure

_TRIM = "DELETE FROM failures WHERE number <= (SELECT max(number) FROM failures) - ?"


class Transactions(Protocol):
    """What the log needs of its store."""

    def reading(self) -> AbstractContextManager[Database]:
        """Give a connection that sees one state."""

    def writing(self) -> AbstractContextManager[Database]:
        """Give a connection inside a transaction."""


class PostgresFailures:
    """The failures of a ledger on a server."""

    def __init__(self, store: Transactions) -> None:
        self._store = store

    def add(self, failure: Failure) -> None:
        """Keep one more."""
        with self._store.writing() as db:
            values = (failure.at, write_failure(failure))
            db.execute("INSERT INTO failures (at, failure) VALUES (?, ?)", values)

    def read(self) -> tuple[Failure, ...]:
        """Return the newest that are kept, the oldest first; those before them are deleted. For the owner."""
        with self._store.writing() as db:
            db.execute(_TRIM, (MOST,))
            rows = db.execute("SELECT failure FROM failures ORDER BY number").fetchall()
        return read_failures(text for (text,) in rows)
