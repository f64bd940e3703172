"""Every session has the settings that the guarantees rest on, or there is no session; no message holds a secret."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import Server
from discreet.ledger.postgres.connect import connect
from servers.postgres import Cluster
from servers.proxy import Proxy
from support.ledger import DSN


def shown(server: Server, name: str, patience: float = 2.5) -> str:
    with closing(connect(server, patience)) as connection:
        row = connection.execute(f"SHOW {name}".encode()).fetchone()
        assert row is not None
        return str(row[0])


@contextmanager
def setting(postgres: Cluster, what: str) -> Iterator[None]:
    """Give every new session of the tests' superuser a setting of its own."""
    with postgres.connect() as admin:
        admin.execute(f"ALTER ROLE postgres SET {what}".encode())
        try:
            yield
        finally:
            admin.execute(f"ALTER ROLE postgres RESET {what.split(' ')[0]}".encode())


@pytest.mark.parametrize("asked", ["off", "local", "remote_write"])
def test_a_commit_is_durable_before_it_returns_whatever_the_role_is_set_to(
    postgres: Cluster, server: Server, asked: str
) -> None:
    with setting(postgres, f"synchronous_commit = {asked}"):
        assert shown(server, "synchronous_commit") == "on"


def test_waiting_for_a_standby_to_have_applied_it_is_kept(postgres: Cluster, server: Server) -> None:
    with setting(postgres, "synchronous_commit = remote_apply"):
        assert shown(server, "synchronous_commit") == "remote_apply"


def test_limits_for_other_programs_do_not_end_a_lease_or_a_long_check(postgres: Cluster, server: Server) -> None:
    with setting(postgres, "statement_timeout = 100"), setting(postgres, "idle_session_timeout = 100"):
        assert shown(server, "statement_timeout") == "0"
        assert shown(server, "idle_session_timeout") == "0"


def test_who_hangs_inside_a_transaction_is_thrown_out_and_who_waits_gives_up(server: Server) -> None:
    assert shown(server, "idle_in_transaction_session_timeout") == "1min"
    assert shown(server, "lock_timeout") == "2500ms"


def test_names_mean_the_servers_own_things_whatever_others_put_before_them(
    postgres: Cluster, common_database: str, server: Server
) -> None:
    """A path of the role's that begins with somebody else's schema counts for nothing, not even while it is set."""
    with postgres.connect(common_database) as admin:
        admin.execute("CREATE SCHEMA tools")
        admin.execute("CREATE FUNCTION tools.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT $2'")
        admin.execute("CREATE FUNCTION tools.pg_backend_pid() RETURNS int LANGUAGE sql AS 'SELECT 0'")
    with setting(postgres, "search_path = tools, pg_catalog"):
        assert shown(server, "search_path") == "pg_catalog, pg_temp"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("fsync", "does not sync its commits: set fsync = on"),
        ("full_page_writes", "whose crash can tear pages: set full_page_writes = on"),
    ],
)
def test_a_server_that_could_lose_a_commit_is_refused(
    postgres: Cluster, server: Server, setting: str, words: str
) -> None:
    with postgres.connect() as admin:
        admin.execute(f"ALTER SYSTEM SET {setting} = off".encode())
    try:
        postgres.stop()
        postgres.start()
        with pytest.raises(LedgerError, match=words):
            connect(server, 1)
    finally:
        with postgres.connect() as admin:
            admin.execute(f"ALTER SYSTEM RESET {setting}".encode())
        postgres.stop()
        postgres.start()


def test_a_standby_is_refused(postgres: Cluster, server: Server) -> None:
    signal = postgres.folder / "data" / "standby.signal"
    postgres.stop()
    signal.touch()
    try:
        postgres.start()
        with pytest.raises(LedgerError, match=r"on a standby: name the primary"):
            connect(server, 1)
    finally:
        postgres.stop()
        signal.unlink()
        postgres.start()


def test_another_encoding_is_refused(postgres: Cluster, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with postgres.connect() as admin:
        admin.execute("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0")
    monkeypatch.setenv(DSN, postgres.dsn("ascii"))
    with pytest.raises(LedgerError, match="encoded in SQL_ASCII: create a database with ENCODING 'UTF8'"):
        connect(server, 1)


def test_a_pooler_is_refused_and_a_plain_wire_is_not(
    postgres: Cluster, server: Server, common_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pools in (True, False):
        with Proxy(postgres.port, pools=pools) as proxy:
            monkeypatch.setenv(DSN, postgres.dsn(common_database, host="127.0.0.1", port=proxy.port))
            if pools:
                with pytest.raises(LedgerError, match="a connection pooler stands between"):
                    connect(server, 1)
            else:
                connect(server, 1).close()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"user": "hunter", "password": "hunter2"}, "it refuses this role or password"),
        ({"user": "nobody_hunter"}, "it refuses this role or password"),
        ({"dbname": "hunter2"}, "there is no such database"),
        ({"port": 1}, "there is no server there"),
        ({"host": "/hunter2"}, "there is no server there"),
    ],
)
def test_a_refusal_is_told_by_its_kind_and_without_a_name(
    postgres: Cluster, server: Server, monkeypatch: pytest.MonkeyPatch, options: dict[str, str], told: str
) -> None:
    monkeypatch.setenv(DSN, postgres.dsn(**options))
    with pytest.raises(LedgerError, match=told) as caught:
        connect(server, 1)
    assert "hunter" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("dsn", ["password hunter2", "postgresql://ann:hunter2@db:port/x", "hunter2=x", "host=a\0b"])
def test_what_is_no_connection_string_is_not_quoted(server: Server, monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setattr(Server, "dsn", property(lambda self: dsn))
    with pytest.raises(LedgerError) as caught:
        connect(server, 1)
    assert "hunter2" not in str(caught.value)
    assert DSN in str(caught.value)


def test_a_server_that_is_down_is_named_as_such(postgres: Cluster, server: Server) -> None:
    postgres.stop()
    try:
        with pytest.raises(LedgerError, match="there is no server there"):
            connect(server, 1)
    finally:
        postgres.start()
    connect(server, 1).close()


def test_a_missing_driver_is_told_with_the_command(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"pip install 'discreet\[postgres\]'"):
        connect(server, 1)
