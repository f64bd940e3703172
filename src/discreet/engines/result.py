"""What every engine returns, and what a run of one can do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from discreet.plan.bounded import BoundedPlan, Part

Cells = dict[int, int]
"""How many values lie at each grid point, counted from the grid's lower end; points without any are left out."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The exact bounded aggregates, before noise: `sums[measure][key]`, and `cells[measure][key]` for ranks.

    Keys are counted in the order of their domains, the last one fastest; keys without rows are there, with zeros.
    """

    sums: tuple[tuple[int, ...], ...]
    cells: dict[int, tuple[Cells, ...]] = field(default_factory=dict)


class Run(Protocol):
    """A question being run."""

    def progress(self) -> float:
        """Return how much is done, from 0 to 1, or a negative number where it is not known. For the operator only."""

    def cancel(self) -> None:
        """Stop as soon as possible."""

    def result(self) -> Exact:
        """Wait for the result."""


def gathered(plan: BoundedPlan, rows: list[tuple[int, ...]], cells: dict[int, list[tuple[int, int, int]]]) -> Exact:
    """Put rows of (key, sum, sum, ...) and of (key, cell, count) where they belong."""
    sums = [[0] * plan.groups for _ in plan.measures]
    for key, *values in rows:
        for measure, value in enumerate(values):
            sums[measure][key] = int(value)
    found: dict[int, tuple[Cells, ...]] = {}
    for measure, counts in cells.items():
        assert plan.measures[measure].part is Part.RANKS
        each: tuple[Cells, ...] = tuple({} for _ in range(plan.groups))
        for key, cell, count in counts:
            each[key][cell] = int(count)
        found[measure] = each
    return Exact(tuple(tuple(row) for row in sums), found)
