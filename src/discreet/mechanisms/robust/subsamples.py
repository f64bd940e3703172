"""Any function of rows, made private: run on disjoint groups of units, of which one unit is in one."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Grid
from discreet.mechanisms.robust.sorted_values import check_bounds
from discreet.privacy import Neighbours

GroupRow = TypeVar("GroupRow")


@dataclass(frozen=True)
class Subsamples:
    """Disjoint groups of units by a hash of the unit alone, and what a function says of each group.

    Theorem (Nissim, Raskhodnikova, Smith 2007, sample and aggregate): whatever the function, adding or removing a unit
    changes the rows of one group, and so at most one of `groups` values; replacing a unit by one of another name
    changes two at most (`moved`). The number of values is public. So what is private for the *replace* relation, with
    `moved` values to a unit, is private here: with rows = moved `OrderStatistic`, `TrimmedMean` with neighbours
    "replace" and a public size, and `StableValue.release_mode` with neighbours "replace"; `Quantile` with rows = 2 *
    moved.

    The function must see the rows of its group and nothing else: it keeps nothing from one group for another. It may do
    anything to them, but how long it runs is seen. What it raises, and what is no number, becomes a public value.
    """

    groups: int
    key: bytes = b""
    neighbours: str = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", check.integer("groups", self.groups, least=2))
        object.__setattr__(self, "neighbours", Neighbours.named(self.neighbours))
        if not isinstance(self.key, bytes) or len(self.key) > hashlib.blake2b.MAX_KEY_SIZE:
            raise ParameterError("key", self.key, "at most 64 bytes")

    @property
    def moved(self) -> int:
        """How many of the values one unit can change."""
        return 1 if self.neighbours == Neighbours.ADD_REMOVE else 2

    def place(self, unit: str | bytes | int) -> int:
        """Return the group of a unit: a function of the unit and the key, whatever else the data hold."""
        kind = type(unit).__name__.encode()
        text = unit if isinstance(unit, bytes) else str(unit).encode()
        told = hashlib.blake2b(kind + b":" + text, digest_size=16, key=self.key).digest()
        return int.from_bytes(told, "big") % self.groups

    def split(self, units: Sequence[str | bytes | int], rows: Sequence[GroupRow]) -> list[list[GroupRow]]:
        """Return the rows of each group, in their order, from the unit of each row."""
        if len(units) != len(rows):
            raise ParameterError.of_data("units", units, "one for each row")
        parts: list[list[GroupRow]] = [[] for _ in range(self.groups)]
        for unit, row in zip(units, rows, strict=True):
            parts[self.place(unit)].append(row)
        return parts

    def evaluate(
        self, function: Callable[[list[GroupRow]], Any], parts: list[list[GroupRow]], grid: Grid, low: int, high: int
    ) -> list[int]:
        """Return the function's number for each group, on a public grid and held between bounds, in grid points.

        What is no finite number counts as the middle of the bounds, rounded down.
        """
        first, last = check_bounds(low, high)
        return [_hold(_attempt(function, part), grid, first, last) for part in self._all(parts)]

    def count_votes(self, function: Callable[[list[GroupRow]], Any], parts: list[list[GroupRow]]) -> Counter[Hashable]:
        """Return how many groups say what: for `StableValue.release_mode`. Failures and what has no hash say None."""
        told = (_attempt(function, part) for part in self._all(parts))
        return Counter(each if _is_hashable(each) else None for each in told)

    def _all(self, parts: list[list[GroupRow]]) -> list[list[GroupRow]]:
        if len(parts) != self.groups:
            raise ParameterError("parts", len(parts), f"all {self.groups} groups, the empty ones too")
        return parts


def _attempt(function: Callable[[list[GroupRow]], Any], part: list[GroupRow]) -> Any:
    try:
        return function(list(part))
    except Exception:
        return None


def _hold(told: Any, grid: Grid, low: int, high: int) -> int:
    try:
        number = float(told)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        return (low + high) // 2
    return max(low, min(high, int(grid.snap(number))))


def _is_hashable(told: Any) -> bool:
    try:
        hash(told)
        return bool(told == told)
    except Exception:
        return False
