"""Published areas of a level that is measured in groups of another size: how well their sums are known.

A published area is made of areas of the level below, and lies within one area a of the level above. Let U be those of
its parts that lie in a group g, and C the covariances of estimates from below (`estimate.tree_model` has the notation).
What is estimated of the parts is linear in what is estimated of the group, with an error of its own:

    sum of x_c over U = B_g x_g + e_g,    B_g = sum of G_c,    Var e_g = sum of C_c - (sum of C_c) S_g^-1 (sum of C_c)',

and so again for groups within a, with B_a = sum of B_g G_g and

    Var e_a = sum of Var e_g + sum of B_g C_g B_g' - (sum of B_g C_g) S_a^-1 (sum of B_g C_g)'.

The variance of the published area's estimate is B_a V_a B_a' + Var e_a, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.estimate.area_matrices import AreaMatrices
from discreet.topdown.estimate.tree_model import TreeModel
from discreet.topdown.spec.queries import Query


@dataclass(frozen=True, eq=False)
class PublishedModel:
    """The covariances of published areas of a level."""

    covariance: AreaMatrices
    model: TreeModel
    below: int
    """The level of the parts."""

    def variances(self, query: Query) -> Floats:
        """Return the variance of each answer in each area: infinite where that of its parts is."""
        found = self.covariance.evaluate(query).clip(0)
        unknown = np.isinf(self.model.variances(self.below, query, slice(0, 1))[0])
        found[:, unknown] = np.inf
        return found


def model_published(model: TreeModel, level: int, places: Ints, areas: int) -> PublishedModel:
    """Return how well published areas of a level are known; `places` says in which of them each smallest area lies."""
    geography = model.geography
    firsts = _find_firsts(geography.ancestors[level + 1], len(geography.levels[level + 1]))
    owners = places[firsts]
    parts: list[list[Floats]] = [[] for _ in model.basis.blocks]
    for area in range(areas):
        for block, found in enumerate(_model_area(model, level, np.flatnonzero(owners == area))):
            parts[block].append(found)
    return PublishedModel(
        AreaMatrices(model.basis, tuple(np.stack(each) for each in parts), np.arange(areas)), model, level + 1
    )


def _model_area(model: TreeModel, level: int, members: Ints) -> list[Floats]:
    """Return the covariance, block by block, of the sum of some areas of the level below."""
    geography = model.geography
    groups = geography.levels[level + 1].parents[members]
    different, counts = np.unique(groups, return_counts=True)
    parent = int(geography.levels[level].parents[different[0]])
    found = []
    for block in range(len(model.basis.blocks)):
        size = model.basis.blocks[block].size
        share, error, spread, crossed = (np.zeros((size, size)) for _ in range(4))
        starts = np.concatenate([[0], np.cumsum(counts)])
        for place, group in enumerate(different):
            inside = members[starts[place] : starts[place + 1]]
            own = _pick(model.upward[level + 1].covariance, block, inside).sum(axis=0)
            gain = _pick(model.downward[level + 1].gain, block, inside).sum(axis=0)
            error += own - own @ _pick(model.upward[level].below, block, group) @ own.T
            covariance = _pick(model.upward[level].covariance, block, group)
            crossed += gain @ covariance
            spread += gain @ covariance @ gain.T
            share += gain @ _pick(model.downward[level].gain, block, group)
        error += spread - crossed @ _pick(model.upward[level - 1].below, block, parent) @ crossed.T
        around = _pick(model.downward[level - 1].covariance, block, parent)
        exact = share @ around @ share.T + error
        found.append((exact + exact.T) / 2)
    return found


def _pick(matrices: AreaMatrices, block: int, areas: Ints | int) -> Floats:
    return np.asarray(matrices.parts[block][matrices.kinds[areas]])


def _find_firsts(ancestors: Ints, areas: int) -> Ints:
    """Return the first smallest area of each area."""
    return np.searchsorted(ancestors, np.arange(areas)).astype(np.int64)
