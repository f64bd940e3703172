"""The two neighbour relations: which pairs of databases must look alike."""

from __future__ import annotations

from enum import StrEnum

from discreet.base import check


class Neighbours(StrEnum):
    """Two databases are neighbours when they differ in one unit."""

    ADD_REMOVE = "add-remove"
    """One has a unit more than the other: the size of the data is protected too. The default."""

    REPLACE = "replace"
    """One unit has other values: the size of the data is public."""

    @classmethod
    def named(cls, name: object) -> Neighbours:
        """Return the relation of that name."""
        return cls(check.choice("neighbours", name, tuple(member.value for member in cls)))
