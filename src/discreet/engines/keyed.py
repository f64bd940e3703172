"""Rows that are in some group, as SQL: what is cut and added up."""

from __future__ import annotations

from dataclasses import dataclass, field

from discreet.engines.hashing import PRIME


@dataclass(frozen=True, slots=True)
class Keyed:
    """Rows that are in some group: a SELECT of their unit, the `columns` that name their key, and contributions."""

    rows: str
    columns: tuple[str, ...]
    groups: int | None
    """How many keys there are, or None where they come from the data."""

    count: int
    """How many measures there are."""

    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(f'"__discreet_m{place}"' for place in range(self.count)))

    @property
    def numbered(self) -> bool:
        """Say whether a key is one number that `hashing` takes as it is."""
        return self.groups is not None and self.groups < PRIME

    def listed(self, *more: str) -> str:
        """Return the key's columns and more, with commas."""
        return ", ".join((*self.columns, *more))
