"""A clinic that is served: real worker processes, a real port, in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from discreet.curator import Curator
from discreet.curator.owner.account import open_account
from discreet.server.accounts.account import Role
from discreet.server.accounts.book import AccountBook
from discreet.server.client import Connection, connect
from discreet.server.door import FrontDoor
from discreet.server.schedule import TickSchedule
from discreet.server.serving import Address, Listening, listen, open_door
from discreet.server.workers.clerk import Clerk, Planned
from discreet.server.workers.pool import PlanWatch, WorkerPool
from discreet.server.workers.telling import tell
from support.clinic import write_policy, write_tables

ONE_WORKER = "\n[server]\nworkers = 1\nrate = 6000\n"
PROMPT = TickSchedule(free=0.0, factor=0.0)
"""Nothing waits for a tick: for tests of what is said, not when."""


class Served:
    """A server that runs: where it is, its door, and the tokens of alice, bob and carol, who owns the data."""

    def __init__(self, path: Path, tokens: dict[str, str]) -> None:
        self.path, self.tokens = path, tokens
        self.port = self.wire = 0
        self.door: FrontDoor
        self.loop: asyncio.AbstractEventLoop

    def connect(self, name: str) -> Connection:
        return connect(f"http://127.0.0.1:{self.port}", self.tokens[name])

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request as it is, and return status, headers and body."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"authorization": f"Bearer {token}"} if token else {}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            link.request(method, path, data, {**sent, **(headers or {})})
            reply = link.getresponse()
            return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
        finally:
            link.close()


def make_served_clinic(folder: Path, more: str = ONE_WORKER, **policy: Any) -> tuple[Path, dict[str, str]]:
    """Write the clinic with its analysts' accounts, and return the policy's path and the tokens."""
    write_tables(folder)
    path = folder / "policy.toml"
    path.write_text(write_policy(files=True, analysts=True, **policy) + more)
    Curator.init(path)
    return path, make_accounts(path)


def make_accounts(path: Path) -> dict[str, str]:
    """Add alice and bob, who ask, and carol, who owns the data, and return their tokens."""
    with open_account(path) as account:
        book = AccountBook(account.policy, account.ledger)
        tokens = {name: book.add(name) for name in ("alice", "bob")}
        tokens["carol"] = book.add("carol", Role.OWNER)
    return tokens


@contextmanager
def serving(path: Path, tokens: dict[str, str], schedule: TickSchedule | None = PROMPT) -> Iterator[Served]:
    """Serve a policy until the end of the block; what the server raises at its start is raised here."""
    served, began, end = Served(path, tokens), threading.Event(), asyncio.Event()
    troubles: list[BaseException] = []

    async def run() -> None:
        served.loop = asyncio.get_running_loop()
        async with open_door(path, schedule) as door:
            served.door = door
            async with listen(door, Listening(Address("127.0.0.1", 0), Address("127.0.0.1", 0))) as at:
                served.port = at.http.port
                served.wire = at.wire.port if at.wire is not None else 0
                began.set()
                await end.wait()

    def work() -> None:
        try:
            asyncio.run(run())
        except BaseException as trouble:
            troubles.append(trouble)
        finally:
            began.set()

    thread = threading.Thread(target=work, name="served")
    thread.start()
    began.wait(120)
    try:
        if troubles:
            raise troubles[0]
        yield served
    finally:
        if not troubles:
            served.loop.call_soon_threadsafe(end.set)
        thread.join(60)


class DirectPool(WorkerPool):
    """A clerk in this process, so that recorded randomness is seen by it; for one thread's event loop."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, 0)
        self._clerk = Clerk(path)

    async def start(self) -> None:
        pass

    async def call(self, method: str, *arguments: Any, watch: PlanWatch | None = None) -> Any:
        loop = asyncio.get_running_loop()

        def tell_planned(planned: Planned) -> None:
            if watch is not None:
                loop.call_soon_threadsafe(watch, planned)

        more = (tell_planned,) if method == "ask" else ()
        try:
            return await asyncio.to_thread(getattr(self._clerk, method), *arguments, *more)
        except BaseException as trouble:
            raise tell(trouble).to_error() from None

    async def close(self, seconds: float = 60.0) -> None:
        self._clerk.close()
