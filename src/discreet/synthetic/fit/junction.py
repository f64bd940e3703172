"""Junction trees: cliques of columns such that every measured set lies in one, joined to a tree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from discreet.base.errors import ParameterError
from discreet.families.domain import ColumnSet, Domain

MOST_CLIQUE = 1 << 22
"""Cells of one clique's table."""

MOST_CLIQUES = 1 << 24
"""Cells of all cliques' tables together."""


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Cliques in an order in which each comes after its parent, and the columns that it shares with it.

    The first is the root, its own parent by convention -1. The columns that a clique shares with all earlier ones are
    those it shares with its parent (the running intersection), so p is the product of p(clique | separator).
    """

    domain: Domain
    cliques: tuple[ColumnSet, ...]
    parents: tuple[int, ...]
    separators: tuple[ColumnSet, ...]

    def find_clique(self, columns: ColumnSet) -> int | None:
        """Return the smallest clique that has these columns; None where none has."""
        found = [place for place, clique in enumerate(self.cliques) if set(columns) <= set(clique)]
        return min(found, key=lambda place: self.domain.project(self.cliques[place]).cells, default=None)


def plant_tree(domain: Domain, sets: Iterable[ColumnSet]) -> JunctionTree:
    """Return a junction tree for column sets, or refuse one whose tables are too large, with their sizes."""
    cliques = triangulate(domain, list(sets))
    for clique in cliques:
        cells = domain.project(clique).cells
        if cells > MOST_CLIQUE:
            raise ParameterError(
                "measured",
                f"column sets that need a table of columns {clique}",
                f"fewer or smaller sets: {cells:,} cells are more than {MOST_CLIQUE:,} in one clique",
            )
    if (cells := sum(domain.project(clique).cells for clique in cliques)) > MOST_CLIQUES:
        raise ParameterError(
            "measured", f"sets whose cliques have {cells:,} cells", f"fewer sets: at most {MOST_CLIQUES:,} cells in all"
        )
    return _join(domain, cliques)


def triangulate(domain: Domain, sets: Sequence[ColumnSet]) -> list[ColumnSet]:
    """Return the largest cliques that appear when columns are taken away one by one, the least costly first.

    The column whose going joins the fewest new pairs goes next (min-fill), the smaller table breaking ties.
    """
    beside: dict[int, set[int]] = {place: set() for place in range(len(domain.sizes))}
    for columns in sets:
        for one, other in combinations(columns, 2):
            beside[one].add(other)
            beside[other].add(one)

    def find_cost(place: int) -> tuple[int, int, int]:
        fill = sum(other not in beside[one] for one, other in combinations(beside[place], 2))
        return fill, math.prod(domain.sizes[name] for name in (place, *beside[place])), place

    costs = {place: find_cost(place) for place in beside}
    found: list[ColumnSet] = []
    while beside:
        place = min(costs.values())[2]
        around = beside.pop(place)
        del costs[place]
        if not any(around <= set(other) and place in other for other in found):
            found.append(tuple(sorted({place, *around})))
        for one in around:
            beside[one] |= around - {one}
            beside[one].discard(place)
        for one in around.union(*(beside[one] for one in around)):
            costs[one] = find_cost(one)
    return found


def _join(domain: Domain, cliques: Sequence[ColumnSet]) -> JunctionTree:
    """Return a tree that joins each clique to an earlier one with which it shares most: a maximum spanning tree."""
    order, parents = [0], [-1]
    nearest = {each: (len(set(cliques[each]) & set(cliques[0])), 0) for each in range(1, len(cliques))}
    while nearest:
        chosen = max(nearest, key=lambda each: (nearest[each][0], -each))
        parents.append(nearest.pop(chosen)[1])
        order.append(chosen)
        for each, (most, _) in nearest.items():
            if (shared := len(set(cliques[each]) & set(cliques[chosen]))) > most:
                nearest[each] = (shared, len(order) - 1)
    placed = tuple(cliques[each] for each in order)
    separators = tuple(
        tuple(sorted(set(clique) & set(placed[parent]))) if parent >= 0 else ()
        for clique, parent in zip(placed, parents, strict=True)
    )
    return JunctionTree(domain, placed, tuple(parents), separators)
