"""Tiny families for tests of fits, each question a sum over rows of a public whole number for each cell."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from discreet.base.canonical import Json
from discreet.families.domain import CellTable, ColumnSet, DenseTable, Domain
from discreet.families.family import Family, RowBound, Vector
from discreet.synthetic.fit.objective import Measured


@dataclass(frozen=True)
class TinyMarginals(Family):
    """The tables of some column sets: one group for each set."""

    domain: Domain
    sets: tuple[ColumnSet, ...]

    @property
    def groups(self) -> int:
        return len(self.sets)

    def find_columns(self, group: int) -> ColumnSet:
        return self.sets[group]

    def count_answers(self, group: int) -> int:
        return self.domain.project(self.sets[group]).cells

    def answer(self, group: int, table: CellTable) -> Vector:
        return table.ravel()

    def spread_back(self, group: int, values: Vector) -> CellTable:
        return values.reshape(self.domain.project(self.sets[group]).sizes)

    def bound_row(self, group: int) -> RowBound:
        return RowBound(1, 1)

    def describe(self) -> Json:
        return {"kind": "tiny marginals"}


@dataclass(frozen=True)
class TinyLines(Family):
    """Questions written out: each group has its columns and a line of whole numbers for each answer."""

    domain: Domain
    columns: tuple[ColumnSet, ...]
    lines: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def groups(self) -> int:
        return len(self.lines)

    def find_columns(self, group: int) -> ColumnSet:
        return self.columns[group]

    def count_answers(self, group: int) -> int:
        return len(self.lines[group])

    def answer(self, group: int, table: CellTable) -> Vector:
        return np.asarray(np.array(self.lines[group]) @ table.ravel())

    def spread_back(self, group: int, values: Vector) -> CellTable:
        sizes = tuple(self.domain.sizes[place] for place in self.columns[group])
        return np.asarray(values @ np.array(self.lines[group])).reshape(sizes)

    def bound_row(self, group: int) -> RowBound:
        lines = np.array(self.lines[group])
        return RowBound(int(np.abs(lines).sum(0).max()), int((lines**2).sum(0).max()), bool((lines < 0).any()))

    def describe(self) -> Json:
        return {"kind": "tiny lines"}


def write_parities(columns: int, sets: tuple[ColumnSet, ...]) -> TinyLines:
    """Return parities of bits, each in a group of its own: +1 where an even number of a set's bits is 1, else -1."""
    lines = []
    for chosen in sets:
        signs = np.ones(1, dtype=int)
        for _ in chosen:
            signs = np.kron(signs, [1, -1])
        lines.append((tuple(signs.tolist()),))
    return TinyLines(Domain((2,) * columns), sets, tuple(lines))


def list_sets(columns: int, most: int) -> tuple[ColumnSet, ...]:
    """Return all sets of one to so many columns."""
    return tuple(each for size in range(1, most + 1) for each in combinations(range(columns), size))


def measure(
    family: Family, counts: CellTable, deviation: float, seed: int, groups: tuple[int, ...] | None = None
) -> list[Measured]:
    """Return noisy whole answers of groups on a table of counts."""
    generator = np.random.default_rng(seed)
    source = DenseTable(family.domain, counts)
    measured = []
    for group in range(family.groups) if groups is None else groups:
        exact = family.answer(group, source.project(family.find_columns(group)))
        noise = np.rint(generator.normal(0, deviation, len(exact))).astype(np.int64)
        measured.append(Measured(family, group, exact + noise, deviation**2))
    return measured
