"""Timing in one run on one machine: contestants alternate, and the median counts."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 5


def alternate(
    contestants: dict[str, Callable[[], Any]],
    rounds: int = ROUNDS,
    choose: Callable[[list[float]], float] = statistics.median,
) -> dict[str, float]:
    """Run all contestants in turn, `rounds` times, and return each one's median seconds, or what else is chosen."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            gc.collect()
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: choose(taken) for name, taken in seconds.items()}


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """Return a table as Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
