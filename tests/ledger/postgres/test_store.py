"""The database on a server: one writer at a time, all or nothing, one clock, and connections that come back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import Server
from discreet.ledger.postgres.store import PostgresStore
from servers.postgres import Cluster
from support.ledger import again, ask, new, tampering
from support.sampling import in_child


@pytest.fixture
def store(server: Server) -> Iterator[PostgresStore]:
    new(server).close()
    with closing(PostgresStore(server)) as opened:
        yield opened


def put(opened: PostgresStore, name: str) -> None:
    with opened.writing() as db:
        db.execute("INSERT INTO states VALUES (?, 1, '')", (name,))


def names(opened: PostgresStore) -> set[str]:
    with opened.reading() as db:
        return {name for (name,) in db.execute("SELECT name FROM states")}


def test_a_commit_is_durable_before_it_returns(store: PostgresStore) -> None:
    with store.writing() as db:
        assert db.execute("SHOW synchronous_commit").fetchone() == ("on",)
        assert db.execute("SHOW transaction_isolation").fetchone() == ("read committed",)


def test_writing_is_all_or_nothing(store: PostgresStore) -> None:
    put(store, "kept")
    with pytest.raises(ZeroDivisionError), store.writing() as db:
        _ = (db.execute("INSERT INTO states VALUES ('lost', 1, '')"), 1 / 0)
    put(store, "later")
    assert names(store) == {"kept", "later"}


def test_an_error_that_somebody_swallowed_is_no_commit(store: PostgresStore) -> None:
    def swallow() -> None:
        with store.writing() as db:
            db.execute("INSERT INTO states VALUES ('lost', 1, '')")
            with pytest.raises(psycopg.errors.DivisionByZero):
                db.execute("SELECT 1 / 0")

    with pytest.raises(LedgerError, match="rolled this back"):
        swallow()
    assert names(store) == set()


def test_reading_sees_one_state_and_writes_nothing(store: PostgresStore, server: Server) -> None:
    with closing(PostgresStore(server)) as other, store.reading() as db:
        before = db.execute("SELECT count(*) FROM states").fetchone()
        put(other, "meanwhile")
        assert db.execute("SELECT count(*) FROM states").fetchone() == before
    for context in (store.reading, store.scanning):
        with pytest.raises(LedgerError, match=r"takes no writes|could not be used"), context() as db:
            db.execute("DELETE FROM states")
    assert names(store) == {"meanwhile"}


def test_there_is_one_writer_at_a_time_and_the_next_sees_all_that_it_wrote(
    store: PostgresStore, server: Server
) -> None:
    """Whoever waits for the gate reads only afterwards: a snapshot from before the wait would miss the other's work."""
    with closing(PostgresStore(server)) as other:
        seen: list[set[str]] = []

        def second() -> None:
            with other.writing() as db:
                seen.append({name for (name,) in db.execute("SELECT name FROM states")})

        thread = threading.Thread(target=second)
        with store.writing() as db, tampering(server) as admin:
            thread.start()
            waiting = "SELECT 1 FROM pg_locks WHERE NOT granted"
            while thread.is_alive() and admin.execute(waiting).fetchone() is None:
                pass
            db.execute("INSERT INTO states VALUES ('first', 1, '')")
        thread.join()
        assert seen == [{"first"}]


def test_a_writer_that_never_ends_is_named_after_the_patience(store: PostgresStore, server: Server) -> None:
    with closing(PostgresStore(server, 0.05)) as other:
        with store.writing(), pytest.raises(LedgerError, match=r"busy: no turn to write within 0\.05 s"):
            put(other, "x")
        put(other, "y")
        assert names(other) == {"y"}


def test_the_time_is_the_servers_and_goes_on_inside_a_transaction(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 0.0)
    with store.writing() as db:
        first, second = store.clock(), store.clock()
        (now,) = db.execute("SELECT extract(epoch FROM clock_timestamp())::double precision").fetchone()
    assert 1.7e9 < first < second < now


