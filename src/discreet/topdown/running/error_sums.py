"""How far estimates were off where a truth is taken for granted, added up by the size that a count has in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from discreet.answers.export import replacing
from discreet.base.grid import Floats
from discreet.base.wide import Ints

EDGES = (0, 1, 3, 10, 32, 100, 316, 1000, 3162, 10_000)
"""Where classes of size begin: nobody, one or two, three to nine, and so on."""

Z = 1.959963984540054
"""How many deviations the margin of a Gaussian estimate is, at 95 %."""

ErrorKey = tuple[str, str]
"""The names of a level and of a query."""


@dataclass(frozen=True, eq=False)
class ClassErrors:
    """Errors of one query at one level, for each class of size."""

    cells: Ints
    signed: Floats
    absolute: Floats

    def add(self, other: ClassErrors) -> ClassErrors:
        """Return both together."""
        return ClassErrors(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Sums over replications, for each class, that tell how much its mean error differs from one to the next.

    With S and n the signed sum and the number of cells of a replication: sums of S^2, of S n and of n^2. Cells of one
    replication err together, since they add up to their parents; replications are independent. So the error of a mean
    is told by what differs between replications alone.
    """

    signed_squared: Floats
    crossed: Floats
    cells_squared: Floats

    @classmethod
    def of_one(cls, errors: ClassErrors) -> ClassMoments:
        """Return those of one replication."""
        cells = errors.cells.astype(np.float64)
        return cls(errors.signed**2, errors.signed * cells, cells**2)

    def add(self, other: ClassMoments) -> ClassMoments:
        """Return the sums over more replications."""
        return ClassMoments(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def find_errors(self, sums: ClassErrors, replications: int) -> Floats:
        """Return the standard error of the mean error b of each class: a ratio of sums over replications.

        It is the root of R / (R - 1) times the sum of (S - b n)^2, over all cells; NaN where there is nothing to
        compare.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = sums.signed / sums.cells
            rest = self.signed_squared - 2 * mean * self.crossed + mean**2 * self.cells_squared
            spread = np.maximum(rest, 0.0) * replications / np.float64(replications - 1)
            return np.asarray(np.sqrt(spread) / sums.cells)


@dataclass(frozen=True, eq=False)
class AreaErrors:
    """Errors of each area of a level, added up over replications: of its total, and in all answers of one query."""

    total: Floats
    spread: Floats
    times: Ints
    """How often each area was simulated: of many small areas some are, in turn."""

    def add(self, other: AreaErrors) -> AreaErrors:
        """Return the sums over more replications."""
        return AreaErrors(self.total + other.total, self.spread + other.spread, self.times + other.times)

    def put(self, first: int, total: Floats, spread: Floats) -> None:
        """Set the errors of some areas, simulated once."""
        inside = slice(first, first + len(total))
        self.total[inside], self.spread[inside], self.times[inside] = total, spread, 1

    def average(self, name: str) -> Floats:
        """Return mean errors; NaN for areas that were never simulated."""
        with np.errstate(invalid="ignore"):
            return np.asarray(getattr(self, name) / np.where(self.times, self.times, np.nan))


@dataclass(frozen=True, eq=False)
class SimulatedErrors:
    """What all replications together say."""

    replications: int
    classes: dict[ErrorKey, ClassErrors]
    areas: tuple[AreaErrors, ...]
    """For each level, sums over replications."""
    moments: dict[ErrorKey, ClassMoments] = field(default_factory=dict)

    @classmethod
    def of_one(cls, classes: dict[ErrorKey, ClassErrors], areas: tuple[AreaErrors, ...]) -> SimulatedErrors:
        """Return what one replication says."""
        return cls(1, classes, areas, {key: ClassMoments.of_one(each) for key, each in classes.items()})

    def add(self, other: SimulatedErrors) -> SimulatedErrors:
        """Return what both say together."""
        areas = (
            [one.add(more) for one, more in zip(self.areas, other.areas, strict=True)] if self.areas else other.areas
        )
        both = add_all([self.classes, other.classes])
        moments = {**self.moments, **other.moments}
        for key in self.moments.keys() & other.moments.keys():
            moments[key] = self.moments[key].add(other.moments[key])
        return SimulatedErrors(self.replications + other.replications, both, tuple(areas), moments)


def class_sizes(counts: Ints) -> Ints:
    """Return the class of each count.

    >>> class_sizes(np.array([0, 2, 3, 99, 123456])).tolist()
    [0, 1, 2, 4, 9]
    """
    return np.asarray(np.searchsorted(EDGES, counts, side="right") - 1, dtype=np.int64)


def sum_errors(truth: Ints, found: Ints, variances: Floats) -> ClassErrors:
    """Return the errors of answers, given the variances of their least squares estimates.

    Answers that no reading determines are left out: nothing is promised of them.
    """
    known = np.isfinite(variances)
    busy = known & ((truth != 0) | (found != 0))
    classes, off = class_sizes(truth[busy]), (found - truth)[busy]
    cells = np.bincount(classes, minlength=len(EDGES))
    cells[0] += int(known.sum()) - len(off)
    return ClassErrors(cells, _add(classes, off), _add(classes, np.abs(off)))


def add_all(sums: Sequence[Mapping[ErrorKey, ClassErrors]]) -> dict[ErrorKey, ClassErrors]:
    """Return the sums of errors by level and query."""
    keys = dict.fromkeys(key for each in sums for key in each)
    return {key: reduce(ClassErrors.add, (each[key] for each in sums if key in each)) for key in keys}


def write_errors(path: Path, errors: SimulatedErrors) -> None:
    """Write what was simulated so far into a file that is there whole or not at all."""
    arrays: dict[str, Any] = {
        "keys": np.array(json.dumps(list(errors.classes))),
        "replications": errors.replications,
        "levels": len(errors.areas),
    }
    groups: tuple[tuple[str, Sequence[Any]], ...] = (
        ("class", [*errors.classes.values()]),
        ("area", errors.areas),
        ("moments", [errors.moments[key] for key in errors.classes]),
    )
    for kind, listed in groups:
        for place, each in enumerate(listed):
            arrays |= {f"{kind}-{place}-{part.name}": getattr(each, part.name) for part in fields(each)}
    with replacing(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)


def read_errors(path: Path) -> SimulatedErrors | None:
    """Return what `write_errors` wrote; None where there is nothing, or what an earlier version wrote."""
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as arrays:
        if "moments-0-crossed" not in arrays:
            return None
        keys = [(str(level), str(query)) for level, query in json.loads(str(arrays["keys"]))]
        classes = {
            key: ClassErrors(*(arrays[f"class-{place}-{part.name}"] for part in fields(ClassErrors)))
            for place, key in enumerate(keys)
        }
        moments = {
            key: ClassMoments(*(arrays[f"moments-{place}-{part.name}"] for part in fields(ClassMoments)))
            for place, key in enumerate(keys)
        }
        areas = tuple(
            AreaErrors(*(arrays[f"area-{place}-{part.name}"] for part in fields(AreaErrors)))
            for place in range(int(arrays["levels"]))
        )
        return SimulatedErrors(int(arrays["replications"]), classes, areas, moments)


def _add(classes: Ints, weights: Ints | Floats) -> Floats:
    return np.asarray(np.bincount(classes, weights=weights, minlength=len(EDGES)), dtype=np.float64)
