"""How good a release is, as numbers: simulated errors by level, by size of area and of cell, and how solves went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base.grid import Floats
from discreet.base.showing import ShownAsText
from discreet.base.wide import Ints
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.running.error_sums import EDGES, class_sizes
from discreet.topdown.running.size_errors import LEAST_REPLICATIONS, QueryErrors


@dataclass(frozen=True)
class SimulatedQuery:
    """The simulated error of one query at one level, over all its cells."""

    level: str
    query: str
    cells: int
    error: float
    """The mean of absolute errors."""


@dataclass(frozen=True)
class SizeError:
    """The simulated errors of the areas of a level that have about as many people."""

    level: str
    least: int
    areas: int
    total: float
    """The mean error of the number of people."""
    relative: float
    """That, as a part of the mean number of people."""
    misplaced: float
    """The share of people who are counted in another cell than their own."""


@dataclass(frozen=True, eq=False)
class AreaLevel:
    """The areas of a level, for a map: names, places of parents, people, and the share that is misplaced."""

    name: str
    areas: tuple[str, ...]
    parents: Ints
    people: Floats
    misplaced: Floats


@dataclass(frozen=True, eq=False, repr=False)
class CensusQuality(ShownAsText):
    """All that is told about the quality of a release."""

    release: CensusRelease
    queries: tuple[SimulatedQuery, ...]
    sizes: tuple[SizeError, ...]
    finest: tuple[QueryErrors, ...]
    """Errors by size of cell in the finest query, for each level."""
    levels: tuple[AreaLevel, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        told = self.release.told
        return {
            "replications": told["replications"],
            "queries": [vars(each) for each in self.queries],
            "areas": [vars(each) for each in self.sizes],
            "cells": [each.to_dict() for each in self.finest],
            "solves": told["solves"],
            "inconsistencies": told["inconsistencies"],
            "guarantee": told["receipt"]["guarantee"],
        }

    def __str__(self) -> str:
        told = self.release.told
        parts = [str(self.release), ""]
        if self.queries:
            parts += [f"Errors, simulated in {count_replications(told['replications'])}: mean of one answer", ""]
            parts += write_table(self.list_queries())
            parts += ["", "By people in an area: error of the number, share of people in a wrong cell", ""]
            parts += write_table(self.list_sizes())
            parts += ["", f"Cells of {told['finest']} by released size: {self.describe_cells()}", ""]
            parts += write_table(self.list_cells())
        parts += ["", "Solves", "", *write_table(self.list_solves()), "", *self.list_checks()]
        return "\n".join(parts)

    def list_queries(self) -> list[list[str]]:
        """Return a line for each query, and a column for each level."""
        names = list(dict.fromkeys(each.level for each in self.queries))
        found = [["query", *names]]
        for query in dict.fromkeys(each.query for each in self.queries):
            errors = {each.level: each.error for each in self.queries if each.query == query}
            found.append([query, *(f"{errors[name]:.2f}" if name in errors else "-" for name in names)])
        return found

    def list_sizes(self) -> list[list[str]]:
        """Return a line for each level and class of areas."""
        found = [["level", "people", "areas", "error", "relative", "in a wrong cell"]]
        for each in self.sizes:
            share = "-" if each.least == 0 else f"{each.relative:.2%}"
            wrong = "-" if each.least == 0 else f"{each.misplaced:.1%}"
            found.append([each.level, name_class(each.least), f"{each.areas:,}", f"{each.total:.1f}", share, wrong])
        return found

    @property
    def tells_bias(self) -> bool:
        """Whether there were replications enough to tell a bias with its error."""
        return any(each.bias_error is not None for level in self.finest for each in level.classes)

    def describe_cells(self) -> str:
        """Say what the numbers of cells are, and how to get those that are left out."""
        times = self.release.told["replications"]
        if self.tells_bias:
            return f"bias and its standard error over {times} replications, mean error"
        return (
            f"mean error. A bias is told from {LEAST_REPLICATIONS} replications on, and there were {times}: "
            f"`discreet census run ... --replications {2 * LEAST_REPLICATIONS}` makes more of them from the same "
            "measurements, for nothing"
        )

    def list_cells(self) -> list[list[str]]:
        """Return a line for each level and class of cells of the finest query."""
        found = [["level", "released size", "simulated", *(["bias", "its error"] if self.tells_bias else []), "error"]]
        for level in self.finest:
            for each in level.classes:
                bias = [] if each.bias is None else [f"{each.bias:+.2f}", f"{each.bias_error or 0.0:.2f}"]
                numbers = [*(bias if self.tells_bias else []), f"{each.error:.2f}"]
                found.append([level.level, name_class(each.least), f"{each.cells:,}", *numbers])
        return found

    def list_solves(self) -> list[list[str]]:
        """Return a line for each level: how many solves, the largest certified gap, and how they were rounded."""
        found = [["level", "solves", "largest gap", "linear programs", "mixed-integer", "failsafe", "rules broken"]]
        for each in self.release.told["solves"]:
            methods = [f"{count:,}" for count in each["methods"].values()]
            gap = f"{each['largest_gap']:.1e}"
            found.append([each["level"], f"{each['solves']:,}", gap, *methods, str(each["violated"])])
        return found

    def list_checks(self) -> list[str]:
        """Say whether the counts were checked, and what was wrong."""
        wrong = self.release.told["inconsistencies"]
        if not wrong:
            return ["checked: whole, none below 0, parents are sums of children, every invariant holds"]
        return [f"checked: {len(wrong)} things are wrong", *wrong[:20]]


def measure_quality(release: CensusRelease) -> CensusQuality:
    """Return the quality of a finished release, from its own files."""
    errors = release.errors
    queries = tuple(SimulatedQuery(each.level, each.query, each.cells, each.error) for each in errors)
    finest = tuple(each for each in errors if each.query == release.told["finest"])
    levels = _read_levels(release)
    return CensusQuality(release, queries, tuple(_class_areas(release)), finest, levels)


def count_replications(times: int) -> str:
    """Return a number of replications in words.

    >>> count_replications(1), count_replications(20)
    ('1 replication', '20 replications')
    """
    return f"{times:,} replication{'' if times == 1 else 's'}"


def name_class(least: int) -> str:
    """Return the name of a class of sizes.

    >>> name_class(0), name_class(3), name_class(10000)
    ('0', '3 to 9', '10,000 and more')
    """
    place = EDGES.index(least)
    if place == len(EDGES) - 1:
        return f"{least:,} and more"
    most = EDGES[place + 1] - 1
    return f"{least:,}" if most == least else f"{least:,} to {most:,}"


def write_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of text: the first column to the left, all others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _class_areas(release: CensusRelease) -> list[SizeError]:
    """Return the errors of areas by level and class of people."""
    table = release.areas()
    table = table.filter(table.column("total_error").is_valid())
    names = np.array(table.column("level").to_pylist(), dtype=object)
    people, total, spread = (
        np.asarray(table.column(name), dtype=np.float64) for name in ("people", "total_error", "spread_error")
    )
    classes = class_sizes(people.astype(np.int64))
    found = []
    for level in release.levels:
        for place in np.unique(classes[names == level]):
            some = (names == level) & (classes == place)
            everybody = max(float(people[some].sum()), 1.0)
            relative = float(total[some].sum()) / everybody
            misplaced = min(float(spread[some].sum()) / (2 * everybody), 1.0)
            found.append(
                SizeError(level, EDGES[int(place)], int(some.sum()), float(total[some].mean()), relative, misplaced)
            )
    return found


def _read_levels(release: CensusRelease) -> tuple[AreaLevel, ...]:
    table = release.areas()
    names = np.array(table.column("level").to_pylist(), dtype=object)
    found: list[AreaLevel] = []
    for level in release.levels:
        rows = table.filter(names == level)
        areas, above = tuple(rows.column("area").to_pylist()), rows.column("parent").to_pylist()
        places = {area: place for place, area in enumerate(found[-1].areas)} if found else {}
        parents = np.array([places.get(parent, 0) for parent in above], dtype=np.int64)
        people = np.asarray(rows.column("people"), dtype=np.float64)
        spread = np.asarray(rows.column("spread_error").fill_null(np.nan), dtype=np.float64)
        share = np.minimum(spread / np.maximum(2 * people, 1.0), 1.0)
        found.append(AreaLevel(level, areas, parents, people, _fill(share, people)))
    return tuple(found)


def _fill(share: Floats, people: Floats) -> Floats:
    """Return shares with the mean of areas of the same size for areas that were never simulated."""
    found, classes = share.copy(), class_sizes(people.astype(np.int64))
    for place in np.unique(classes[np.isnan(share)]):
        alike = share[(classes == place) & ~np.isnan(share)]
        found[(classes == place) & np.isnan(share)] = alike.mean() if len(alike) else 0.0
    return found
