"""Rows that are in some group, as SQL: what is cut and added up."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.types import Type
from discreet.engines.dialect import UNIT, Dialect
from discreet.engines.limiting.hashing import PRIME, Typed
from discreet.plan.bounded import Measure, Part

ROWS, KEEP = "__discreet_rows", "__discreet_keep"
"""How many rows a unit has in a group, and how many of them it keeps."""


def name_measure(place: int) -> str:
    """Return the column of a measure's contributions."""
    return f"__discreet_m{place}"


HOLDERS = "HOLDERS"
"""The part of a measure that counts units by one row of theirs: contributions are 0 or 1, and the greatest counts."""


def name_part(measure: Measure) -> str:
    """Return what a measure adds up, by name."""
    holders = measure.part is Part.UNITS and measure.argument is not None
    return HOLDERS if holders else measure.part.name


@dataclass(frozen=True, slots=True)
class GroupedRows:
    """Rows that are in some group: a SELECT of their unit, the columns that name their `key`, and contributions."""

    rows: str
    key: tuple[Typed, ...]
    groups: int | None
    """How many keys there are, or None where they come from the data."""

    measures: tuple[Typed, ...]
    """The columns of contributions; whole numbers, but for values that are counted as distinct."""

    reaches: tuple[int, ...]
    """How much a row adds to each at most."""

    unit_type: Type | None
    """The type of units, or None where every row is its own."""

    dialect: Dialect

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns that name a key."""
        return tuple(name for name, _ in self.key)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns of contributions."""
        return tuple(name for name, _ in self.measures)

    @property
    def unit(self) -> Typed:
        """Return the column of the unit, and its type."""
        assert self.unit_type is not None
        return UNIT, self.unit_type

    @property
    def whole_units(self) -> bool:
        """Say whether units are numbers that `hashing` takes as they are."""
        return self.unit_type is Type.INTEGER

    @property
    def numbered(self) -> bool:
        """Say whether a key is one number that `hashing` takes as it is."""
        return self.groups is not None and self.groups < PRIME

    def listed(self, *more: str) -> str:
        """Return the key's columns and more, with commas."""
        return ", ".join((*self.columns, *more))
