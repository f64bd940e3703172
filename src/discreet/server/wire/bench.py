"""The bench: where statements are read and looked up, beside the event loop and in turn.

A long statement takes seconds to parse, and a look-up as long as it may. On the event loop, or in the threads that
check who comes in, one client would make everybody wait, and answers would miss their ticks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from discreet.server.turns import Turns

R = TypeVar("R")

THREADS, OF_EACH, WAITING = 8, 2, 1_000
"""Statements that are worked on at once, those of one analyst, and how many of one analyst wait."""


class WireBench:
    """Works for all connections of a server: analysts are taken in turn, and few of one analyst's at once."""

    def __init__(self, threads: int = THREADS, of_each: int = OF_EACH) -> None:
        self._turns = Turns(threads, of_each, WAITING)
        self._threads = ThreadPoolExecutor(threads, "discreet-bench")
        self._tasks: set[asyncio.Task[object]] = set()

    async def work(self, analyst: str, what: Callable[[], R]) -> R:
        """Do something in a thread. Whoever stops waiting keeps the turn until it is done."""
        task = asyncio.create_task(self._take_turn(analyst, what))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait for nothing that runs, and begin nothing more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _take_turn(self, analyst: str, what: Callable[[], R]) -> R:
        async with self._turns.take(analyst):
            return await asyncio.get_running_loop().run_in_executor(self._threads, what)

    def _forget(self, task: asyncio.Task[R]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever asked may have left: then nobody looks at it
