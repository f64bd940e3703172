"""Tiny families of every kind, and the brute force that their bounds are held against."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.families import (
    Conjunctions,
    Domain,
    Family,
    Marginals,
    Parities,
    Ranges,
    RowTable,
    TableFamily,
    Tree,
)

SMALL = Domain((2, 3, 2))
BINARY = Domain((2, 2, 2))
LINE = Domain((7,))
PLANE = Domain((3, 2, 3))

EVERY: dict[str, Family] = {
    "marginals of two columns": Marginals.of_order(SMALL, 2),
    "marginals of up to three columns": Marginals.up_to(SMALL, 3),
    "marginals in bins": Marginals(SMALL, ((0, 1), (1, 2), (1,)), ((), (1, 0, 1), ())),
    "a grid of blocks": Marginals.in_blocks(PLANE, (0, 2), (2, 2)),
    "parities": Parities(BINARY, (0b1, 0b110, 0b101, 0b111)),
    "ranges of one column": Ranges.every(SMALL, 1),
    "prefixes": Ranges.prefixes(SMALL, (1,)),
    "thresholds of two columns": Ranges.thresholds(PLANE, (0, 2)),
    "a binary tree": Tree(LINE, 0, 2),
    "a binary tree with its root": Tree(LINE, 0, 2, root=True),
    "a tree of fan-out 3": Tree(Domain((2, 8)), 1, 3),
    "a flat tree": Tree(LINE, 0, 10),
    "a flat tree with its root": Tree(LINE, 0, 10, root=True),
    "conjunctions": Conjunctions(SMALL, (((0, 1),), ((0, 1), (1, 2)), ((1, 0), (2, 0)))),
    "points": Conjunctions.points(SMALL, (0, 1)),
    "written questions": TableFamily.write(SMALL, (0, 1), [[3, 0, 1, 2, 0, 0], [0, 1, 1, 0, 2, 0]]),
    "written questions with signs": TableFamily.write(SMALL, (0, 2), [[2, -1, 0, 1], [0, 1, -3, 0], [1, 1, 1, 1]]),
}
"""Families with a group in which every row counts: their bounds are reached."""


def each_group() -> list[tuple[str, Family, int]]:
    """Return every group of every family, by name."""
    return [(name, family, group) for name, family in EVERY.items() for group in range(family.groups)]


def random_table(family: Family, group: int, seed: int = 1) -> NDArray[np.int64]:
    """Return a table of a group's columns."""
    return np.random.default_rng(seed).integers(-50, 50, family.domain.find_shape(family.find_columns(group)))


def random_rows(domain: Domain, rows: int = 40, seed: int = 2) -> RowTable:
    """Return rows with values of every column."""
    generator = np.random.default_rng(seed)
    return RowTable(domain, tuple(generator.integers(0, size, rows) for size in domain.sizes))


def move_farthest(lines: NDArray[np.int64], rows: int, *, replace: bool) -> tuple[int, int]:
    """Return how far one unit with at most so many rows moves the answers, in L1 and squared L2.

    All units are tried. `lines` has the whole numbers of each cell; one that is replaced may have more or fewer rows.
    """
    cells = range(lines.shape[1])
    units = [each for size in range(rows + 1) for each in combinations_with_replacement(cells, size)]
    sums = np.array([lines[:, list(unit)].sum(axis=1) for unit in units])
    moves = (sums[:, None, :] - sums[None, :, :]).reshape(-1, len(lines)) if replace else sums
    return int(np.abs(moves).sum(axis=1).max()), int((moves**2).sum(axis=1).max())


def python_sum(line: NDArray[Any], table: NDArray[Any]) -> int:
    """Return the sum of products in Python's integers."""
    return sum(int(number) * int(entry) for number, entry in zip(line.flat, table.flat, strict=True))