@pytest.mark.slow
def test_a_server_that_was_restarted_is_found_again(store: PostgresStore, postgres: Cluster) -> None:
    put(store, "before")
    postgres.stop("immediate")
    try:
        with pytest.raises(LedgerError, match="there is no server there"):
            put(store, "down")
    finally:
        postgres.start()
    put(store, "after")
    assert names(store) == {"before", "after"}
    postgres.stop("immediate")
    postgres.start()
    assert store.clock() > 0
    assert names(store) == {"before", "after"}


@pytest.mark.parametrize("crash", [False, True], ids=["terminated", "server killed"])
def test_a_connection_lost_inside_a_transaction_writes_nothing_and_the_next_goes_on(
    store: PostgresStore, postgres: Cluster, crash: bool
) -> None:
    def lose() -> None:
        with store.writing() as db:
            db.execute("INSERT INTO states VALUES ('lost', 1, '')")
            if crash:
                postgres.stop("immediate")
                postgres.start()
            else:
                assert postgres.terminate("discreet ledger") == 1
            db.execute("INSERT INTO states VALUES ('lost too', 1, '')")

    with pytest.raises(LedgerError, match="was lost: nothing was written"):
        lose()
    put(store, "next")
    assert names(store) == {"next"}


def test_a_closed_ledger_says_so(store: PostgresStore) -> None:
    store.close()
    store.close()
    with pytest.raises(LedgerError, match="was closed"):
        names(store)


def test_both_sides_of_a_fork_go_on_with_connections_of_their_own(store: PostgresStore) -> None:
    put(store, "before")
    lease = store.leases.take()
    before = store._connection

    def child() -> bytes:
        assert store._connection is None, "the parent's connection was carried into the child"
        put(store, "child")
        return ",".join(sorted(names(store))).encode()

    assert in_child(child) == b"before,child"
    put(store, "after")
    assert store._connection is before, "the parent's connection was closed by the child"
    assert names(store) == {"before", "child", "after"}
    assert store.leases.alive(lease.token)


def test_a_fork_waits_until_no_thread_is_inside_a_transaction(store: PostgresStore) -> None:
    inside, ended = threading.Event(), []

    def slowly() -> None:
        with store.writing() as db:
            inside.set()
            db.execute("SELECT pg_sleep(0.2)")
            db.execute("INSERT INTO states VALUES ('thread', 1, '')")
            ended.append(True)

    thread = threading.Thread(target=slowly)
    thread.start()
    inside.wait()
    assert in_child(lambda: b",".join([*map(str.encode, names(store)), b"%d" % len(ended)])) == b"thread,1"
    thread.join()


def test_a_ledger_made_anew_behind_the_same_address_is_not_written(server: Server) -> None:
    with new(server) as ledger:
        ask(ledger)
        with tampering(server) as db:
            db.execute(f"DROP SCHEMA {server.schema} CASCADE")
        new(server).close()
        with pytest.raises(LedgerError, match=r"not the ledger that was open here.*Nothing was charged"):
            ask(ledger, "another")
    with again(server) as fresh:
        ask(fresh, "another")


def test_an_older_state_of_a_ledger_is_not_written_and_the_newest_is(server: Server) -> None:
    """A standby that had not heard of the last charge, or a backup: what was spent since would be spent again."""
    with new(server) as ledger, again(server) as other:
        ask(other, "from another host")
        ask(ledger)
        with tampering(server) as db:
            kept = db.execute("SELECT * FROM entries ORDER BY number DESC LIMIT 1").fetchone()
            head = db.execute("SELECT * FROM head").fetchone()
            assert kept is not None
            db.execute("DELETE FROM entries WHERE number = ?", kept[:1])
            before = db.execute("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
            db.execute("UPDATE head SET number = ?, hash = ?", before)
        with pytest.raises(LedgerError, match="older state of it"):
            ask(ledger, "another")
        with tampering(server) as db:
            db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", kept)
            db.execute("UPDATE head SET number = ?, hash = ?", head)
        ask(ledger, "another")
        assert ledger.verify().ok
