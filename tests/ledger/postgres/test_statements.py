"""A commit is done, refused, or unknown; and whole tables are read in pages."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import Any, NoReturn

import psycopg
import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import Server
from discreet.ledger.database import UncertainError
from discreet.ledger.postgres.connect import connect
from discreet.ledger.postgres.statements import Scans, Statements, commit_transaction
from servers.postgres import Cluster
from servers.proxy import Cut, Proxy
from support.ledger import DSN


def test_a_transaction_in_which_something_failed_is_never_taken_for_committed(server: Server) -> None:
    with closing(connect(server, 1)) as connection:
        connection.execute("BEGIN")
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT 1 / 0")
        with pytest.raises(LedgerError, match="rolled this back: nothing was written"):
            commit_transaction(connection, server)


def test_the_servers_no_is_a_no(server: Server) -> None:
    with closing(connect(server, 1)) as connection:
        connection.execute("BEGIN")
        connection.execute("CREATE TEMP TABLE t (x int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        connection.execute("INSERT INTO t VALUES (1), (1)")
        with pytest.raises(psycopg.errors.UniqueViolation):
            commit_transaction(connection, server)


@pytest.mark.parametrize("what", list(Cut))
def test_a_connection_lost_during_a_commit_leaves_it_unknown(
    postgres: Cluster, common_database: str, server: Server, monkeypatch: pytest.MonkeyPatch, what: Cut
) -> None:
    with Proxy(postgres.port) as proxy:
        monkeypatch.setenv(DSN, postgres.dsn(common_database, host="127.0.0.1", port=proxy.port))
        with closing(connect(server, 1)) as connection:
            connection.execute("BEGIN")
            proxy.cut(what)
            with pytest.raises(UncertainError, match="lost during a commit"):
                commit_transaction(connection, server)
            assert connection.closed


class Ended:
    """A session that ends with a word of the server's, as an administrator ends one."""

    closed = False

    def execute(self, statement: str) -> NoReturn:
        raise psycopg.errors.AdminShutdown(f"terminating connection during {statement}")

    def close(self) -> None:
        self.closed = True


def test_the_last_word_of_a_session_that_ends_is_not_a_no(server: Server) -> None:
    ended: Any = Ended()
    with pytest.raises(UncertainError):
        commit_transaction(ended, server)
    assert ended.closed


def test_a_session_that_is_ended_during_a_commit_leaves_it_unknown(postgres: Cluster, server: Server) -> None:
    """The server waits for a standby that does not exist: the commit is in its log, and nobody knows."""
    with closing(connect(server, 1)) as connection, postgres.connect() as admin:
        connection.execute("CREATE TABLE public.unknown (x int)")
        admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        admin.execute("SELECT pg_reload_conf()")
        try:
            told: list[BaseException] = []

            def committing() -> None:  # until the new setting is in force
                while not told:
                    connection.execute("BEGIN")
                    connection.execute("INSERT INTO public.unknown VALUES (1)")
                    try:
                        commit_transaction(connection, server)
                    except LedgerError as error:
                        told.append(error)

            thread = threading.Thread(target=committing)
            thread.start()
            waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid = %s"
            while admin.execute(waiting, (connection.info.backend_pid,)).fetchone() is None:
                assert thread.is_alive(), told  # the other commits until one waits
            admin.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
            thread.join()
            assert [type(each) for each in told] == [UncertainError]
        finally:
            admin.execute("ALTER SYSTEM RESET synchronous_standby_names")
            admin.execute("SELECT pg_reload_conf()")


def test_whole_tables_are_read_in_pages_and_statements_in_one(server: Server) -> None:
    with closing(connect(server, 1)) as connection:
        connection.execute("BEGIN")
        with closing(Scans(connection)) as scans:
            rows = iter(scans.execute("SELECT generate_series(1, ?)", (5000,)))
            assert next(rows) == (1,)
            assert connection.execute("SELECT count(*) FROM pg_cursors").fetchone() == (1,)
            assert sum(row[0] for row in rows) == 5000 * 5001 // 2 - 1
        assert connection.execute("SELECT count(*) FROM pg_cursors").fetchone() == (0,)
        assert Statements(connection).execute("SELECT ? || 'b'", ("a",)).fetchall() == [("ab",)]
