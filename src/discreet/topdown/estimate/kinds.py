"""Which areas of a geography look alike: below them, and all around them.

How well an area is known depends on its readings, which all areas of a level share, and on the shape of the tree. So
there is one matrix for each shape and not for each area: one for all of the smallest areas, one for each number of
children above them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.wide import Ints
from discreet.topdown.spec.geography import Geography


@dataclass(frozen=True, eq=False)
class AreaKinds:
    """The kind of each area of a level, numbered from 0, and the first area of each kind."""

    of: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.first)


def find_subtree_kinds(geography: Geography) -> tuple[AreaKinds, ...]:
    """Return, for each level, kinds of areas: of one kind are those whose subtrees have the same shape."""
    leaves = len(geography.leaves)
    found = [AreaKinds(np.zeros(leaves, dtype=np.int64), np.zeros(1, dtype=np.int64))]
    for above, level in reversed(list(zip(geography.levels, geography.levels[1:], strict=False))):
        bounds = level.bound_children(len(above))
        kinds: dict[bytes, int] = {}
        of = np.empty(len(above), dtype=np.int64)
        for area in range(len(above)):
            children = np.sort(found[-1].of[bounds[area] : bounds[area + 1]])
            of[area] = kinds.setdefault(children.tobytes(), len(kinds))
        found.append(_number(of))
    return tuple(reversed(found))


def find_tree_kinds(geography: Geography, subtrees: tuple[AreaKinds, ...]) -> tuple[AreaKinds, ...]:
    """Return, for each level, finer kinds: of one kind are areas that a symmetry of the whole tree exchanges."""
    found = [subtrees[0]]
    for level, kinds in zip(geography.levels[1:], subtrees[1:], strict=True):
        found.append(_number(found[-1].of[level.parents] * len(kinds) + kinds.of))
    return tuple(found)


def _number(of: Ints) -> AreaKinds:
    """Number kinds from 0 without a gap."""
    _, first, numbers = np.unique(of, return_index=True, return_inverse=True)
    return AreaKinds(numbers.reshape(-1).astype(np.int64), first.astype(np.int64))
