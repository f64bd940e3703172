"""Noisy ranks: a tree of counts over a column's grid, of which only the nodes that are looked at are ever drawn.

Every node's count has noise of its own, and a row lies in one node of each level: the price is that of the whole tree,
so looking at more of it is free, and which nodes are looked at may depend on the noisy counts (post-processing).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.base.cells import count_below
from discreet.mechanisms import Gaussian, Laplace
from discreet.plan.bounded import BRANCHES, count_tree_levels
from discreet.plan.grid import ClampedGrid

Nodes = dict[tuple[int, int], int]
"""Noisy counts by (level, index): level 1 has the children of the root, and the last one the grid's points."""

WIDE = 64
"""The most nodes that are opened in one level."""

SURE = 0.999
"""How surely a quantile lies in the nodes that are opened."""


def explore(
    cells: Mapping[int, int], grid: ClampedGrid, noise: Laplace | Gaussian, shares: Iterable[Fraction]
) -> Nodes:
    """Return the noisy counts of all nodes that the quantiles at these shares may lie in, and of their siblings."""
    levels = count_tree_levels(grid)
    find_below = count_below(cells)

    def count(level: int, indices: list[int]) -> list[int]:
        size = BRANCHES ** (levels - level)
        below = find_below([edge * size for index in indices for edge in (index, index + 1)])
        return [after - before for before, after in zip(below[::2], below[1::2], strict=True)]

    nodes: Nodes = {}
    opened = {0}
    for level in range(1, levels + 1):
        children = [parent * BRANCHES + child for parent in sorted(opened) for child in range(BRANCHES)]
        noisy = noise.release(count(level, children))
        nodes.update({(level, child): int(value) for child, value in zip(children, noisy, strict=True)})
        opened = set()
        for share in shares:
            estimate, (low, high) = (
                estimate_quantile(nodes, grid, share),
                bound_quantile(nodes, grid, noise, share, 1 - SURE),
            )
            size = BRANCHES ** (levels - level)
            first, last, middle = low // size, high // size, estimate // size
            first, last = max(first, middle - WIDE // 2), min(last, middle + WIDE // 2)
            opened.update(node for node in range(first, last + 1) if (level, node) in nodes)
            opened.add(middle)
    return nodes


@dataclass(frozen=True, slots=True)
class Rank:
    """A boundary between nodes: how many values lie below this point, by how many noisy counts."""

    point: int
    rank: int
    terms: int


def list_ranks(nodes: Nodes, grid: ClampedGrid) -> list[Rank]:
    """Return all boundaries that the nodes know, from the lowest to one beyond the highest."""
    levels = count_tree_levels(grid)

    def below(level: int, parent: int, start: Rank) -> list[Rank]:
        found, rank, terms = [], start.rank, start.terms
        size = BRANCHES ** (levels - level)
        for child in range(parent * BRANCHES, (parent + 1) * BRANCHES):
            at = Rank(child * size, rank, terms)
            found.append(at)
            if level < levels and (level + 1, child * BRANCHES) in nodes:
                found.extend(below(level + 1, child, at)[1:])
            rank, terms = rank + nodes[level, child], terms + 1
        return found

    listed = below(1, 0, Rank(0, 0, 0))
    total = sum(nodes[1, child] for child in range(BRANCHES))
    return [*listed, Rank(BRANCHES**levels, total, BRANCHES)]


def estimate_quantile(nodes: Nodes, grid: ClampedGrid, share: Fraction) -> int:
    """Return the estimate, a point counted from the grid's lower end: the deepest node that its rank leads to."""
    levels, index, level = count_tree_levels(grid), 0, 0
    left = share * max(0, sum(nodes[1, child] for child in range(BRANCHES)))
    while level < levels and (level + 1, index * BRANCHES) in nodes:
        level += 1
        counts = [max(0, nodes[level, index * BRANCHES + child]) for child in range(BRANCHES)]
        total = sum(counts)
        left = min(left, Fraction(total))
        chosen = BRANCHES - 1
        for child, size in enumerate(counts):
            if left <= size and size > 0:
                chosen = child
                break
            left -= size
        index = index * BRANCHES + (chosen if total else BRANCHES // 2)
    width: int = BRANCHES ** (levels - level)
    return min(index * width + width // 2, grid.upper - grid.lower)


def bound_quantile(
    nodes: Nodes, grid: ClampedGrid, noise: Laplace | Gaussian, share: Fraction, miss: float
) -> tuple[int, int]:
    """Return points between which the true quantile lies, but with this probability: all boundaries hold at once.

    A boundary v is below the quantile when its rank is below share * n, for every rank and n that the noise allows.
    """
    known = list_ranks(nodes, grid)
    shared = 2 ** math.ceil(math.log2(len(known) + 1))  # a power of two, so that distances are computed once
    reach = _reaches(noise, miss / shared)
    total = known[-1]
    low_n, high_n = (max(0, total.rank + side * reach(total.terms)) for side in (-1, 1))
    last = grid.upper - grid.lower
    reaches = {terms: reach(terms) for terms in {at.terms for at in known}}
    few, enough = math.ceil(share * low_n), max(math.ceil(share * high_n), 1)
    low = max((at.point for at in known if at.rank + reaches[at.terms] < few), default=0)
    high = min((at.point for at in known if at.rank - reaches[at.terms] >= enough), default=last)
    return min(low, last), min(max(low, high), last)


def _reaches(noise: Laplace | Gaussian, miss: float) -> Callable[[int], int]:
    """Return terms -> a distance that the sum of that many noises exceeds with at most this probability."""
    return lambda terms: math.ceil(_reach(noise, terms, miss)) if terms else 0


@lru_cache(maxsize=1 << 14)
def _reach(noise: Laplace | Gaussian, terms: int, miss: float) -> float:
    """Bound a sum of noises. Gaussian: its own tail, and half a step of rounding each. Laplace: Chernoff's bound,

    Pr[sum > t] <= E[e^(s X)]^terms e^(-s t) with E[e^(s X)] <= 1 / (1 - (s scale)^2), for the best of some s.
    """
    if isinstance(noise, Gaussian):
        alone = Gaussian(noise.sigma * math.sqrt(terms) * (1 + 1e-12))
        return float(alone.interval(1 - miss)) + terms / 2
    if terms == 1:
        return float(noise.interval(1 - miss))
    log = math.log(2 / miss)
    rates = [k / 64 / noise.scale for k in range(1, 64)]
    return min((log - terms * math.log1p(-((rate * noise.scale) ** 2))) / rate for rate in rates) * (1 + 1e-9)
