"""What every engine returns, and what a run of one can do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from discreet.plan.expressions import Constant

Cells = dict[int, int]
"""How many values lie at each grid point, counted from the grid's lower end; points without any are left out."""

KeyValues = tuple[Constant, ...]
"""One value for each key of a set."""


@dataclass(frozen=True, slots=True)
class GroupedSums:
    """One set's exact bounded aggregates, before noise: `sums[measure][key]`, and `cells[measure][key]` for ranks.

    Keys of public domains are counted in their order, the last one fastest, and those without rows are there, with
    zeros; `keys` is None. Keys that come from the data are listed in `keys`, in no order that means anything, and
    `units` says how many distinct units each has.
    """

    sums: tuple[tuple[int, ...], ...]
    cells: dict[int, tuple[Cells, ...]] = field(default_factory=dict)
    keys: tuple[KeyValues, ...] | None = None
    units: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ExactResult:
    """The exact bounded aggregates of every set of keys. Never shown to anybody."""

    sets: tuple[GroupedSums, ...]


class Run(Protocol):
    """A question being run."""

    def progress(self) -> float:
        """Return how much is done, from 0 to 1, or a negative number where it is not known. For the operator only."""

    def cancel(self) -> None:
        """Stop as soon as possible."""

    def wait(self, seconds: float) -> bool:
        """Wait this long at most; say whether it is done."""

    def result(self) -> ExactResult:
        """Wait for the result."""
