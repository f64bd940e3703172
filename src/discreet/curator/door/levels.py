"""Counts of all areas of a level: every answer of a query in every area, with noise, kept in parts. For the desk alone.

A census counts people by area and cell, at several levels, a hundred million answers and more. The plan's columns are
whole numbers: the code of a row's smallest area, one number or several, and last the cell that the row lies in.
`AreaCounts` holds public arrays which say where a row is counted: code -> smallest area -> area of the level, and cell
-> answer. A row whose code is none of these is counted nowhere, at no level; nothing tells how many such rows there
are.

Theorem. Whatever the arrays are, they make one function from a row to one place among all answers of all areas, or to
none. So the exact answers are a histogram of the kept rows: each row adds 1 to at most one of them. A unit with m rows
moves them by m in L2 at most, and under replace neighbours, where each row may go from one place to another, by
m times the root of 2 (`PARTITION.bound_l2_squared`). Noise of one sigma is added to every answer, also of areas
without a row, so one measurement is a Gaussian mechanism of mu = m / sigma, or the root of 2 times that.

Parts. Answers are drawn and kept a run of areas at a time, so that memory stays bounded. Parts are disjoint runs of
*one* vector: a unit that moves answers in two of them moves the vector by no more, so the measurement is paid for once,
before its first part. It is one call of the desk, which draws each part of the list once, in order: nobody can ask for
one part twice, or for one more. How areas are cut into parts follows from public numbers.

Where they are. A part is written under its hash where the ledger keeps large answers (`ledger/parts.py`), and is
durable before the journal's row that holds this hash, which is fenced by the lease and durable before the run sees it:
also where a schedule journals every so many draws.
A run that dies before the row has told nobody of its part, which nothing names: its rerun draws another. One that dies
after it finds the row, and draws nothing. The record of the whole holds names of parts and no number, so nothing large
is written twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.base.canonical import Json, hash_json
from discreet.base.errors import OperationError
from discreet.base.wide import Ints
from discreet.curator.door.cells import CountedUnit
from discreet.curator.door.kept_parts import KeptPart, pack_numbers
from discreet.curator.door.recorder import Recorder
from discreet.curator.door.unit_time import check_unit_time
from discreet.engines.held import RowTally
from discreet.families.family import PARTITION
from discreet.mechanisms import Gaussian
from discreet.plan.grid import ClampedGrid
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import Loss
from discreet.privacy.charges import Charge
from discreet.query.cost import cost_counts, lose_counts

MOST_ANSWERS = 1 << 22
"""Answers in one part, which have at most eight bytes each; an area is never cut."""

ROW_TIME = 1_000
"""Nanoseconds that a row takes at the most: to be sorted, and to be counted in one measurement."""


class Parts(Protocol):
    """Where parts are kept, each under its hash."""

    def write(self, data: bytes) -> str:
        """Keep a part, durably, and return its name."""

    def read(self, name: str) -> bytes:
        """Return a part, or raise where it is missing or was changed."""


@dataclass(frozen=True, slots=True, eq=False)
class AreaCodes:
    """The codes of all smallest areas, a line for each: all different, so that a row has one area at most."""

    numbers: Ints
    name: str = field(init=False)
    """Their hash."""

    def __post_init__(self) -> None:
        """Keep a plain copy, and refuse a code that two areas have."""
        object.__setattr__(self, "numbers", _copy_whole(self.numbers, 2))
        object.__setattr__(self, "name", hash_numbers(self.numbers))
        self.find(self.numbers[:0])

    def find(self, wanted: Ints) -> Ints:
        """Return the place of each wanted code among the areas; -1 for none.

        Codes of several numbers are told apart number by number: pairs of a rank so far and the rank of the next number
        are ranked anew, so that no number here is larger than the square of how many codes there are.
        """
        codes = self.numbers
        ranks, found = np.zeros(len(codes), dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
        known = np.ones(len(wanted), dtype=bool)
        for column in range(codes.shape[1]):
            values, own = np.unique(codes[:, column], return_inverse=True)
            at, same = _find_sorted(values, wanted[:, column])
            kinds, ranks = np.unique(ranks * len(values) + own, return_inverse=True)
            found, paired = _find_sorted(kinds, found * len(values) + at)
            known &= same & paired
        if int(ranks.max()) + 1 < len(codes):
            raise OperationError("two smallest areas have one code; give each its own")
        places = np.empty(len(codes), dtype=np.int64)
        places[ranks] = np.arange(len(codes))
        return np.where(known, places[found], -1)


@dataclass(frozen=True, slots=True, eq=False)
class AreaCounts:
    """Where a row is counted: `areas[i]` is the area of the level in which smallest area i lies, and `answers[c]` the
    answer in which cell c is counted. Areas rise from 0, and none is left out."""

    codes: AreaCodes
    areas: Ints
    answers: Ints

    def __post_init__(self) -> None:
        """Keep plain copies: what is hashed is then what is used, and no code of a caller meets an exact number."""
        if type(self.codes) is not AreaCodes:
            raise OperationError("areas have AreaCodes: a line of whole numbers for each")
        for name in ("areas", "answers"):
            object.__setattr__(self, name, _copy_whole(getattr(self, name), 1))
        steps = np.diff(self.areas)
        if len(self.codes.numbers) != len(self.areas) or self.areas[0] != 0 or np.any((steps < 0) | (steps > 1)):
            raise OperationError("each smallest area has a code and an area of the level: 0, then rising by 1 or not")
        if self.answers.min() < 0:
            raise OperationError("answers are numbered from 0 on")

    @property
    def many(self) -> int:
        """How many areas the level has."""
        return int(self.areas[-1]) + 1

    @property
    def size(self) -> int:
        """How many answers each area has."""
        return int(self.answers.max()) + 1

    def describe(self) -> list[str]:
        """Return the form: hashes of all three arrays."""
        return [self.codes.name, hash_numbers(self.areas), hash_numbers(self.answers)]

    def split(self) -> list[tuple[int, int]]:
        """Return runs of areas, each but the last with as many as a part holds: together every area, once."""
        each = max(1, MOST_ANSWERS // self.size)
        return [(first, min(first + each, self.many)) for first in range(0, self.many, each)]

    def count(self, rows: PlacedRows, first: int, last: int) -> Ints:
        """Return the exact answers of some areas, a line for each: private."""
        low, high = np.searchsorted(self.areas, (first, last))
        begin, end = np.searchsorted(rows.places, (low, high))
        areas = self.areas[rows.places[begin:end]] - first
        found = np.zeros((last - first) * self.size, dtype=np.int64)
        np.add.at(found, areas * self.size + self.answers[rows.cells[begin:end]], rows.counts[begin:end])
        return found.reshape(last - first, self.size)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRows:
    """Rows by smallest area and cell: how many there are of each kind, the areas in their order. Private."""

    places: Ints
    cells: Ints
    counts: Ints


def place_rows(tally: RowTally, codes: AreaCodes) -> PlacedRows:
    """Return rows by the place of their area; those of no area are left out."""
    places = codes.find(tally.points[:, :-1])
    order = np.argsort(places, kind="stable")
    order = order[np.searchsorted(places[order], 0) :]
    return PlacedRows(places[order], tally.points[order, -1], tally.counts[order])


def _find_sorted(values: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return a place among sorted values for each wanted one, and whether it stands there."""
    at = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return at, values[at] == wanted


