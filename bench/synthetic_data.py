"""The public tables that synthetic data is measured on, from the folder that DISCREET_DATA names.

Errors on generated stand-ins would say nothing beside published ones, so without the folder nothing is measured.

How numbers become cells. Public experiments with the reference give a column the cells 0 to its largest value; that is
done here too, with bounds written down instead of looked up: Transfusion's recency is 0 to 74 months and its frequency
0 to 50 donations. Its monetary column is a volume, 250 cc a donation: 51 cells of 250 cc (`transfusion monetary`), or
one cell a cc as in those experiments (`transfusion monetary cc`, 12,501 cells of which 33 are taken). Adult's columns
are cells already, as its domain file says: 100 of capital loss, 85 of age by 99 of hours.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Counts, shares or answers: plain arrays."""


@dataclass(frozen=True)
class Cells:
    """A table as counts, one axis a column."""

    name: str
    counts: Numbers

    @property
    def total(self) -> int:
        """How many rows there are: public, as the reference needs it."""
        return int(self.counts.sum())

    def flatten(self) -> Cells:
        """Return the same cells in one line, row by row: in two dimensions the reference's intervals need that."""
        return Cells(f"{self.name}, flat", self.counts.ravel())


@dataclass(frozen=True)
class Rows:
    """A table as rows of coded values, for domains with too many cells to list."""

    name: str
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    values: Numbers

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.values)

    def project(self, columns: tuple[int, ...]) -> Numbers:
        """Return the counts of some columns, an axis each."""
        shape = tuple(self.sizes[column] for column in columns)
        places = np.ravel_multi_index(tuple(self.values[:, column] for column in columns), shape)
        return np.bincount(places, minlength=int(np.prod(shape))).reshape(shape)

    def count(self, *names: str) -> Cells:
        """Return the counts of some columns by name."""
        return Cells(f"{self.name} {' x '.join(names)}", self.project(tuple(self.names.index(name) for name in names)))


TRANSFUSION = ("recency", "frequency", "monetary", "time", "donated")
TRANSFUSION_SIZES = (75, 51, 12_501, 99, 2)
DONATION = 250
CONTINGENCY = {"czech": 6, "mildew": 6, "rochdale": 8}
"""Numberss of yes and no, and how many columns each has."""

RANGES = (
    "adult capital-loss",
    "adult age x hours-per-week",
    "transfusion monetary",
    "transfusion recency x frequency",
)
RAW = "transfusion monetary cc"


@cache
def load_adult() -> Rows:
    """Return census income: 48,842 people, 14 columns."""
    sizes: dict[str, int] = json.loads(_find("adult-domain.json").read_text())
    return Rows("adult", tuple(sizes), tuple(sizes.values()), _read("adult.csv"))


@cache
def load_transfusion() -> Rows:
    """Return blood donors: 748 people, 5 columns, each from 0 to its largest value."""
    return Rows("transfusion", TRANSFUSION, TRANSFUSION_SIZES, _read("transfusion.csv"))


@cache
def load_nltcs() -> Cells:
    """Return the survey of long-term care: 21,574 people, 16 answers of yes or no, as 65,536 cells."""
    values = _read("nltcs.csv")
    columns = values.shape[1]
    return Cells("nltcs", Rows("nltcs", ("",) * columns, (2,) * columns, values).project(tuple(range(columns))))


@cache
def load_contingency(name: str) -> Cells:
    """Return czech, mildew or rochdale: one count a cell, row by row, the last column running fastest."""
    counts = np.array(_find(f"{name}.txt").read_text().split(), dtype=np.int64)
    return Cells(name, counts.reshape((2,) * CONTINGENCY[name]))


@cache
def load_ranges(name: str) -> Cells:
    """Return a table that ranges are asked of, in one or two dimensions."""
    source, _, columns = name.partition(" ")
    rows = load_adult() if source == "adult" else load_transfusion()
    if name == "transfusion monetary":
        return Cells(name, rows.count("monetary").counts[::DONATION])
    return Cells(name, rows.count(*columns.removesuffix(" cc").split(" x ")).counts)


def _find(name: str) -> Path:
    folder = os.environ.get("DISCREET_DATA")
    if not folder:
        raise SystemExit(f"set DISCREET_DATA to the folder that holds {name} and the other public tables")
    return Path(folder) / name


def _read(name: str) -> Numbers:
    """Return a file of whole numbers under one line of names."""
    values: Numbers = np.loadtxt(_find(name), delimiter=",", skiprows=1, dtype=np.int64, encoding="utf-8-sig")
    return values
