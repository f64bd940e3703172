"""The cost of a minimum spanning tree of a public graph with private weights: smooth sensitivity by cuts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.wide import LIMIT, integers
from discreet.mechanisms.robust.smooth_bounds import LEAST, SmoothBound, check_base

MOST_EDGES = 100_000

Edge = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class SpanningTreeCost:
    """The least cost of edges that connect all vertices; each weight, from 0 to `bound`, is one person's.

    The graph is public and connected; neighbours differ in one weight. What lies beyond the bounds counts as they do.

    Theorem (Nissim, Raskhodnikova, Smith 2007). Let w_1 <= w_2 <= ... be the weights of the edges that cross a cut of
    the vertices, and `bound` where there are no more. Over all weights that differ from these in at most k places, the
    furthest that one weight moves the cost is A_k = max over cuts of max(w_(k + 1), w_(k + 2) - w_1).
    Proof. As a function of the weight t of one edge e the cost is min(t, p) and a constant, where p is the least that
    a path between its ends has as its largest weight without e: the largest, over the cuts that e crosses, of the least
    other weight. So let y be k changes away, and let a change of e move min(t, p) between a < b <= p; some cut that e
    crosses has no other edge lighter than b in y. If y_e = b or more, or if e is one of the k changed, then at most k
    edges of that cut are lighter than b before the changes: w_(k + 1) >= b >= b - a. Else y_e = a < b is unchanged, at
    most k + 1 edges are lighter, and a >= w_1: so b - a <= w_(k + 2) - w_1. Both are attained: raise the k lightest
    edges to the bound and let the next one fall to 0, or raise the next k after the lightest, and then that one.

    So the maximum of A_k b^k is a smooth bound. A cut with at most k edges lighter than t is a minimum cut of these
    edges: with m_e(t) the least number of edges lighter than t in a cut that e crosses, the bound is the largest of
    t b^m_e(t) and (t - w_e) b^max(0, m_e(t) - 1), over the edges e of one minimum spanning tree (every cut has one of
    its lightest edges there) and over the weights t, and the bound. m_e(t) is a maximum flow, and never falls as t
    grows, so that halving the weights leaves out most of them: all of it takes polynomial time. How long follows the
    weights: it is for whoever holds them, and for nobody who could time it.
    """

    edges: tuple[Edge, ...]
    bound: int
    ends: tuple[tuple[int, int], ...] = field(init=False, repr=False, compare=False)
    """The edges by numbers of their vertices."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", _check_edges(self.edges))
        object.__setattr__(self, "bound", check.integer("bound", self.bound, least=1, most=LIMIT))
        numbers: dict[Hashable, int] = {}
        for each in self.edges:
            for vertex in each:
                numbers.setdefault(vertex, len(numbers))
        object.__setattr__(self, "ends", tuple((numbers[one], numbers[other]) for one, other in self.edges))
        if len(self.grow_tree([0] * len(self.edges))) != len(numbers) - 1:
            raise ParameterError("edges", len(self.edges), "those of a connected graph: some vertices have no path")

    @property
    def rows(self) -> int:
        """A person has one edge's weight."""
        return 1

    def hold(self, weights: Any) -> list[int]:
        """Return one whole number for each edge, held between 0 and the bound."""
        found = integers("weights", weights)
        if isinstance(found, int) or found.shape != (len(self.edges),):
            raise ParameterError.of_data("weights", weights, f"one whole number for each of {len(self.edges)} edges")
        return [max(0, min(self.bound, int(each))) for each in found]

    def grow_tree(self, weights: Sequence[int]) -> list[int]:
        """Return the edges of a minimum spanning tree: the lightest first that close no circle (Kruskal 1956)."""
        above = list(range(1 + max(max(pair) for pair in self.ends)))

        def find_root(vertex: int) -> int:
            while above[vertex] != vertex:
                above[vertex] = above[above[vertex]]
                vertex = above[vertex]
            return vertex

        tree = []
        for edge in sorted(range(len(weights)), key=lambda each: weights[each]):
            one, other = (find_root(vertex) for vertex in self.ends[edge])
            if one != other:
                above[one] = other
                tree.append(edge)
        return tree

    def value(self, weights: Any) -> Fraction:
        """Return the exact cost: private."""
        held = self.hold(weights)
        return Fraction(sum(held[edge] for edge in self.grow_tree(held)))

    def find_smooth(self, weights: Any, base: Fraction) -> SmoothBound:
        """Return the smooth bound with this base: private."""
        held = self.hold(weights)
        search = _CutSearch(self, held, check_base(base))
        for edge in self.grow_tree(held):
            search.look_at(edge)
        return search.best


