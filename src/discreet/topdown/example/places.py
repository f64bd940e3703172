"""Invented areas: counties, tracts, block groups and blocks with codes, of sizes as uneven as real ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.topdown.example.production import LEVELS

STATE = 99
SPREAD = 0.5
"""Of the logarithm of how many areas lie in one."""


@dataclass(frozen=True, eq=False)
class InventedPlaces:
    """The tree of a state: for each area the place of its parent in the level above, and its code."""

    tracts: Ints
    """For each tract its county."""
    groups: Ints
    """For each block group its tract."""
    blocks: Ints
    """For each block its block group."""
    codes: tuple[Ints, Ints, Ints, Ints]
    """Of counties, tracts, block groups and blocks: each begins with that of its parent."""

    def to_table(self) -> pa.Table:
        """Return the public list of blocks: a row for each, a column for each level."""
        counties, tracts, groups, blocks = self.codes
        of_group = self.blocks
        of_tract = self.groups[of_group]
        columns = [
            pa.array(["US"] * len(blocks)),
            pa.array(np.full(len(blocks), STATE)),
            pa.array(counties[self.tracts[of_tract]]),
            pa.array(tracts[of_tract]),
            pa.array(groups[of_group]),
            pa.array(blocks),
        ]
        return pa.table(dict(zip(LEVELS, columns, strict=True)))


def invent_places(
    blocks: int, block_groups: int, tracts: int, counties: int, random: np.random.Generator
) -> InventedPlaces:
    """Return a state with so many areas: every one has at least one below it, some have many more than others."""
    sizes = [counties, tracts, block_groups, blocks]
    if counties < 1 or any(below < above for above, below in pairwise(sizes)):
        raise ParameterError("blocks", sizes, "at least as many areas of each level as of the one above it")
    parents = [
        np.zeros(counties, dtype=np.int64),
        *(_deal(above, below, random) for above, below in pairwise(sizes)),
    ]
    codes = [np.array([STATE], dtype=np.int64)]
    for owners in parents:
        codes.append(_number(codes[-1], owners))
    return InventedPlaces(parents[1], parents[2], parents[3], (codes[1], codes[2], codes[3], codes[4]))


def _deal(above: int, below: int, random: np.random.Generator) -> Ints:
    """Return a parent for each area below: each has one at least, the rest are dealt out unevenly."""
    weights = random.lognormal(0, SPREAD, above)
    sizes = 1 + random.multinomial(below - above, weights / weights.sum())
    return np.repeat(np.arange(above, dtype=np.int64), sizes)


def _number(codes: Ints, parents: Ints) -> Ints:
    """Return the codes of areas: that of the parent, then a number from 1 on within it, of as many digits for all."""
    sizes = np.bincount(parents, minlength=len(codes))
    inside = np.arange(len(parents)) - (np.cumsum(sizes) - sizes)[parents] + 1
    found: Ints = codes[parents] * 10 ** len(str(sizes.max())) + inside
    return found
