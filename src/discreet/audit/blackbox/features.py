"""What is looked at in an output: its numbers, what they add up to, their order, and the last bits of floats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.base.grid import Floats

MOST_COLUMNS = 64
"""Numbers of one output that are looked at one by one; of more, only what is made of all."""


def list_features(rows: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield numbers made of each output, with their names."""
    width = rows.shape[1]
    for place in range(min(width, MOST_COLUMNS)):
        yield (f"number {place}" if width > 1 else "the number"), rows[:, place]
    if width > 1:
        yield "the sum", rows.sum(axis=1)
        yield "the largest", rows.max(axis=1)
        yield "the least", rows.min(axis=1)
        yield "where the largest is", rows.argmax(axis=1).astype(np.float64)
        yield "where the least is", rows.argmin(axis=1).astype(np.float64)
        yield "how many are not 0", np.count_nonzero(rows, axis=1).astype(np.float64)
        yield "the first less the others' mean", rows[:, 0] - rows[:, 1:].mean(axis=1)
        yield "the last less the others' mean", rows[:, -1] - rows[:, :-1].mean(axis=1)
    if not np.array_equal(rows, np.rint(rows)):
        for place in range(min(width, 4)):
            yield f"the last bit of number {place}", find_last_bits(rows[:, place])


def find_last_bits(values: Floats) -> Floats:
    """Return the place of the last bit of each float that is not 0: x is odd times 2 to the power of it.

    Floats near 0 are finer than others. A sum of 1 and noise has no finer bits than the coarser of the two: what is
    left shows what was added (Mironov 2012).
    """
    fractions, powers = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = np.abs(np.ldexp(fractions, 53)).astype(np.int64)
    last = np.log2(np.maximum(whole & -whole, 1).astype(np.float64))
    return np.where(whole == 0, 0.0, powers - 53 + last)
