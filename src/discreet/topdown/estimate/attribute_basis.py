"""The values of one attribute in coordinates where all groupings of it are small matrices.

A query counts an attribute by some grouping G (a row for each group: 1 where a value is in it), and a weighted sum of
squares of its answers has the matrix G'G along that attribute. Let A be the algebra that all these matrices generate.

Theorem (Wedderburn; numerically Murota, Kanno, Kojima and Kojima 2010). R^n is a sum of orthogonal subspaces, each with
an orthonormal basis of size x copies vectors in which every matrix of A is B (x) I: a matrix of `size` rows, repeated
`copies` times. Sizes cannot be made smaller for all matrices at once.

An attribute that is counted whole or not at all has the constant vector and its complement: sizes 1 and 1, copies 1 and
n - 1. Under groups of different sizes the sum over everything and the sums over groups do not commute: there is a
subspace of one dimension for each size of group; contrasts between groups of one size, and contrasts within groups,
are subspaces of size 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse.csgraph import connected_components

from discreet.base.grid import Floats

NEAR = 1e-9
"""What counts as 0 beside 1. Sizes of groups are whole numbers, so what is not 0 is far from it."""


@dataclass(frozen=True)
class Subspace:
    """A subspace of size * copies dimensions where every grouping matrix is one of `size` rows, repeated."""

    size: int
    copies: int


@dataclass(frozen=True, eq=False)
class AttributeBasis:
    """New coordinates for one attribute."""

    rows: Floats
    """Orthonormal. Subspace by subspace; within one, its `size` is the slow index and its `copies` the fast one."""
    subspaces: tuple[Subspace, ...]

    def project(self, groups: tuple[int, ...]) -> Floats:
        """Return the coordinates of each group's indicator: a column for each group."""
        sums = np.zeros((len(self.rows), max(groups) + 1))
        np.add.at(sums.T, np.array(groups), self.rows.T)
        return sums

    def weigh(self, groups: tuple[int, ...]) -> tuple[Floats, ...]:
        """Return, for each subspace, W of shape (group, size, size): where a matrix is B there, and 0 elsewhere, its
        quadratic form in a group's indicator is the sum of B * W[group]."""
        columns = self.project(groups)
        found, start = [], 0
        for each in self.subspaces:
            stop = start + each.size * each.copies
            part = columns[start:stop].reshape(each.size, each.copies, -1)
            found.append(np.einsum("ics,jcs->sij", part, part))
            start = stop
        return tuple(found)

    def find_gram(self, groups: tuple[int, ...]) -> tuple[Floats, ...]:
        """Return the matrix G'G in each subspace; G must be one of the groupings that the basis was made for."""
        return tuple(
            weights.sum(axis=0) / each.copies for weights, each in zip(self.weigh(groups), self.subspaces, strict=True)
        )


def find_attribute_basis(values: int, groupings: Iterable[tuple[int, ...]]) -> AttributeBasis:
    """Return coordinates for an attribute of so many values that is grouped in these ways, or counted whole.

    All groupings are constant on the pieces of their common refinement, so contrasts within pieces see none of them.
    The span of the pieces' indicators is split further.
    """
    proper = sorted({groups for groups in groupings if max(groups) + 1 < values} | {(0,) * values})
    pieces, sizes = np.unique(np.array(proper), axis=1, return_inverse=True, return_counts=True)[1:]
    indicators = (pieces.reshape(-1) == np.arange(len(sizes))[:, None]) / np.sqrt(sizes)[:, None]
    matrices = []
    for groups in proper:
        sums = (np.array(groups) == np.arange(max(groups) + 1)[:, None]) @ indicators.T
        matrices.append(sums.T @ sums)
    parts = [(size, part @ indicators) for size, part in _split(matrices)]
    if len(sizes) < values:
        parts.append((1, np.linalg.qr(indicators.T, mode="complete")[0][:, len(sizes) :].T))
    subspaces = tuple(Subspace(size, len(part) // size) for size, part in parts)
    return AttributeBasis(np.concatenate([part for _, part in parts]), subspaces)


def _split(matrices: list[Floats]) -> list[tuple[int, Floats]]:
    """Return subspaces in which all of these symmetric matrices are small, each as its size and its basis by rows.

    In a subspace of some size, a generic mixture of the matrices has as many eigenspaces, one dimension for each copy,
    and the matrices map them onto one another by multiples of orthogonal maps. Bases that follow these maps make every
    matrix B (x) I. If rounding or an unlucky mixture spoils this, it is noticed, and there is one subspace of all.
    """
    whole = np.eye(len(matrices[0]))
    scaled = [matrix / np.linalg.norm(matrix, 2) for matrix in matrices]
    mixture = sum(np.sqrt(2 + 3 * place) * matrix for place, matrix in enumerate(scaled))
    eigenvalues, vectors = np.linalg.eigh(mixture)
    cuts = [0, *(np.flatnonzero(np.diff(eigenvalues) > NEAR) + 1), len(eigenvalues)]
    spaces = [vectors[:, start:stop].T for start, stop in pairwise(cuts)]
    links = np.array([[_find_link(scaled, one, other)[0] > NEAR for other in spaces] for one in spaces])
    count, labels = connected_components(links, directed=False)
    parts = []
    for label in range(count):
        members = [spaces[place] for place in np.flatnonzero(labels == label)]
        if len({len(each) for each in members}) > 1:
            return [(len(whole), whole)]
        parts.append((len(members), np.concatenate(_align(scaled, members))))
    return parts if _are_split(scaled, parts) else [(len(whole), whole)]


def _find_link(matrices: list[Floats], one: Floats, other: Floats) -> tuple[float, Floats]:
    """Return the matrix that maps one space into another with the largest norm, and the norm."""
    maps = [one @ matrix @ other.T for matrix in matrices]
    norms = [float(np.linalg.norm(each, 2)) for each in maps]
    return max(norms), maps[int(np.argmax(norms))]


def _align(matrices: list[Floats], spaces: list[Floats]) -> list[Floats]:
    """Return the spaces with bases that the matrices map onto one another, each reached from one that was before."""
    done = {0: spaces[0]}
    while len(done) < len(spaces):
        rest = [place for place in range(len(spaces)) if place not in done]
        pairs = [(_find_link(matrices, spaces[place], aligned), place) for place in rest for aligned in done.values()]
        (_, link), place = max(pairs, key=lambda pair: pair[0][0])
        left, _, right = np.linalg.svd(link)
        done[place] = (left @ right).T @ spaces[place]
    return [done[place] for place in range(len(spaces))]


def _are_split(matrices: list[Floats], parts: list[tuple[int, Floats]]) -> bool:
    """Whether all matrices are B (x) I in each part, and 0 between two."""
    rows = np.concatenate([part for _, part in parts])
    wanted = []
    for matrix in matrices:
        moved = rows @ matrix @ rows.T
        start = 0
        for size, part in parts:
            copies, stop = len(part) // size, start + len(part)
            small = np.einsum("icjc->ij", moved[start:stop, start:stop].reshape(size, copies, size, copies)) / copies
            moved[start:stop, start:stop] -= np.kron(small, np.eye(copies))
            start = stop
        wanted.append(float(np.abs(moved).max()))
    return max(wanted) < NEAR
