"""Candidates: texts that may have been reported, and the bits that each of them sets in every cohort."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.client import Texts
from discreet.local.client.domain import MOST_LETTERS
from discreet.local.client.rappor import Rappor

sparse = Later("scipy.sparse")

BitPlaces = NDArray[np.uint16]
BLOCK = 1 << 14
"""Candidates that are worked on together, so that memory does not grow with their number."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Texts and their bits. A row is a bit of a cohort; row numbers here begin at 0, and in map files at 1.

    `places` has a line for each hash of each cohort and a column for each text; a bit that an earlier hash of the
    cohort has set already stands as `bits`, which is no bit. That is two bytes for each, and no matrix.
    """

    rappor: Rappor
    names: tuple[str, ...]
    places: BitPlaces

    def __post_init__(self) -> None:
        if not self.names:
            raise ParameterError("names", self.names, "at least one candidate")
        if len(set(self.names)) < len(self.names):
            raise ParameterError("names", _find_repeated(self.names), "listed once each")
        twins = self._find_twins()
        if twins:
            told = "different bits in some cohort: keep one of them, or collect with more cohorts"
            raise ParameterError("candidates", twins, told)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.rappor.cohorts * self.rappor.bits

    @property
    def background(self) -> Floats:
        """How often each row is set by a text that is not listed, if hashes are random: 1 - (1 - 1/bits)^hashes."""
        residues = np.bincount(np.arange(256) % self.rappor.bits, minlength=self.rappor.bits) / 256
        return np.tile(1 - (1 - residues) ** self.rappor.hashes, self.rappor.cohorts)

    def sum_rows(self, values: Floats) -> Floats:
        """Return the sum of values over the rows of each candidate."""
        padded = np.zeros((self.rappor.cohorts, self.rappor.bits + 1))
        padded[:, :-1] = values.reshape(self.rappor.cohorts, self.rappor.bits)
        total = np.zeros(len(self))
        for line, places in enumerate(self.places):
            total += padded[line // self.rappor.hashes][places]
        return total

    def write_columns(self, chosen: Ints) -> Floats:
        """Return the rows of chosen candidates as a dense matrix of zeros and ones, a column for each."""
        found = np.zeros((self.rappor.cohorts, self.rappor.bits + 1, len(chosen)))
        for line, places in enumerate(self.places):
            found[line // self.rappor.hashes, places[chosen], np.arange(len(chosen))] = 1.0
        return found[:, :-1].reshape(self.rows, len(chosen))

    def write_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of candidates as sparse matrices, a line for each candidate."""
        starts = np.repeat(np.arange(self.rappor.cohorts), self.rappor.hashes) * self.rappor.bits
        for first in range(0, len(self), BLOCK):
            part = slice(first, min(first + BLOCK, len(self)))
            places = self.places[:, part].T
            ones = (places < self.rappor.bits).astype(np.float64)
            columns = np.where(ones > 0, places + starts, 0)
            ends = np.arange(len(places) + 1) * places.shape[1]
            yield part, sparse.csr_array((ones.ravel(), columns.ravel(), ends), shape=(len(places), self.rows))

    def keep(self, chosen: Sequence[int] | Ints) -> Candidates:
        """Return some of the candidates, in the order given."""
        places = np.asarray(chosen, dtype=np.int64)
        return Candidates(self.rappor, tuple(self.names[place] for place in places), self.places[:, places])

    def _find_twins(self) -> tuple[str, str] | None:
        """Return two candidates that set the same bits everywhere, if there are any: nothing tells them apart."""
        by_cohort = self.places.reshape(self.rappor.cohorts, self.rappor.hashes, len(self))
        lines = np.ascontiguousarray(np.sort(by_cohort, axis=1).reshape(len(self.places), len(self)).T)
        seen: dict[bytes, str] = {}
        for name, line in zip(self.names, lines, strict=True):
            first = seen.setdefault(line.tobytes(), name)
            if first is not name:
                return first, name
        return None


def hash_candidates(rappor: Rappor, names: Iterable[str], domain: Texts | None = None) -> Candidates:
    """Return candidates with the bits that the client would set for them, one block after another.

    `domain` is the metric's, where it has one: it says how many letters of a text count.
    """
    listed = tuple(names)
    texts = [(domain or Texts(MOST_LETTERS)).place(name) for name in listed]
    places = np.empty((rappor.cohorts * rappor.hashes, len(listed)), dtype=np.uint16)
    for cohort in range(rappor.cohorts):
        lines = slice(cohort * rappor.hashes, (cohort + 1) * rappor.hashes)
        for first in range(0, len(listed), BLOCK):
            places[lines, first : first + BLOCK] = _hash(rappor, cohort, texts[first : first + BLOCK]).T
    return Candidates(rappor, listed, places)


def read_candidates(rappor: Rappor, path: Path) -> Candidates:
    """Return the candidates of a map file: a name, then its rows from 1 on, in any order.

    A text whose hashes meet in a cohort may have its row listed once or twice; empty cells at the end are skipped.
    """
    names, lines = list[str](), list[list[int]]()
    with path.open(newline="", encoding="utf-8") as file:
        for number, cells in enumerate(csv.reader(file), start=1):
            if not cells:
                continue
            try:
                names.append(cells[0])
                lines.append([int(cell) for cell in cells[1:] if cell.strip()])
            except ValueError:
                raise ParameterError(f"line {number} of the map", cells[:4], "a name and whole numbers") from None
    return place_candidates(rappor, names, lines)


def place_candidates(rappor: Rappor, names: Sequence[str], lines: Sequence[Sequence[int]]) -> Candidates:
    """Return candidates whose rows, from 1 on, are given for each."""
    places = np.full((rappor.cohorts, rappor.hashes, len(names)), rappor.bits, dtype=np.uint16)
    last = rappor.cohorts * rappor.bits
    for column, (name, line) in enumerate(zip(names, lines, strict=True)):
        taken = np.zeros(rappor.cohorts, dtype=np.int64)
        for row in sorted(set(line)):
            cohort, place = divmod(row - 1, rappor.bits)
            if not 1 <= row <= last or taken[cohort] == rappor.hashes:
                allowed = f"rows from 1 to {last}, at most {rappor.hashes} in each cohort of {rappor.bits}"
                raise ParameterError(f"rows of {name!r}", row, allowed)
            places[cohort, taken[cohort], column] = place
            taken[cohort] += 1
        if not taken.all():
            allowed = f"at least one row in each of {rappor.cohorts} cohorts"
            raise ParameterError(f"rows of {name!r}", list(line)[:6], allowed)
    return Candidates(rappor, tuple(names), places.reshape(rappor.cohorts * rappor.hashes, len(names)))


def _hash(rappor: Rappor, cohort: int, texts: list[bytes]) -> BitPlaces:
    """Return the places of texts in a cohort, a line for each text; repeated ones are no place."""
    prefix, width = cohort.to_bytes(4, "big"), rappor.hashes
    joined = b"".join([hashlib.md5(prefix + text, usedforsecurity=False).digest()[:width] for text in texts])
    found = (np.frombuffer(joined, dtype=np.uint8).reshape(-1, width) % np.uint16(rappor.bits)).astype(np.uint16)
    marked = found.copy()
    for later in range(1, width):
        repeated = (found[:, :later] == found[:, later : later + 1]).any(axis=1)
        marked[repeated, later] = rappor.bits
    return marked


def _find_repeated(names: tuple[str, ...]) -> str:
    seen = set[str]()
    return next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
