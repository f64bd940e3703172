"""Families at size: the fast transform beside plain butterflies, and many parities of many columns from rows.

Alone: `.venv/bin/python bench/families.py`. Seconds are of the processor, so that what else runs does not count.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.families import DenseTable, Domain, Marginals, Parities, Ranges, RowTable
from discreet.families.hadamard import transform
from timing import markdown

ROUNDS = 3
BITS = (20, 22, 24)
PARITIES = ((20, 3), (100, 3), (1000, 2))
ROWS = 20_000


def butterflies(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the transform as it is usually written in numpy."""
    table = numbers.copy()
    width = 1
    while width < table.size:
        pairs = table.reshape(-1, 2, width)
        first, second = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        pairs[:, 0], pairs[:, 1] = first, second
        width *= 2
    return table


def spent(work: Callable[[], Any]) -> float:
    """Return the median seconds of the processor."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def transforms() -> str:
    rows = []
    for bits in BITS:
        counts = np.random.default_rng(bits).integers(0, 9, 1 << bits) * (np.arange(1 << bits) % 97 == 0)
        for name, table in (("counts", counts), ("large numbers", counts << 20), ("floats", counts / 3)):
            slow, fast = butterflies(table), transform(table)
            same = (slow == fast).all() if table.dtype == np.int64 else np.allclose(slow, fast)
            if not same:
                raise SystemExit(f"2^{bits} {name}: the transforms differ")
            plain, ours = spent(partial(butterflies, table)), spent(partial(transform, table))
            rows.append([f"2^{bits}", name, f"{plain:.3f}", f"{ours:.3f}", f"{plain / ours:.1f}"])
    return markdown(["cells", "of", "butterflies (s)", "ours (s)", "times"], rows)


def parities() -> str:
    rows = []
    for columns, order in PARITIES:
        domain = Domain((2,) * columns)
        generator = np.random.default_rng(columns)
        table = RowTable(domain, tuple(generator.integers(0, 2, ROWS) for _ in range(columns)))
        made = spent(partial(Parities.up_to, domain, order))
        family = Parities.up_to(domain, order)
        answered = spent(partial(family.join_answers, table))
        rows.append([f"{columns}", f"{family.groups:,}", f"{ROWS:,}", f"{made:.3f}", f"{answered:.3f}"])
    return markdown(["columns", "parities", "rows", "made (s)", "answered (s)"], rows)


def others() -> str:
    binary, plane = Domain((2,) * 16), Domain((1024, 1024))
    generator = np.random.default_rng(1)
    rows = RowTable(binary, tuple(generator.integers(0, 2, ROWS) for _ in range(16)))
    table = DenseTable(plane, generator.integers(0, 9, (1024, 1024)))
    ends = np.sort(generator.integers(0, 1024, (2000, 2, 2)), axis=2)
    boxes = Ranges(plane, (0, 1), tuple(tuple((int(low), int(high) + 1) for low, high in box) for box in ends))
    marginals = Marginals.of_order(binary, 3)
    wide = Domain((2,) * 20)
    dense, cells = Marginals.of_order(wide, 3), DenseTable(wide, table.table.reshape(wide.sizes))
    works: dict[str, Callable[[], Any]] = {
        f"{marginals.groups} three-way marginals of {ROWS:,} rows": lambda: marginals.answer_all(rows),
        f"{dense.groups:,} three-way marginals of 2^20 cells": lambda: dense.answer_all(cells),
        "2,000 boxes of 2^20 cells": lambda: boxes.join_answers(table),
    }
    return markdown(["what", "seconds"], [[what, f"{spent(work):.3f}"] for what, work in works.items()])


if __name__ == "__main__":
    for report in (others, parities, transforms):
        print(report(), end="\n\n", flush=True)
