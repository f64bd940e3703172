"""Operations run to their end: what they await, and all that they yield."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Generator
from typing import Any

from discreet.audit.graybox.recording.tape import keep_value


def run_to_end(result: Any) -> Any:
    """Return what an operation ends with: of one that yields, all that it yielded, as it was then, and returned."""
    if inspect.iscoroutine(result):
        return run_to_end(asyncio.run(result))
    if isinstance(result, AsyncGenerator):
        return asyncio.run(_collect(result))
    if not isinstance(result, Generator):
        return result
    told: list[Any] = []
    while True:
        try:
            told.append(keep_value(next(result)))
        except StopIteration as end:
            return told if end.value is None else (told, end.value)


async def _collect(result: AsyncGenerator[Any, None]) -> list[Any]:
    return [keep_value(each) async for each in result]
