"""Turns: one analyst who sends without end does not slow down another."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from discreet.base.errors import DiscreetError


class BusyError(DiscreetError):
    """Too much was sent at once or in a short time; nothing was done. `seconds` says when to try again."""

    def __init__(self, message: str, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(message)


class Turns:
    """Lets so many run at once, of each analyst so many, and takes analysts in turn. For one event loop."""

    def __init__(self, at_once: int, of_each: int, waiting: int) -> None:
        self._at_once, self._of_each, self._most_waiting = at_once, of_each, waiting
        self._running: Counter[str] = Counter()
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def take(self, analyst: str) -> AsyncIterator[None]:
        """Wait for a turn, and give it back at the end of the block; raises where too many wait already."""
        if not self._may_begin(analyst):
            await self._queue(analyst)
        self._running[analyst] += 1
        try:
            yield
        finally:
            self._running[analyst] -= 1
            if not self._running[analyst]:
                del self._running[analyst]
            self._wake()

    def _may_begin(self, analyst: str) -> bool:
        return self._running.total() < self._at_once and self._running[analyst] < self._of_each

    async def _queue(self, analyst: str) -> None:
        queue = self._queues.setdefault(analyst, deque())
        if len(queue) >= self._most_waiting:
            raise BusyError(f"{len(queue)} of your requests wait already; nothing was done. Send fewer at once", 1.0)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._running[analyst] -= 1  # the place that was given is not used
                self._wake()
            elif turn in queue:
                queue.remove(turn)
            raise
        self._running[analyst] -= 1  # `take` counts it from here on

    def _wake(self) -> None:
        """Give free places to those who wait, analysts in turn: who was served goes behind all others."""
        progress = True
        while progress:
            progress = False
            for analyst in list(self._queues):
                queue = self._queues[analyst]
                while queue and queue[0].done():
                    queue.popleft()
                if queue and self._may_begin(analyst):
                    self._running[analyst] += 1
                    queue.popleft().set_result(None)
                    self._queues[analyst] = self._queues.pop(analyst)
                    progress = True
                if not queue:
                    self._queues.pop(analyst, None)


class Rate:
    """So many requests a minute of each name, in bursts of a few; by a bucket that fills on and on."""

    def __init__(self, a_minute: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._each, self._burst, self._clock = 60.0 / a_minute, burst, clock
        self._due: dict[str, float] = {}

    def take(self, name: str, what: str = "requests") -> None:
        """Count one request; raise where there were too many."""
        self.check(name, what)
        self.count(name)

    def check(self, name: str, what: str = "requests") -> None:
        """Raise where there were too many."""
        seconds = self._due.get(name, 0.0) + self._each - self._clock() - self._each * self._burst
        if seconds > 0:
            raise BusyError(f"too many {what} in a short time; nothing was done. Wait {seconds:.1f} s", seconds)

    def count(self, name: str) -> None:
        """Count one."""
        now = self._clock()
        if len(self._due) > 10_000:
            self._due = {each: due for each, due in self._due.items() if due > now}
        self._due[name] = max(self._due.get(name, now), now) + self._each