def check_areas(plan: RowsPlan, areas: AreaCounts, noise: Gaussian) -> None:
    """Refuse areas of another plan than this, and noise that is not Gaussian on whole numbers."""
    if type(areas) is not AreaCounts:
        raise OperationError("areas are counted by AreaCounts: a code for each, and an answer for each cell")
    codes = areas.codes.numbers
    if type(noise) is not Gaussian or noise.grid is not None:
        raise OperationError("areas are counted with Gaussian noise, in whole numbers: give Gaussian(sigma)")
    if any(column.grid.step != 1 for column in plan.columns) or len(plan.columns) != codes.shape[1] + 1:
        raise OperationError("areas are counted from columns of whole numbers: those of an area's code, and a cell")
    *parts, cell = (column.grid for column in plan.columns)
    if any(not _lie_within(part, each) for part, each in zip(parts, codes.T, strict=True)):
        raise OperationError("an area has a code that none of the plan's rows can have: another geography was planned")
    if cell.lower != 0 or cell.upper + 1 != len(areas.answers):
        raise OperationError(f"rows lie in cells from {cell.lower} to {cell.upper}; give an answer for each, from 0 on")
    if areas.size > MOST_ANSWERS:
        raise OperationError(f"an area has at most {MOST_ANSWERS:,} answers")
    check_unit_time(plan, ROW_TIME)


def _lie_within(grid: ClampedGrid, numbers: Ints) -> bool:
    return grid.lower <= int(numbers.min()) and int(numbers.max()) <= grid.upper


def cost_areas(unit: CountedUnit, noise: Gaussian) -> tuple[Charge, Loss]:
    """Return what one measurement costs and loses, whatever its areas and answers are: every row is in one at most."""
    l1, l2_squared = PARTITION.bound_l1(unit.rows, unit.factor), PARTITION.bound_l2_squared(unit.rows, unit.factor)
    return cost_counts(l1, l2_squared, noise), lose_counts(l1, l2_squared, noise)


def release_areas(
    recorder: Recorder,
    call: Mapping[str, Json],
    plan: RowsPlan,
    areas: AreaCounts,
    noise: Gaussian,
    read: Callable[[], PlacedRows],
    parts: Parts,
) -> tuple[KeptPart, ...]:
    """Pay for one measurement, draw each of its parts once, and return where they are."""
    cost, loss = cost_areas(plan, noise)
    runs, names = areas.split(), []
    with recorder.lock:
        for first, last in runs:
            asked: Json = {**call, "part": [first, last]}
            draw = partial(_keep_part, areas, noise, read, parts, first, last)
            if first == 0:
                names.append(recorder.answer(asked, cost, loss, draw))
            else:
                names.append(recorder.draw(hash_json(asked), draw))
            recorder.flush()
    return tuple(KeptPart(name.decode(), *run) for name, run in zip(names, runs, strict=True))


def _keep_part(
    areas: AreaCounts, noise: Gaussian, read: Callable[[], PlacedRows], parts: Parts, first: int, last: int
) -> bytes:
    """Draw one part, keep it, and return its name, which is journaled."""
    noisy = noise.release(areas.count(read(), first, last))
    return parts.write(pack_numbers(noisy)).encode()


def hash_numbers(numbers: NDArray[np.int64]) -> str:
    """Return the hash of an array of whole numbers, and of its shape."""
    told = hashlib.sha256(repr(numbers.shape).encode())
    told.update(numbers.astype("<i8").tobytes())
    return told.hexdigest()


def _copy_whole(numbers: NDArray[np.int64], axes: int) -> Ints:
    """Return a plain array of the same numbers that nobody else holds, and nobody can make writable."""
    copied = np.array(numbers, copy=True, subok=False)
    if copied.dtype != np.int64 or copied.ndim != axes or not copied.size:
        raise OperationError("codes, areas and answers are arrays of 64-bit whole numbers, with at least one each")
    return np.frombuffer(copied.tobytes(), dtype=np.int64).reshape(copied.shape)
