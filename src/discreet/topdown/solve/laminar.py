"""Sums that are nested: the proof that rounding is a linear program.

A family of sets is *laminar* where any two of its sets are disjoint, or one lies within the other.

Theorem (Edmonds 1970; Schrijver 2003, Theorem 41.11). Let A have a column for each element and a row for each set of
two laminar families, 1 where the element is in the set. Then A is totally unimodular: each of its square submatrices
has determinant -1, 0 or 1. Proof: hang the sets of each family into a tree by inclusion, and put an arc for each
element from its smallest set in one tree to its smallest set in the other. The tree arcs that leave a set carry the
sum over its elements, so A is a network matrix.

Consequence (Hoffman, Kruskal 1956). For whole l, u, a, b every vertex of { y : l <= y <= u, a <= A y <= b } is whole,
and so is a vertex where a linear objective is least. Columns of the identity keep this (they add arcs of their own),
and so does doubling rows.

For counts of children the elements are pairs of a child and a cell. The first family has the sets of all children at
one cell, which are disjoint. The second has, within each child, the answers of queries. Sets of two children are
disjoint, so that it is laminar where each child's are: this is what `find_crossing` decides, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from discreet.base.wide import Ints
from discreet.topdown.spec.queries import Query

Crossing = tuple[int, int]
"""The places of two groupings that have sets which overlap, neither within the other."""


def find_crossing(groupings: Sequence[Ints]) -> Crossing | None:
    """Return two groupings that are not nested; None proves that all their sets together are laminar.

    A grouping says for each element the number of its set, or -1 where it is in none. Sets of one grouping are
    disjoint; two sets of different ones are nested if and only if what they share is all of one of them.
    """
    for first, second in combinations(range(len(groupings)), 2):
        one, other = groupings[first], groupings[second]
        both = (one >= 0) & (other >= 0)
        width = int(other.max(initial=0)) + 1
        pairs, shared = np.unique(one[both] * width + other[both], return_counts=True)
        sizes = _count(one)[pairs // width], _count(other)[pairs % width]
        if np.any((shared < sizes[0]) & (shared < sizes[1])):
            return first, second
    return None


def are_nested(queries: Sequence[Query]) -> bool:
    """Whether the answers of some queries are nested, whatever the counts: then no rounding needs a search."""
    return find_crossing([query.places for query in queries]) is None


def _count(grouping: Ints) -> Ints:
    """Return the size of each set."""
    return np.bincount(grouping[grouping >= 0], minlength=1)
