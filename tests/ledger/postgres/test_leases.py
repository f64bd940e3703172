"""Leases on a server: alive while their session holds them, and dead as soon as it does not."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from discreet.ledger import Server
from discreet.ledger.postgres.leases import SessionLeases
from discreet.ledger.postgres.store import PostgresStore
from servers.postgres import Cluster
from support.ledger import new, tampering
from support.sampling import in_child


@pytest.fixture
def store(server: Server) -> Iterator[PostgresStore]:
    new(server).close()
    opened = PostgresStore(server)
    yield opened
    opened.close()


@pytest.fixture
def leases(store: PostgresStore) -> SessionLeases:
    return store.leases


def wait_for(server: Server, token: str) -> None:
    """Return when nobody holds the lease any more: the server itself waits for that."""
    number = int.from_bytes(bytes.fromhex(token)[:8], signed=True)
    with tampering(server) as db:
        db.execute("SET lock_timeout = '60s'")
        db.execute("SELECT pg_advisory_xact_lock_shared(?)", (number,))


def test_a_lease_lives_until_it_is_released(leases: SessionLeases) -> None:
    lease = leases.take()
    assert leases.alive(lease.token)
    lease.release()
    lease.release()
    assert not leases.alive(lease.token)


def test_who_asks_from_another_session_is_told_the_same(leases: SessionLeases, server: Server) -> None:
    other = SessionLeases(server, 1)
    lease = leases.take()
    assert other.alive(lease.token)
    lease.release()
    assert not other.alive(lease.token)
    other.close()


def test_a_lease_that_is_dropped_is_dead(leases: SessionLeases) -> None:
    token = leases.take().token
    assert not leases.alive(token)


def test_a_lease_dropped_while_the_session_is_in_use_is_dead_afterwards(leases: SessionLeases) -> None:
    lease = leases.take()
    token = lease.token
    with leases._using():
        del lease
        assert token in leases._held
    assert token not in leases._held
    assert not leases.alive(token)


def test_every_lease_has_a_name_of_its_own(leases: SessionLeases) -> None:
    first = leases.take()
    first.release()
    second = leases.take()
    first.release()
    assert first.token != second.token
    assert leases.alive(second.token)


@pytest.mark.parametrize("token", ["-", "", "nonsense"])
def test_what_is_no_token_is_held_by_nobody(leases: SessionLeases, token: str) -> None:
    assert not leases.alive(token)


def test_a_lease_dies_with_its_process_however_it_ends(leases: SessionLeases, server: Server) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.write(writer, leases.take().token.encode())
        os.kill(os.getpid(), signal.SIGKILL)
    token = os.read(reader, 100).decode()
    os.waitpid(child, 0)
    wait_for(server, token)
    assert not leases.alive(token)
    os.close(reader)
    os.close(writer)


def test_a_child_that_releases_its_parents_lease_changes_nothing(leases: SessionLeases) -> None:
    lease = leases.take()

    def release() -> bytes:
        lease.release()
        assert leases.alive(lease.token)
        leases.take().release()
        leases.close()
        return b"done"

    assert in_child(release) == b"done"
    assert leases.alive(lease.token)


def test_a_forked_child_does_not_keep_its_parents_lease(server: Server) -> None:
    """The parent is killed while its child lives on."""
    new(server).close()
    token_pipe, leave = os.pipe(), os.pipe()
    parent = os.fork()
    if parent == 0:
        signal.alarm(60)
        store = PostgresStore(server)
        lease = store.leases.take()
        if os.fork() == 0:
            os.write(token_pipe[1], lease.token.encode())
            os.close(leave[1])
            os.read(leave[0], 1)
            os._exit(0)
        signal.pause()
    token = os.read(token_pipe[0], 100).decode()
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    wait_for(server, token)
    for end in (*token_pipe, *leave):
        os.close(end)


def test_a_session_that_is_lost_takes_its_leases_with_it_and_another_begins(
    leases: SessionLeases, postgres: Cluster
) -> None:
    lost = leases.take()
    assert postgres.terminate("discreet leases") == 1
    assert not leases.alive(lost.token)
    kept = leases.take()
    lost.release()
    assert leases.alive(kept.token)


def test_a_release_into_a_lost_session_is_no_error(leases: SessionLeases, postgres: Cluster) -> None:
    lost = leases.take()
    postgres.terminate("discreet leases")
    lost.release()
    assert not leases.alive(lost.token)


def test_there_is_nothing_to_sweep(leases: SessionLeases) -> None:
    lease = leases.take()
    leases.sweep()
    leases.forget(lease.token)
    assert leases.alive(lease.token)
