"""The same estimates by brute force: all smallest areas' cells as one vector, and the pseudo-inverse of everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

SMALL = 1e-8


def make_schema(*sizes: int) -> CensusSchema:
    return CensusSchema(tuple(Attribute(f"a{place}", tuple(range(size))) for place, size in enumerate(sizes)))


def ask(schema: CensusSchema, **groups: Sequence[int] | None) -> Query:
    """Return a query by groups of attributes a0, a1, ...; None counts an attribute whole."""
    parts = []
    for name, given in sorted(groups.items()):
        place = int(name[1:])
        whole = tuple(range(schema.shape[place]))
        parts.append(QueryPart(place, whole if given is None else tuple(given)))
    return Query("_".join(groups) or "total", schema, tuple(parts))


def ask_all(schema: CensusSchema) -> Query:
    return ask(schema, **{f"a{place}": None for place in range(len(schema.shape))})


def grow(*levels: Sequence[int]) -> Geography:
    """Return a tree, from the number of children of each area, level by level."""
    found = [Level("level 0", ("0",), np.zeros(1, dtype=np.int64))]
    for depth, children in enumerate(levels):
        parents = np.repeat(np.arange(len(found[-1])), children).astype(np.int64)
        found.append(Level(f"level {depth + 1}", tuple(map(str, range(len(parents)))), parents))
    return Geography(tuple(found))


def read(
    geography: Geography, truth: Floats, asked: Sequence[tuple[int, Query, float]], generator: np.random.Generator
) -> list[LevelReading]:
    """Return readings of the truth (counts by smallest area and cell), with normal noise, rounded."""
    found = []
    for level, query, variance in asked:
        sums = np.zeros((len(geography.levels[level]), truth.shape[1]))
        np.add.at(sums, geography.ancestors[level], truth)
        answers = query.answer(sums)
        noisy = answers + np.rint(generator.normal(0, np.sqrt(variance), answers.shape))
        found.append(LevelReading(level, query, variance, noisy.astype(np.int64)))
    return found


def write_matrix(query: Query) -> Floats:
    """Return Q."""
    return np.asarray((query.places == np.arange(query.size)[:, None]).astype(float))


def invert(matrix: Floats) -> Floats:
    """Return the pseudo-inverse, singular values of rounding left out."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    kept = values > SMALL
    return np.asarray(right[kept].T / values[kept] @ left[:, kept].T)


@dataclass
class DenseFit:
    """Least squares over the cells of all smallest areas, from some readings in some areas."""

    geography: Geography
    readings: Sequence[LevelReading]
    within: tuple[int, int] | None = None
    """A level and an area: only readings in the area and below it count."""
    alone: bool = False
    """Whether only readings of that level count."""

    def __post_init__(self) -> None:
        cells = self.readings[0].query.schema.cells
        rows, values, exact_rows, exact_values = [], [], [], []
        for reading in self.readings:
            for area in self._list_areas(reading.level):
                matrix = np.kron(self.geography.ancestors[reading.level] == area, write_matrix(reading.query))
                if reading.variance:
                    rows.append(matrix / np.sqrt(reading.variance))
                    values.append(reading.values[area] / np.sqrt(reading.variance))
                else:
                    exact_rows.append(matrix)
                    exact_values.append(reading.values[area])
        size = cells * len(self.geography.leaves)
        self.cells = cells
        self.matrix = np.concatenate([*rows, np.zeros((1, size))])
        self.values = np.concatenate([*values, np.zeros(1)])
        exact = np.concatenate([*exact_rows, np.zeros((1, size))])
        self.start = invert(exact) @ np.concatenate([*exact_values, np.zeros(1)])
        projection = invert(exact) @ exact
        eigenvalues, vectors = np.linalg.eigh(np.eye(size) - projection)
        self.free = vectors[:, eigenvalues > 0.5]
        reduced = self.matrix @ self.free
        inverse = invert(reduced)
        self.best = self.start + self.free @ (inverse @ (self.values - self.matrix @ self.start))
        self.covariance = self.free @ inverse @ inverse.T @ self.free.T
        self.unknown = self.free @ (np.eye(len(inverse)) - inverse @ reduced) @ self.free.T

    def _list_areas(self, level: int) -> Sequence[int]:
        areas = range(len(self.geography.levels[level]))
        if self.within is None:
            return areas
        top, area = self.within
        if level < top or (self.alone and level != top):
            return []
        inside = self.geography.ancestors[level][self.geography.ancestors[top] == area]
        return sorted(set(inside.tolist()))

    def ask(self, level: int, area: int, query: Query) -> tuple[Floats, Floats]:
        """Return the estimates of the answers in an area, and their variances, infinite where not determined."""
        functions = np.kron(self.geography.ancestors[level] == area, write_matrix(query))
        variances = np.einsum("qi,ij,qj->q", functions, self.covariance, functions)
        unknown = np.einsum("qi,ij,qj->q", functions, self.unknown, functions)
        return functions @ self.best, np.where(unknown > 1e-8, np.inf, variances)

    def miss(self, level: int, area: int, histogram: Floats) -> float:
        """Return the least weighted sum of squares, if the area's histogram is this; infinite if it cannot be."""
        sums = np.kron(self.geography.ancestors[level] == area, np.eye(self.cells))
        inverse = invert(sums @ self.free)
        wanted = histogram - sums @ self.start
        if np.abs(sums @ self.free @ inverse @ wanted - wanted).max() > 1e-6:
            return np.inf
        start = self.start + self.free @ inverse @ wanted
        rest = self.matrix @ self.free @ (np.eye(self.free.shape[1]) - inverse @ sums @ self.free)
        gap = self.values - self.matrix @ start
        gap = gap - rest @ (invert(rest) @ gap)
        return float(gap @ gap)
