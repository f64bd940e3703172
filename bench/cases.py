"""What utility is measured on: tables, and the questions that every library answers at the same price and bounds.

Public tables lie in the folder that DISCREET_DATA names (`adult.csv`, `salary.csv`: whole numbers, a person a row);
where it is unset, generated ones of the same shape stand in, and `SOURCE` says so. `clinic` is always generated: many
rows a person, and nobody over the limits, so that an error is noise and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = os.environ.get("DISCREET_DATA")
SOURCE = (
    "`adult` and `salary` are the public tables"
    if FOLDER
    else "DISCREET_DATA is unset: `adult` and `salary` are generated tables of the same shape"
)
AGGREGATES = ("count", "sum", "mean", "variance", "median")
DELTA = 1e-7
GROUPS, ROWS_PER_GROUP = 4, 3
"""What a person has in the clinic, at most: groups, and rows in each."""


@dataclass(frozen=True)
class Table:
    """Columns of whole numbers; `person` names the unit's column, and None means that every row is one."""

    name: str
    columns: dict[str, np.ndarray]
    person: str | None = None


@dataclass(frozen=True)
class Case:
    """One question: an aggregate of a column between 0 and `upper`, by a key or not, at a price."""

    table: str
    aggregate: str
    column: str
    upper: int
    epsilon: float
    key: str | None = None
    delta: float = 0.0
    private: bool = False
    groups: int = 1
    rows: int = 1

    @property
    def name(self) -> str:
        """How the tables call it."""
        by = f" by {'private ' if self.private else ''}{self.key}" if self.key else ""
        whose = f", {self.groups} x {self.rows} rows a person" if load(self.table).person else ""
        return f"{self.table}: {self.aggregate}{by}{whose}, {price(self.epsilon, self.delta)}"

    @property
    def values(self) -> np.ndarray:
        """The column."""
        return load(self.table).columns[self.column]

    @cached_property
    def parts(self) -> list[np.ndarray]:
        """The column's values of each key in order; all of them without one."""
        if self.key is None:
            return [self.values]
        keys = load(self.table).columns[self.key]
        return [self.values[keys == key] for key in self.keys]

    @cached_property
    def keys(self) -> list[int]:
        """The keys that the table holds, in order."""
        return [int(key) for key in np.unique(load(self.table).columns[self.key])] if self.key else []

    @cached_property
    def units(self) -> np.ndarray:
        """How many people are in each part."""
        table = load(self.table)
        if table.person is None or self.key is None:
            return np.array([len(part) for part in self.parts])
        pairs = np.unique(np.stack([table.columns[self.key], table.columns[table.person]]), axis=1)
        return np.array([int(np.sum(pairs[0] == key)) for key in self.keys])

    @cached_property
    def truths(self) -> np.ndarray:
        """The true aggregate of each part."""
        return np.array([TRUTHS[self.aggregate](part) for part in self.parts], dtype=float)


TRUTHS: dict[str, Callable[[np.ndarray], Any]] = {
    "count": len,
    "sum": np.sum,
    "mean": np.mean,
    "variance": np.var,
    "deviation": np.std,
    "median": lambda part: np.quantile(part, 0.5, method="inverted_cdf"),
}


def price(epsilon: float, delta: float) -> str:
    """Return what a question costs, in words."""
    return f"epsilon {epsilon:g}" + (f", delta {delta:g}" if delta else "")


@cache
def load(name: str) -> Table:
    """Return a table."""
    if name == "clinic":
        return _clinic()
    if FOLDER:
        with (Path(FOLDER) / f"{name}.csv").open() as file:
            header = file.readline().strip().split(",")
            rows = np.loadtxt(file, delimiter=",", dtype=np.int64)
        return Table(name, {column.replace("-", "_"): rows[:, place] for place, column in enumerate(header)})
    draw = np.random.default_rng(7)
    size = {"adult": 48_842, "salary": 135_727}[name]
    few, many = {"adult": ("occupation", "native_country"), "salary": ("organization_name", "first_name")}[name]
    kinds = {"occupation": 15, "native_country": 42, "organization_name": 76, "first_name": 501}
    columns = {key: (kinds[key] * draw.random(size) ** 2).astype(np.int64) for key in (few, many)}
    columns["hours_per_week"] = np.clip(draw.normal(40, 12, size).round(), 0, 98).astype(np.int64)
    columns["annual_salary"] = np.clip(draw.gamma(2, 3, size).round(), 0, 32).astype(np.int64)
    return Table(name, columns)


def _clinic() -> Table:
    """Four thousand people in one to four of ten wards, with one to three visits in each, seen in 300 towns."""
    draw = np.random.default_rng(11)
    rows = []
    for person in range(4000):
        towns: set[int] = set()
        for ward in draw.choice(10, draw.integers(1, GROUPS + 1), replace=False):
            town = int(min(draw.zipf(1.4), 300))
            while town in towns:  # nobody is over the limits, by town either
                town = int(min(draw.zipf(1.4), 300))
            towns.add(town)
            for _ in range(draw.integers(1, ROWS_PER_GROUP + 1)):
                rows.append((person, int(ward), town, int(min(draw.gamma(2, 120), 1000))))
    names = ("person", "ward", "town", "cost")
    return Table("clinic", {name: np.array([row[at] for row in rows]) for at, name in enumerate(names)}, "person")


def cases() -> list[Case]:
    """Return every question, those by private keys last."""
    found: list[Case] = []
    for aggregate in AGGREGATES:
        hours, salary, cost = ("hours_per_week", 98), ("annual_salary", 32), ("cost", 1000)
        found += [
            Case("adult", aggregate, *hours, 0.1),
            Case("adult", aggregate, *hours, 1.0, "occupation"),
            Case("salary", aggregate, *salary, 0.1),
            Case("salary", aggregate, *salary, 1.0, "organization_name"),
            Case("clinic", aggregate, *cost, 1.0, rows=GROUPS * ROWS_PER_GROUP),
            Case("clinic", aggregate, *cost, 1.0, "ward", groups=GROUPS, rows=ROWS_PER_GROUP),
            Case("clinic", aggregate, *cost, 1.0, "ward", DELTA, groups=GROUPS, rows=ROWS_PER_GROUP),
        ]
    return [*sorted(found, key=lambda case: (case.table, case.key or "", case.delta)), *private_cases()]


def private_cases() -> list[Case]:
    """Return the questions whose keys are taken from the data, with a delta."""
    found = []
    for aggregate in AGGREGATES:
        found += [
            Case("adult", aggregate, "hours_per_week", 98, 1.0, "native_country", DELTA, True),
            Case("salary", aggregate, "annual_salary", 32, 1.0, "first_name", DELTA, True),
            Case("clinic", aggregate, "cost", 1000, 1.0, "town", DELTA, True, GROUPS, ROWS_PER_GROUP),
        ]
    return sorted(found, key=lambda case: case.table)
