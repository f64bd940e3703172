"""What the ledger asks of a database: SQLite's file and PostgreSQL's server give the same, and nothing else is used.

Statements are written once for both: with `?` for values, in the SQL that both read. Values are None, int, float, str
without NUL, and bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from discreet.base.errors import LedgerError
from discreet.ledger.failures import FailureLog

PATIENCE = 10.0
"""Seconds that a writer waits for its turn before it says that the ledger is busy."""


class ResultRows(Protocol):
    """What a statement found."""

    def fetchone(self) -> Any:
        """Return the next row as a tuple, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """A connection inside a transaction."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> ResultRows:
        """Run one statement."""


class Lease(Protocol):
    """The right to run one charge, until it is released, dropped, or its process ends."""

    @property
    def token(self) -> str:
        """The random name that stands beside the charge."""

    @property
    def held(self) -> bool:
        """Whether this process still holds it: not after a release, and not in a forked child."""

    def release(self) -> None:
        """Give the lease up; doing so again changes nothing. In a forked child the parent's lease stays."""


class Leases(Protocol):
    """Who is running a charge now. Leases are taken only inside a writing transaction."""

    def take(self) -> Lease:
        """Return a new lease, held."""

    def alive(self, token: str) -> bool:
        """Say whether the holder of that token still runs."""

    def forget(self, token: str) -> None:
        """Remove what is left of a lease that is over."""

    def sweep(self) -> None:
        """Remove what crashes left behind; only inside a writing transaction."""


class LargeResults(Protocol):
    """Where answers are kept that are too large for a row, each under its hash."""

    def write(self, data: bytes) -> str:
        """Keep an answer, durably, and return its name."""

    def read(self, name: str) -> bytes:
        """Return an answer, or raise where it is missing or was changed."""

    def list_names(self) -> list[str]:
        """Return the names of all that lies there, also of what a writer that died left half written."""

    def find_size(self, name: str) -> int | None:
        """Return how many bytes lie under a name; None where nothing does."""

    def remove(self, name: str) -> None:
        """Forget what lies under a name, if anything does."""


class Store(Protocol):
    """A ledger's database. Threads may share it, and it may be used on both sides of a fork."""

    @property
    def counted(self) -> str:
        """The query for the number of entries that the database itself has counted, beside the chain."""

    @property
    def leases(self) -> Leases:
        """Who runs what, as this database tells it."""

    @property
    def results(self) -> LargeResults | None:
        """Where large answers are kept; None where the database itself holds them."""

    @property
    def failures(self) -> FailureLog:
        """Where failures are kept for the operator."""

    def reading(self) -> AbstractContextManager[Database]:
        """Give a connection that sees one state of the ledger and does not hold writers up."""

    def scanning(self) -> AbstractContextManager[Database]:
        """Give the same for reading whole tables: rows come as they are asked for."""

    def writing(self) -> AbstractContextManager[Database]:
        """Give a connection inside a transaction that nobody else writes beside: committed, or as if never begun."""

    def explaining(self) -> AbstractContextManager[None]:
        """Turn failures of what lies below into an error with a remedy."""

    def clock(self) -> float:
        """Return the time that all who share this ledger go by, in seconds since 1970."""

    def close(self) -> None:
        """Close the database; using it afterwards is an error."""


class UncertainError(LedgerError):
    """The connection was lost during a commit: what was written may stand or not. Nothing of it may be shown."""
