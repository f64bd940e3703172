"""Readings that lie in files, so that several processes look at the same ones, and no more of them than they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from discreet.answers.export import replacing
from discreet.base.wide import Ints
from discreet.topdown.measure.measurements import MeasuredQuery
from discreet.topdown.readings import LevelReading
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.spec.queries import Query

AT_ONCE = 2**22
"""How many numbers are held at a time."""

WIDTHS = (np.int16, np.int32, np.int64)
"""Numbers are kept as narrow as all of them fit: most noisy counts are small."""


@dataclass(frozen=True, eq=False)
class HeldReading:
    """The noisy answers of a query in all areas of a level, in a file."""

    level: int
    query: Query
    variance: float
    sigma: float
    path: Path

    def open(self) -> LevelReading:
        """Return the reading; its values are looked up in the file."""
        return LevelReading(self.level, self.query, self.variance, np.load(self.path, mmap_mode="r"))


def hold_measurements(measured: Sequence[MeasuredQuery], folder: Path) -> list[HeldReading]:
    """Write all measurements of a release into a folder, but for those that lie there already."""
    found = []
    for place, each in enumerate(measured):
        path = folder / f"reading-{place}.npy"
        if not path.exists():
            with replacing(path) as part:
                _write(part, (each.areas, each.query.size), partial(_list_values, each, _count_rows(each.query)))
        found.append(HeldReading(each.level, each.query, each.variance, each.noise.sigma, path))
    return found


def simulate_readings(
    readings: Sequence[HeldReading], truth: Sequence[SparseCounts], folder: Path, random: np.random.Generator
) -> list[HeldReading]:
    """Write what would be read if these were the true counts of each level: with noise anew, of the same deviation.

    The noise is rounded Gaussian noise from floats: nothing private is in it.
    """
    found = []
    for place, each in enumerate(readings):
        path = folder / f"simulated-{place}.npy"
        path.unlink(missing_ok=True)
        counts, seed = truth[each.level], int(random.integers(2**62))
        _write(path, (len(counts), each.query.size), partial(_draw, each, counts, seed))
        found.append(replace(each, path=path))
    return found


def _list_values(measured: MeasuredQuery, step: int) -> Iterator[Ints]:
    for _, reading in measured.split(step):
        yield reading.values


def _draw(reading: HeldReading, counts: SparseCounts, seed: int) -> Iterator[Ints]:
    random, step = np.random.default_rng(seed), _count_rows(reading.query)
    for first in range(0, len(counts), step):
        some = counts[first : first + step].answer(reading.query)
        noise = random.standard_normal(some.shape, dtype=np.float32)
        noise *= np.float32(reading.sigma)
        some += np.rint(noise).astype(np.int64)
        yield some


def _count_rows(query: Query) -> int:
    """Return how many areas are looked at together."""
    return max(1, AT_ONCE // query.size)


def _write(path: Path, shape: tuple[int, int], make: Callable[[], Iterable[Ints]]) -> None:
    """Write rows of numbers as one array, in the narrowest type that holds them all."""
    for width in WIDTHS:
        held = np.lib.format.open_memmap(path, mode="w+", dtype=width, shape=shape)
        if _fill(held, make()):
            held.flush()
            return


def _fill(held: Any, values: Iterable[Ints]) -> bool:
    """Copy rows; say whether all of them fit."""
    limits, first = np.iinfo(held.dtype), 0
    for some in values:
        if some.size and (some.min() < limits.min or some.max() > limits.max):
            return False
        held[first : first + len(some)] = some
        first += len(some)
    return True
