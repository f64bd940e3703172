"""Connections to PostgreSQL: read-only, in one snapshot, and set up alike whatever role and database say.

The address comes from an environment variable, is read when a connection is made, and is in no message: it may hold a
password.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.base.errors import DiscreetError, PolicyError
from discreet.policy.engines import DEFAULT
from discreet.policy.model import DeclaredEngine as Declared
from discreet.policy.problems import explain_problem

if TYPE_CHECKING:
    import psycopg

OLDEST = 150_000
"""PostgreSQL 15: numbers of servers before it are lower."""

APPLICATION = "discreet"

WAITS: Mapping[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""How long a silent network is waited for, where the address says nothing of it."""

SETTINGS: Mapping[str, str] = {
    "search_path": "pg_catalog, pg_temp",
    "row_security": "off",
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "transaction_timeout": "0",
    "jit": "off",
}
"""What every statement runs under.

Names lead to PostgreSQL's own functions and operators only, and tables are named with their schema. Without
`row_security` a policy that would hide rows is an error, and not another answer. Statements last as long as they must:
an end after some seconds would tell how many rows there are. Compiling them costs more than it saves.
"""

MEMORY = 128
"""Megabytes for each sort and each table of groups, where the server or the role does not grant more."""

GRANT = f"""
SELECT pg_catalog.set_config('work_mem', '{MEMORY}MB', true) FROM pg_catalog.pg_settings AS s
WHERE s.name = 'work_mem' AND s.setting::pg_catalog.int8 < {MEMORY * 1024}
"""

SINCE = {"transaction_timeout": 170_000}

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
"""All statements of a session see one state of the tables, and none can change it."""


PIN = """
SELECT pg_catalog.set_config(v.name, v.value, true)
FROM ROWS FROM (pg_catalog.unnest(%s::pg_catalog.text[]), pg_catalog.unnest(%s::pg_catalog.text[])) AS v(name, value)
"""


def settings(version: int) -> tuple[list[str], list[str]]:
    """Return names and values for a server of that version."""
    known = [name for name in SETTINGS if version >= SINCE.get(name, OLDEST)]
    return known, [SETTINGS[name] for name in known]


class ServerFacts:
    """Where an engine of a policy is."""

    def __init__(self, path: Path, declared: Declared) -> None:
        self.path, self.name, self.variable = path, declared.name, declared.dsn_env or ""

    @contextmanager
    def session(self, doing: str) -> Iterator[PostgresSession]:
        """Hold a session while something is done outside of questions; what the server says of a failure is hidden."""
        psycopg = driver()
        with self.connect() as session:
            try:
                yield session
            except psycopg.Error:
                remedy = "check that the server runs and its tables are there"
                raise self.problem(f"the server failed while {doing}", remedy) from None

    def connect(self) -> PostgresSession:
        """Connect, or say what is wrong without a word of the address."""
        psycopg = driver()
        address = os.environ.get(self.variable)
        if not address:
            remedy = "set it to the address of the database, such as postgresql://reader@host/clinic"
            raise self.problem(f"the environment variable {self.variable} is not set", remedy)
        try:
            given = psycopg.conninfo.conninfo_to_dict(address)
            waits = {key: value for key, value in WAITS.items() if key not in given}
            fixed = {"client_encoding": "UTF8", "application_name": APPLICATION}
            connection = psycopg.connect(address, autocommit=True, **waits, **fixed)
        except psycopg.ProgrammingError:
            remedy = f"write host=... dbname=... or postgresql://host/name into {self.variable}"
            raise self.problem(f"{self.variable} holds no address of a database", remedy) from None
        except psycopg.Error as trouble:
            refused = "FATAL" in str(trouble) or (trouble.pgconn is not None and trouble.pgconn.used_password)
            if refused:
                remedy = f"check the user, the password and the name of the database in {self.variable}"
                raise self.problem("the server refuses the connection", remedy) from None
            remedy = f"check that the server runs, and the host and port in {self.variable}"
            raise self.problem("no server answers", remedy) from None
        try:
            return PostgresSession(self, connection)
        except psycopg.Error:
            connection.close()
            raise self.problem("the server broke off", "look into the log of the server") from None
        except BaseException:
            connection.close()
            raise

    def problem(self, wrong: str, remedy: str) -> PolicyError:
        """Return an error about the server."""
        key = (DEFAULT,) if self.name == DEFAULT else ("engines", self.name)
        return explain_problem(self.path, (*key, "dsn_env"), wrong, remedy)


class PostgresSession:
    """One connection with one snapshot, from its first statement until it is closed."""

    def __init__(self, server: ServerFacts, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self.version = connection.info.server_version
        if self.version < OLDEST:
            raise server.problem("the server is older than PostgreSQL 15", "move the tables to a newer one")
        if connection.info.parameter_status("server_encoding") != "UTF8":
            remedy = "create the database with ENCODING 'UTF8': others have no order of texts by their bytes"
            raise server.problem("the encoding of the database is not UTF8", remedy)
        connection.execute(BEGIN)
        connection.execute(PIN, settings(self.version))
        connection.execute(GRANT)
        if self.rows("SELECT current_setting('temp_file_limit')") != [("-1",)]:
            remedy = "ALTER ROLE ... SET temp_file_limit = -1: it would make questions fail by how many rows there are"
            raise server.problem("the server limits temporary files of this user", remedy)

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one statement; in binary form, where a text can hold no second one."""
        return self._connection.execute(statement, parameters or None, binary=True).fetchall()

    def cancel(self) -> None:
        """Ask the server to stop what runs now, from another thread; nothing is raised."""
        psycopg = driver()
        try:
            self._connection.cancel_safe(timeout=5)
        except psycopg.Error:
            return

    @property
    def is_closed(self) -> bool:
        """Whether the connection has ended, by whichever side."""
        return bool(self._connection.closed)

    def close(self) -> None:
        """End the transaction and the connection."""
        self._connection.close()

    def __enter__(self) -> PostgresSession:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()


def driver() -> Any:
    """Return psycopg, or say how to install it."""
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError:
        raise DiscreetError("PostgreSQL needs its driver: pip install 'discreet[postgres]'") from None
    return psycopg
