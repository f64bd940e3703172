"""The ledger's database on PostgreSQL: durable at every commit, written one at a time by any number of hosts.

Writers run at READ COMMITTED behind a lock on the table `gate`, taken before anything is read and kept to the end of
the transaction. So there is never a second writer, and every statement sees all that those before have committed. A
stricter level would see less: its snapshot is from before the wait for the gate, and all but the first would fail.
PostgreSQL queues for table locks in order, so nobody starves. Readers see one snapshot (REPEATABLE READ, read only)
and wait for nobody. The time is the server's: leases mean the same on hosts whose clocks differ.

A connection that was lost is opened anew before a transaction begins, never inside one. One connection serves all
threads of a process, behind a mutex, and a forked child opens its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from discreet.base.errors import LedgerError
from discreet.ledger.database import PATIENCE, Database
from discreet.ledger.postgres.connect import abandon, connect, load_driver
from discreet.ledger.postgres.errors import explain_errors
from discreet.ledger.postgres.failures import PostgresFailures
from discreet.ledger.postgres.leases import SessionLeases
from discreet.ledger.postgres.schema import check_schema_layout, enter_schema
from discreet.ledger.postgres.server import Server
from discreet.ledger.postgres.statements import Scans, Statements, commit_transaction

if TYPE_CHECKING:
    import psycopg

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_HEAD = "SELECT number, hash, (SELECT hash FROM entries WHERE entries.number = %s) FROM head"
_CLOCK = "SELECT extract(epoch FROM clock_timestamp())::double precision"

_open: weakref.WeakSet[PostgresStore] = weakref.WeakSet()


class PostgresStore:
    """A ledger's schema on a server: reading sees one state of it, writing is all or nothing and durable."""

    counted = "SELECT number FROM counted"

    def __init__(self, server: Server, patience: float = PATIENCE) -> None:
        self.server = server
        self.leases = SessionLeases(server, patience)
        self.results = None
        """Large answers lie in the database like all others."""
        self.failures = PostgresFailures(self)
        self._patience = patience
        self._mutex = threading.RLock()
        self._connection: psycopg.Connection | None = None
        self._known = (0, "")
        """The newest entry that was seen here, and its hash."""
        self._closed = False
        _open.add(self)
        with self._mutex, self.explaining():
            self._connected()

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """Give a connection that sees one state of the ledger and does not hold writers up."""
        with self._mutex, self.explaining(), self._transaction(_READ) as connection:
            self._known = self._recognised(connection)
            yield Statements(connection)
            connection.execute("COMMIT")

    @contextmanager
    def scanning(self) -> Iterator[Database]:
        """Give the same for reading whole tables: rows come as they are asked for."""
        with self._mutex, self.explaining(), self._transaction(_READ) as connection:
            with contextlib.closing(Scans(connection)) as scans:
                yield scans
            connection.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """Give a connection inside a transaction that nobody else writes beside: committed, or as if never begun."""
        with self._mutex, self.explaining(), self._transaction(_WRITE) as connection:
            connection.execute("LOCK TABLE gate IN EXCLUSIVE MODE")
            self._known = self._recognised(connection)
            yield Statements(connection)
            commit_transaction(connection, self.server)
            with contextlib.suppress(load_driver().Error):  # it is committed, whatever comes now
                self._known = self._recognised(connection)

    def clock(self) -> float:
        """Return the server's time: one for all hosts."""
        with self._mutex, self.explaining():
            seconds: float = self._first(_CLOCK)[1]
            return seconds

    def close(self) -> None:
        """Close the connections, and with them all leases; using it afterwards is an error."""
        with self._mutex:
            self._closed = True
            self._disconnect()
        self.leases.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[psycopg.Connection]:
        connection = self._first(begin)[0]
        try:
            yield connection
        except BaseException:
            self._roll_back(connection)
            raise

    def _recognised(self, connection: psycopg.Connection) -> tuple[int, str]:
        """Return the ledger's head, or refuse a ledger in which the newest entry that was seen here is not.

        Behind the same address there may be another server after a connection was lost, such as a standby that had not
        heard of the last charges, or a backup that somebody restored.
        """
        found = connection.execute(_HEAD, self._known[:1]).fetchone()
        if found is None:
            return self._known
        number, head, before = found
        if self._known[0] and (number < self._known[0] or before != self._known[1]):
            raise LedgerError(
                f"the {self.server} is not the ledger that was open here, or an older state of it, and what was spent "
                "since would be spent again: restore the newest state, or open it anew. Nothing was charged"
            )
        return number, head

    def _first(self, statement: str) -> tuple[psycopg.Connection, float]:
        """Run a statement that needs nothing before it, on a new connection where the old one was lost."""
        for _ in range(2):
            connection = self._connected()
            try:
                done = connection.execute(statement.encode())
                return connection, (done.fetchone() or (0.0,))[0] if done.description else 0.0
            except load_driver().OperationalError:
                if not connection.closed:
                    raise
                self._disconnect()
        raise LedgerError(f"the connection to the {self.server} is lost again and again: ask again later")

    def _roll_back(self, connection: psycopg.Connection) -> None:
        """End a transaction that failed; where that fails too, the session ends, and the server does it."""
        try:
            connection.execute("ROLLBACK")
        except BaseException as failure:
            connection.close()
            if not isinstance(failure, load_driver().Error):
                raise

    def _connected(self) -> psycopg.Connection:
        if self._closed:
            raise LedgerError("this ledger was closed; open it again")
        if self._connection is None or self._connection.closed:
            connection = connect(self.server, self._patience)
            try:
                check_schema_layout(Statements(connection), self.server)
                enter_schema(Statements(connection), self.server)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def explaining(self) -> contextlib.AbstractContextManager[None]:
        """Turn failures of the driver into an error with a remedy."""
        return explain_errors(self.server, self._patience)

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            self._disconnect()


_forking: list[PostgresStore] = []


def _before_fork() -> None:
    _forking[:] = list(_open)
    for store in _forking:
        store._mutex.acquire()
        store.leases.hold()


def _after_fork(child: bool) -> None:
    for store in _forking:
        if child and store._connection is not None:
            abandon(store._connection)
            store._connection = None
        store.leases.go_on(child=child)
        store._mutex.release()
    _forking.clear()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(child=False),
    after_in_child=lambda: _after_fork(child=True),
)
