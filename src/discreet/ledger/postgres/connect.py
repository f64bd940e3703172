"""Connections to the ledger's PostgreSQL: the settings that its guarantees rest on, set and checked on every one.

Refused are a standby, a server that does not sync its log or whose crash can tear pages, another encoding than UTF-8,
and a pooler in between: a lease is a lock of a session, and a pooler hands one session to many. A pooler is known by
the process number that it tells at the beginning, which is not the server's. No message quotes the connection string
or what the server said.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from discreet.base.errors import LedgerError
from discreet.ledger.postgres.server import Server

if TYPE_CHECKING:
    import psycopg

HUNG = 60
"""Seconds after which the server ends a session that hangs inside a transaction: the others wait for their turn."""

OLDEST = 13

NOTHING_ELSE = "pg_catalog, pg_temp"
"""Where names are looked for until a schema is known to be the ledger's: anybody may have put things into others."""

KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "connect_timeout": 10}
"""A host that is cut off is missed within a minute. What the connection string says instead is kept."""


def load_driver() -> Any:
    """Return psycopg, or say how to get it."""
    try:
        import psycopg
    except ImportError:
        raise LedgerError("a ledger on PostgreSQL needs psycopg: pip install 'discreet[postgres]'") from None
    return psycopg


def connect(server: Server, patience: float, purpose: str = "ledger") -> psycopg.Connection:
    """Return a connection that commits every statement, and whose names mean the server's own things and no others."""
    postgres = load_driver()
    try:
        given = postgres.conninfo.conninfo_to_dict(server.dsn)
    except postgres.Error:
        raise LedgerError(
            f"{server.dsn_env} does not hold a connection string; "
            "write one such as postgresql://user:password@host/database"
        ) from None
    options = {**KEEPALIVES, **given, "application_name": f"discreet {purpose}", "client_encoding": "UTF8"}
    try:
        connection: psycopg.Connection = postgres.connect("", autocommit=True, **options)
    except postgres.Error as error:
        raise LedgerError(f"cannot connect to the {server}: {_refusal(str(error))}") from None
    except UnicodeError:
        raise LedgerError(f"{server.dsn_env} holds a character that no connection string may hold") from None
    try:
        _settle(connection, server, patience)
    except BaseException:
        connection.close()
        raise
    return connection


def abandon(connection: psycopg.Connection) -> None:
    """Let go of a parent's connection in a forked child, so that the server does not hear of it.

    Closing would say goodbye to the server in the parent's name, and a copy left open would keep the parent's session
    alive after the parent's end. So nothing is put in the socket's place first.
    """
    if connection.closed:
        return
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.dup2(nothing, connection.fileno(), inheritable=False)
    finally:
        os.close(nothing)
    connection.close()


def _settle(connection: psycopg.Connection, server: Server, patience: float) -> None:
    version = connection.info.server_version // 10000
    if version < OLDEST:
        raise LedgerError(f"the {server} is PostgreSQL {version}; a ledger needs {OLDEST} or newer")
    (pid,) = _row(connection, "SELECT pg_catalog.pg_backend_pid()")
    if pid != connection.info.backend_pid:
        raise LedgerError(
            f"a connection pooler stands between here and the {server}: leases would be lost. "
            f"Let {server.dsn_env} name the server itself"
        )
    settings = {
        "search_path": NOTHING_ELSE,
        "lock_timeout": f"{max(1, round(1000 * patience))}ms",
        "statement_timeout": "0",
        "idle_in_transaction_session_timeout": f"{HUNG}s",
        "tcp_keepalives_idle": "30",
        "tcp_keepalives_interval": "10",
        "tcp_keepalives_count": "3",
        **({"idle_session_timeout": "0"} if version >= 14 else {}),
        **({"transaction_timeout": "0"} if version >= 17 else {}),
    }
    calls = ", ".join(["pg_catalog.set_config(%s, %s, false)"] * len(settings))
    connection.execute(f"SELECT {calls}".encode(), [text for pair in settings.items() for text in pair])
    if _row(connection, "SHOW search_path") != (NOTHING_ELSE,):
        raise LedgerError(f"the {server} does not take the settings that a ledger rests on; use PostgreSQL itself")
    if _row(connection, "SHOW synchronous_commit") != ("remote_apply",):  # the one that waits for more than "on"
        connection.execute("SET synchronous_commit = on")
    names = ("synchronous_commit", "fsync", "full_page_writes", "server_encoding")
    (commit,), (fsync,), (pages,), (encoding,) = (_row(connection, f"SHOW {name}") for name in names)
    if _row(connection, "SELECT pg_is_in_recovery()") == (True,):
        raise LedgerError(f"the {server} is on a standby: name the primary, or add target_session_attrs=read-write")
    if commit not in ("on", "remote_apply") or fsync != "on":
        raise LedgerError(f"the {server} is on a server that does not sync its commits: set fsync = on there")
    if pages != "on":
        raise LedgerError(f"the {server} is on a server whose crash can tear pages: set full_page_writes = on there")
    if encoding != "UTF8":
        raise LedgerError(f"the {server} is encoded in {encoding}: create a database with ENCODING 'UTF8'")


def _row(connection: psycopg.Connection, query: str) -> tuple[Any, ...]:
    return connection.execute(query.encode()).fetchone() or ()


_REFUSALS = (
    (("starting up", "shutting down", "recovery", "not yet accepting"), "it is starting or stopping; ask again"),
    (("too many", "remaining connection slots"), "it takes no more connections; close some or raise max_connections"),
    (("password", "authentication", "pg_hba", "permission", 'role "'), "it refuses this role or password"),
    (('database "',), "there is no such database"),
    (("timeout", "timed out"), "it does not answer in time"),
    (("refused", "no such file", "translate host", "resolve", "no route", "unreachable"), "there is no server there"),
    (("read-only", "read-write", "standby"), "no server in it takes writes"),
)


def _refusal(said: str) -> str:
    """Return what kind of refusal this is, without the server's words: they hold names of the connection string."""
    found = (words for marks, words in _REFUSALS if any(mark in said.lower() for mark in marks))
    return next(found, "it cannot be reached")
