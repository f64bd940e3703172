"""The pool of worker processes: hands calls to whichever has least to do, and replaces those that die."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from discreet.base.errors import PendingError
from discreet.server.workers.clerk import Planned
from discreet.server.workers.telling import PENDING, ServerError
from discreet.server.workers.worker import ClerkCall, Reply, work

PlanWatch = Callable[[Planned], None]


class Worker:
    """One process, its pipe, and the calls that wait for it. Used from one event loop."""

    def __init__(self, path: Path, gone: Callable[[Worker], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other, str(path)), name="discreet-worker", daemon=False)
        self._gone, self._loop = gone, asyncio.get_running_loop()
        self._waiting: dict[int, tuple[asyncio.Future[Any], PlanWatch | None]] = {}
        self.ready: asyncio.Future[None] = self._loop.create_future()
        self._process.start()
        other.close()
        threading.Thread(target=self._read, args=(self._pipe,), name="discreet-replies", daemon=True).start()

    @property
    def busy(self) -> int:
        """How many calls it has to answer."""
        return len(self._waiting)

    async def call(self, call: ClerkCall, watch: PlanWatch | None) -> Any:
        """Have the clerk do something, and wait for the result. Whoever stops waiting does not stop what runs."""
        future: asyncio.Future[Any] = self._loop.create_future()
        self._waiting[call.number] = future, watch
        try:
            self._pipe.send(call)
        except OSError:
            self._waiting.pop(call.number, None)
            raise PendingError(PENDING) from None
        return await asyncio.shield(future)

    def close(self) -> None:
        """Let the process end once what runs there is recorded."""
        with contextlib.suppress(OSError):
            self._pipe.send(None)

    def join(self, seconds: float) -> None:
        """Wait for the process to end, so long at most."""
        self._process.join(seconds)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _read(self, pipe: Connection) -> None:
        while True:
            try:
                reply = pipe.recv()
            except (EOFError, OSError):
                pipe.close()
                self._post(self._lose)
                return
            self._post(self._take, reply)

    def _post(self, what: Callable[..., None], *given: Any) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what, *given)

    def _take(self, reply: Reply) -> None:
        if reply.number == 0:
            if reply.error is None:
                self.ready.set_result(None)
            else:
                self.ready.set_exception(reply.error.to_error())
            return
        future, watch = self._waiting[reply.number]
        if reply.planned is not None:
            if watch is not None:
                watch(reply.planned)
            return
        del self._waiting[reply.number]
        if future.cancelled():
            return
        if reply.error is not None:
            future.set_exception(reply.error.to_error())
            future.exception()  # whoever asked may have left: then nobody looks at it
        else:
            future.set_result(reply.result)

    def _lose(self) -> None:
        """Tell everybody who waits that the process is gone: what was charged is found by asking again."""
        waiting, self._waiting = self._waiting, {}
        for future, _ in waiting.values():
            if not future.done():
                future.set_exception(PendingError(PENDING))
                future.exception()
        if not self.ready.done():
            self.ready.set_exception(ServerError("a worker process ended before it had begun"))
            self.ready.exception()
        self._gone(self)


class WorkerPool:
    """Worker processes for one policy. A process that dies is replaced, and its callers are told to ask again."""

    def __init__(self, path: Path, count: int = 2) -> None:
        self._path, self._count = path, count
        self._workers: list[Worker] = []
        self._numbers = itertools.count(1)
        self._closing = False
        self.deaths = 0

    async def start(self) -> None:
        """Start all processes; raises what the first of them says is wrong."""
        self._workers = [Worker(self._path, self._replace) for _ in range(self._count)]
        await asyncio.gather(*(worker.ready for worker in self._workers))

    async def call(self, method: str, *arguments: Any, watch: PlanWatch | None = None) -> Any:
        """Have a worker do something; `watch` is told what was planned before anything is charged."""
        return await self._send(ClerkCall(next(self._numbers), method, arguments), watch)

    async def call_owner(self, method: str, *arguments: Any) -> Any:
        """Have a worker do something that is for owners alone: whoever calls this has seen that it is one."""
        return await self._send(ClerkCall(next(self._numbers), method, arguments, owner=True), None)

    async def _send(self, call: ClerkCall, watch: PlanWatch | None) -> Any:
        worker = min(self._workers, key=lambda each: each.busy)
        await asyncio.shield(worker.ready)
        return await worker.call(call, watch)

    async def close(self, seconds: float = 60.0) -> None:
        """End all processes once what runs there is recorded."""
        self._closing = True
        for worker in self._workers:
            worker.close()
        await asyncio.gather(*(asyncio.to_thread(worker.join, seconds) for worker in self._workers))

    def _replace(self, dead: Worker) -> None:
        if self._closing or dead not in self._workers:
            return
        self.deaths += 1
        self._workers[self._workers.index(dead)] = Worker(self._path, self._replace)
