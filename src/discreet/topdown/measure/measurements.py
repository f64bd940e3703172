"""What was measured: noisy answers by level and query, read from the ledger a run of areas at a time.

A record holds the names of parts, by their hashes, and no number. So what is read here follows from the record alone: a
part that is missing, or is not what its hash says, is an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from discreet.base.canonical import Json, write_json
from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.curator.door.kept_parts import KeptPart, unpack_numbers
from discreet.mechanisms import Gaussian
from discreet.topdown.measure.asked import AskedQuery
from discreet.topdown.planning.rounded_variance import compute_rounded_variance
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.queries import Query

ReadPart = Callable[[str], bytes]
"""How a part is read by its name: `session.read_part`."""

VERSION = 1


@dataclass(eq=False)
class MeasuredQuery:
    """The noisy answers of a query in all areas of a level, where they lie. One part is held at a time."""

    level: int
    query: Query
    noise: Gaussian
    parts: tuple[KeptPart, ...]
    read_part: ReadPart
    _held: tuple[str, Ints] | None = field(default=None, repr=False)

    @property
    def areas(self) -> int:
        """How many areas there are."""
        return self.parts[-1].last

    @property
    def variance(self) -> float:
        """The variance of the noise of each answer, rounding included."""
        return compute_rounded_variance(self.noise.sigma)

    def read(self, first: int = 0, last: int | None = None) -> LevelReading:
        """Return the answers of some areas, a line for each, or of all."""
        end = self.areas if last is None else last
        if not 0 <= first <= end <= self.areas:
            raise ParameterError("areas", (first, last), f"a run of areas within 0 and {self.areas}")
        found = [
            self._load(part)[max(first - part.first, 0) : end - part.first]
            for part in self.parts
            if part.first < end and first < part.last
        ]
        values = np.concatenate([np.empty((0, self.query.size), dtype=np.int64), *found])
        return LevelReading(self.level, self.query, self.variance, values)

    def split(self, most: int) -> Iterator[tuple[int, LevelReading]]:
        """Yield runs of at most so many areas, each with its first area: no more than a part is read at a time."""
        for part in self.parts:
            for first in range(part.first, part.last, max(1, most)):
                yield first, self.read(first, min(first + max(1, most), part.last))

    def _load(self, part: KeptPart) -> Ints:
        if self._held is None or self._held[0] != part.name:
            self._held = part.name, unpack_numbers(self.read_part(part.name))
        return self._held[1]


@dataclass(frozen=True, eq=False)
class CensusMeasurements(Sequence[MeasuredQuery]):
    """All that a census release measured, in the order in which it was asked."""

    measured: tuple[MeasuredQuery, ...]

    def __len__(self) -> int:
        return len(self.measured)

    @overload
    def __getitem__(self, place: int) -> MeasuredQuery: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[MeasuredQuery]: ...

    def __getitem__(self, place: int | slice) -> MeasuredQuery | Sequence[MeasuredQuery]:
        return self.measured[place]

    def find_level(self, level: int) -> tuple[MeasuredQuery, ...]:
        """Return what was measured at one level."""
        return tuple(each for each in self.measured if each.level == level)

    def read_level(self, level: int, first: int = 0, last: int | None = None) -> list[LevelReading]:
        """Return all readings of one level, of some of its areas or of all."""
        return [each.read(first, last) for each in self.find_level(level)]

    def read_all(self) -> list[LevelReading]:
        """Return all readings whole: for geographies that fit into memory."""
        return [each.read() for each in self.measured]

    def check(self) -> int:
        """Read every part, or raise at the first that is missing or was changed; return how many bytes they have."""
        return sum(len(each.read_part(part.name)) for each in self.measured for part in each.parts)


def write_record(kept: Sequence[tuple[KeptPart, ...]]) -> bytes:
    """Return what is recorded: for each measurement, the names of its parts and where they end."""
    listed: list[Json] = [[[part.name, part.last] for part in parts] for parts in kept]
    return write_json({"version": VERSION, "parts": listed}).encode()


def read_record(
    measured: bytes, asked: Sequence[AskedQuery], noises: Sequence[Gaussian], read: ReadPart
) -> CensusMeasurements:
    """Return the measurements of what `write_record` wrote."""
    form = json.loads(measured)
    if form["version"] != VERSION:
        raise ParameterError("version", form["version"], f"{VERSION}: use the program that wrote this record")
    found = []
    for each, noise, listed in zip(asked, noises, form["parts"], strict=True):
        ends = [0, *(last for _, last in listed)]
        parts = tuple(KeptPart(name, first, last) for first, (name, last) in zip(ends, listed, strict=False))
        found.append(MeasuredQuery(each.level, each.query, noise, parts, read))
    return CensusMeasurements(tuple(found))
