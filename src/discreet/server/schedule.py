"""The public schedule: when replies leave.

How long a run took, and whether somebody else had asked before, must not be read off a clock. A reply that was asked
for at time t leaves at t + W, or at t + 2 W, t + 3 W and so on where it is not there yet. W is public: for a question
it comes from its plan and declared sizes (`query/public_time.py`), whether the answer is new, another's, or failed; for
what is free it is one short time for all. What this analyst has received before leaves at once.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

FREE = 0.25
"""Seconds for what is free: tables, prices, budgets, refusals before a charge."""

SLACK = 0.005
"""Seconds by which a tick that was just missed is still taken."""


class TickSchedule:
    """Makes replies wait for their tick, and counts those that were not there at their first one."""

    def __init__(self, free: float = FREE, factor: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._factor, self._clock = free, factor, clock
        self.late = 0

    def now(self) -> float:
        """Return the time by which ticks are counted."""
        return self._clock()

    async def leave_free(self, arrived: float) -> None:
        """Wait for the tick of a reply that is free."""
        await self._wait(arrived, self._free)

    async def leave(self, arrived: float, seconds: float) -> None:
        """Wait for the tick of an answer with this public time, or of its refusal after a charge."""
        if await self._wait(arrived, seconds * self._factor):
            self.late += 1

    async def _wait(self, arrived: float, step: float) -> bool:
        """Wait for the next tick; say whether it is not the first."""
        if step <= 0:
            return False
        ticks = max(1, math.ceil((self._clock() - arrived - SLACK) / step))
        await asyncio.sleep(max(0.0, arrived + ticks * step - self._clock()))
        return ticks > 1
