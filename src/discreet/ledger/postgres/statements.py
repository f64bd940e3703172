"""The ledger's statements on a PostgreSQL connection, and the commit, which may have one of three ends."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.base.errors import LedgerError
from discreet.ledger.database import ResultRows, UncertainError
from discreet.ledger.postgres.connect import load_driver
from discreet.ledger.postgres.server import Server

if TYPE_CHECKING:
    import psycopg

_PAGE = 1000


class Statements:
    """Runs statements that have `?` where the driver wants `%s`."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> ResultRows:
        """Run one statement."""
        return self._connection.execute(sql.replace("?", "%s").encode(), parameters or None)


class Scans:
    """Runs queries of whole tables: rows stay on the server until they are asked for."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self._cursors: list[psycopg.ServerCursor] = []
        self._numbers = itertools.count(1)

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> ResultRows:
        """Run one query."""
        cursor = self._connection.cursor(name=f"scan {next(self._numbers)}")
        self._cursors.append(cursor)
        cursor.itersize = _PAGE
        return cursor.execute(sql.replace("?", "%s").encode(), parameters or None)

    def close(self) -> None:
        """Let the server forget all of them."""
        for cursor in self._cursors:
            cursor.close()


def commit_transaction(connection: psycopg.Connection, server: Server) -> None:
    """Commit, or raise: an UncertainError where nobody here can know whether it happened.

    A transaction in which a statement failed is rolled back by COMMIT without an error, so its word is looked at. An
    ERROR is the server's no. Anything else, a lost connection or the end of the session, may have come after the
    commit was durable.
    """
    psycopg = load_driver()
    try:
        done = connection.execute("COMMIT").statusmessage
    except psycopg.Error as error:
        if error.diag.severity_nonlocalized == "ERROR":
            raise
        connection.close()
        raise UncertainError(
            f"the connection to the {server} was lost during a commit: what was asked may have been charged, and "
            "nothing is shown. Ask again: what was charged is not charged again"
        ) from None
    if done != "COMMIT":
        raise LedgerError(f"the {server} rolled this back: nothing was written. Ask again")
