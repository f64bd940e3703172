"""Leases as locks of a session: PostgreSQL frees them when the session ends, however it ends.

A lease is a random token, beside the charge in the ledger, and an advisory lock whose number is the token's first 64
bits. All leases of a process are held by one session of their own, so nothing that happens to a transaction touches
them. When the session is lost they all are: another may run the charge at once, and puts its own token beside it; the
old holder can record nothing then. The lock lives in the server, so who asks from which host does not matter.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from discreet.base.errors import LedgerError
from discreet.ledger.postgres.connect import abandon, connect, load_driver
from discreet.ledger.postgres.errors import explain_errors
from discreet.ledger.postgres.server import Server

if TYPE_CHECKING:
    import psycopg

_TAKE = "SELECT pg_try_advisory_lock(%s)"
_GIVE = "SELECT pg_advisory_unlock(%s)"
_HELD = """
SELECT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid::bigint << 32 | objid::bigint = %s
)
"""


class SessionLease:
    """The right to run one charge, until it is released, dropped, or its process or session ends."""

    def __init__(self, leases: SessionLeases, token: str) -> None:
        self.token = token
        self._leases = leases
        self._finalizer = weakref.finalize(self, leases.drop, token)
        self._finalizer.atexit = False

    @property
    def held(self) -> bool:
        """Whether this process still holds it: not after a release, and not in a forked child."""
        return self._finalizer.alive and self._leases.holds(self.token)

    def release(self) -> None:
        """Give the lease up; doing so again changes nothing. In a forked child the parent's lease stays."""
        if self._finalizer.detach():
            self._leases.release(self.token)


class SessionLeases:
    """The leases that this process holds on one server."""

    def __init__(self, server: Server, patience: float) -> None:
        self._server, self._patience = server, patience
        self._mutex = threading.Lock()
        self._connection: psycopg.Connection | None = None
        self._held: set[str] = set()
        self._dropped: deque[str] = deque()

    def take(self) -> SessionLease:
        """Return a new lease, held."""
        with self._using():
            token = secrets.token_hex(16)
            if not self._ask(_TAKE, token):  # another program may lock any number
                raise LedgerError("a new lease is held by somebody else. Ask again")
            self._held.add(token)
        return SessionLease(self, token)

    def holds(self, token: str) -> bool:
        """Say whether this process holds that lease, as far as it knows."""
        return token in self._held

    def alive(self, token: str) -> bool:
        """Say whether the holder of that token still runs: its session is there and holds the lock."""
        try:
            with self._using():
                return bool(self._ask(_HELD, token))
        except ValueError:
            return False

    def release(self, token: str) -> None:
        """Give a lease up, if this process still holds it."""
        with self._using():
            self._unlock(token)

    def drop(self, token: str) -> None:
        """Give up a lease that nobody refers to any more; this may be called from inside any other call."""
        self._dropped.append(token)
        self._drain()

    def forget(self, token: str) -> None:
        """Do nothing: a lease that is over leaves nothing behind."""

    def sweep(self) -> None:
        """Do nothing: crashes leave nothing behind."""

    def close(self) -> None:
        """End the session, and so every lease."""
        with self._mutex:
            self._lose()

    def hold(self) -> None:
        """Wait until no thread uses the session; `go_on` ends this. For a fork."""
        self._mutex.acquire()

    def go_on(self, *, child: bool) -> None:
        """Let threads go on; a child has none of its parent's leases."""
        if child:
            connection, self._connection = self._connection, None
            self._held.clear()
            self._dropped.clear()
            if connection is not None:
                abandon(connection)
        self._mutex.release()

    @contextlib.contextmanager
    def _using(self) -> Iterator[None]:
        try:
            with self._mutex, explain_errors(self._server, self._patience):
                yield
        finally:
            self._drain()

    def _drain(self) -> None:
        """Give up what was dropped, unless somebody uses the session now, who does it afterwards."""
        while self._dropped and self._mutex.acquire(blocking=False):
            try:
                self._unlock(self._dropped.popleft())
            except IndexError:
                return
            finally:
                self._mutex.release()

    def _unlock(self, token: str) -> None:
        if token not in self._held:
            return
        self._held.discard(token)
        try:
            if self._connection is not None:
                self._connection.execute(_GIVE, (_number(token),))
        except load_driver().Error:  # nothing is held any more where the session is lost, and it is lost now
            self._lose()

    def _ask(self, query: Any, token: str) -> Any:
        """Return what a query says about a token; a session that was lost is begun anew, without its leases."""
        number = _number(token)
        if self._connection is not None:
            try:
                return (self._connection.execute(query, (number,)).fetchone() or (None,))[0]
            except load_driver().OperationalError:
                self._lose()
        self._connection = connect(self._server, self._patience, "leases")
        return (self._connection.execute(query, (number,)).fetchone() or (None,))[0]

    def _lose(self) -> None:
        connection, self._connection = self._connection, None
        self._held.clear()
        if connection is not None:
            connection.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            self._lose()


def _number(token: str) -> int:
    return int.from_bytes(bytes.fromhex(token)[:8], signed=True)