class _CutSearch:
    """The largest discounted move, over edges of a tree and thresholds."""

    def __init__(self, graph: SpanningTreeCost, weights: list[int], base: Fraction) -> None:
        self.graph, self.weights, self.base = graph, weights, base
        self.best = SmoothBound(LEAST, base, 0)
        self.levels = sorted({*weights, graph.bound})
        self.networks: dict[int, csr_array] = {}

    def look_at(self, edge: int) -> None:
        """Keep the best that cuts which this edge crosses have to offer."""
        last = len(self.levels) - 1
        parts = [(0, last, 0, self.keep(edge, last))] if last else []
        self.keep(edge, 0)
        while parts:
            first, last, least, most = parts.pop()
            if last - first < 2 or least == most or not self.may_win(edge, last - 1, least):
                continue
            middle = (first + last) // 2
            cut = self.keep(edge, middle)
            parts += [(first, middle, least, cut), (middle, last, cut, most)]

    def keep(self, edge: int, level: int) -> int:
        """Hold what a threshold offers if it is the best yet; return how many lighter edges must be cut."""
        cut = self.count_cut(edge, level)
        for found in self.offer(edge, level, cut):
            if found.exceeds(self.best):
                self.best = found
        return cut

    def may_win(self, edge: int, level: int, cut: int) -> bool:
        """Say whether a threshold could be the best yet if so few edges must be cut."""
        return any(found.exceeds(self.best) for found in self.offer(edge, level, cut))

    def offer(self, edge: int, level: int, cut: int) -> tuple[SmoothBound, SmoothBound]:
        """Return both moves of the theorem, discounted."""
        top, own = self.levels[level], self.weights[edge]
        return (
            SmoothBound(Fraction(top), self.base, cut),
            SmoothBound(Fraction(max(0, top - own)), self.base, max(0, cut - 1)),
        )

    def count_cut(self, edge: int, level: int) -> int:
        """Return the least number of edges lighter than a threshold in a cut that an edge crosses: a maximum flow."""
        if level not in self.networks:
            lighter = [
                pair for pair, weight in zip(self.graph.ends, self.weights, strict=True) if weight < self.levels[level]
            ]
            places = np.array([*lighter, *((other, one) for one, other in lighter)], dtype=np.int32).reshape(-1, 2)
            size = 1 + max(max(pair) for pair in self.graph.ends)
            ones = np.ones(len(places), dtype=np.int32)
            self.networks[level] = csr_array((ones, (places[:, 0], places[:, 1])), shape=(size, size), dtype=np.int32)
        one, other = self.graph.ends[edge]
        return int(maximum_flow(self.networks[level], one, other).flow_value)


def _check_edges(edges: object) -> tuple[Edge, ...]:
    if isinstance(edges, str) or not isinstance(edges, Sequence) or not 1 <= len(edges) <= MOST_EDGES:
        raise ParameterError("edges", edges, f"a list of 1 to {MOST_EDGES:,} pairs of vertices")
    found = []
    for each in edges:
        if isinstance(each, str) or not isinstance(each, Sequence) or len(each) != 2 or each[0] == each[1]:
            raise ParameterError("edges", each, "pairs of two different vertices, such as ('a', 'b')")
        found.append((each[0], each[1]))
    return tuple(found)
