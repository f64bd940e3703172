"""Where people are counted: areas in levels, each with one parent in the level above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints


@dataclass(frozen=True, eq=False)
class Level:
    """The areas of one level. `parents[i]` is the place of the parent of area i in the level above, and never falls:
    the areas of one parent stand next to each other. At the top there is one area, and its parent is 0."""

    name: str
    areas: tuple[str, ...]
    parents: Ints

    def __len__(self) -> int:
        return len(self.areas)

    def bound_children(self, parents: int) -> Ints:
        """Return where the areas of each parent begin, and where the last one's end: one more number than parents."""
        return np.searchsorted(self.parents, np.arange(parents + 1)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Geography:
    """All levels, the whole first. Every area but those of the last level has at least one child.

    Where real areas skip a level, one of the same name stands in for it: an area with a single child is the same
    people, counted twice, and an estimate uses both counts.
    """

    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        """Refuse levels that are no tree."""
        if not self.levels or len(self.levels[0]) != 1:
            raise ParameterError("geography", [each.name for each in self.levels], "a first level of one area")
        for above, level in zip(self.levels, self.levels[1:], strict=False):
            parents = level.parents
            if len(parents) != len(level) or np.any(np.diff(parents) < 0):
                raise ParameterError("geography", level.name, "areas in the order of their parents")
            if not np.array_equal(np.unique(parents), np.arange(len(above))):
                raise ParameterError("geography", level.name, f"at least one area in each area of {above.name}")
            if len(set(level.areas)) < len(level):
                raise ParameterError("geography", level.name, "areas of different names")

    @property
    def leaves(self) -> Level:
        """The level of the smallest areas."""
        return self.levels[-1]

    @cached_property
    def ancestors(self) -> tuple[Ints, ...]:
        """For each level, the place there of each smallest area's ancestor."""
        found = [np.arange(len(self.leaves), dtype=np.int64)]
        for level in reversed(self.levels[1:]):
            found.append(level.parents[found[-1]])
        return tuple(reversed(found))

    def find_level(self, name: str) -> int:
        """Return the place of a level."""
        names = [each.name for each in self.levels]
        if name not in names:
            raise ParameterError("level", name, f"one of {', '.join(names)}")
        return names.index(name)
