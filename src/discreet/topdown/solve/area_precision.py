"""The precision of the tree's estimates, as the solve wants it: of some areas, and fast on few cells.

An entry of a matrix that is made of blocks (`estimate.block_basis`) depends on its two cells only through the pairs of
values that they have in each attribute, and on these only through what the attribute's basis makes of them: where an
attribute is counted whole or not at all, through whether the values are the same. So there are few different entries
(256 of four million, for a redistricting schema with two kinds of institutions), one table holds them, and a matrix on
the cells of one parent is looked up in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.estimate.area_matrices import AreaMatrices, Areas
from discreet.topdown.estimate.attribute_basis import AttributeBasis
from discreet.topdown.solve.precision import Precision, restrict_precision

LARGEST_TABLE = 2**16
DENSE = 64
"""Matrices on n of N cells are written out where n^2 is at most this many times N: else blocks are faster."""


@dataclass(frozen=True, eq=False)
class EntryTable:
    """All entries of the matrices of a level. Make it once for a level, and a precision from it for each parent."""

    matrices: AreaMatrices

    def take(self, areas: Areas) -> Precision:
        """Return the precision of some areas."""
        return AreaPrecision(self, np.arange(len(self.matrices.kinds))[areas])

    @cached_property
    def classes(self) -> tuple[PairClasses, ...]:
        """What pairs of values there are in each attribute."""
        return tuple(find_classes(each) for each in self.matrices.basis.attributes)

    @property
    def is_small(self) -> bool:
        """Whether it is worth making."""
        return prod(each.count for each in self.classes) * len(self.matrices.parts[0]) <= LARGEST_TABLE

    @cached_property
    def entries(self) -> Floats:
        """For each kind of area, the entry for each combination of classes."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        count = len(self.classes)
        left, right, out = (letters[1 + part * count : 1 + (part + 1) * count] for part in range(3))
        terms = [f"{left[place]}{right[place]}{out[place]}" for place in range(count)]
        formula = f"a{left}{right}," + ",".join(terms) + f"->a{out}"
        found = np.zeros((len(self.matrices.parts[0]), *(each.count for each in self.classes)))
        for part, choice in zip(self.matrices.parts, product(*(each.kernels for each in self.classes)), strict=True):
            sizes = [len(kernel) for kernel in choice]
            found += np.einsum(formula, part.reshape(len(part), *sizes, *sizes), *choice, optimize=True)
        return found.reshape(len(found), -1)

    def find_places(self, cells: Ints) -> Ints:
        """Return, for each pair of cells, the combination of classes that it is."""
        found = np.zeros((len(cells), len(cells)), dtype=np.int64)
        for each, values in zip(self.classes, np.unravel_index(cells, self.matrices.basis.schema.shape), strict=True):
            found = found * each.count + each.of[np.ix_(values, values)]
        return found


@dataclass(frozen=True, eq=False)
class PairClasses:
    """The pairs of values of an attribute that its basis cannot tell apart."""

    of: Ints
    """The class of each pair."""
    kernels: tuple[Floats, ...]
    """For each subspace, K of shape (size, size, class): a matrix B there has the entry sum(B * K[:, :, class])."""

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self.kernels[0].shape[-1])


def find_classes(basis: AttributeBasis) -> PairClasses:
    """Return which pairs of values have the same entries in every matrix."""
    values, kernels, start = len(basis.rows), [], 0
    for each in basis.subspaces:
        stop = start + each.size * each.copies
        part = basis.rows[start:stop].reshape(each.size, each.copies, values)
        kernels.append(np.einsum("icv,jcw->ijvw", part, part).reshape(each.size, each.size, -1))
        start = stop
    stacked = np.concatenate([each.reshape(-1, values**2) for each in kernels])
    _, first, of = np.unique(np.rint(stacked * 2**30), axis=1, return_index=True, return_inverse=True)
    return PairClasses(of.reshape(values, values), tuple(each[:, :, first] for each in kernels))


@dataclass(frozen=True, eq=False)
class AreaPrecision:
    """The precision of some areas of a level."""

    table: EntryTable
    areas: Ints

    @property
    def lipschitz(self) -> Floats:
        """The largest eigenvalue of each area's matrix."""
        return self.table.matrices.largest[self.areas]

    def apply(self, values: Floats) -> Floats:
        """Return the products, through the blocks."""
        return self.table.matrices.apply(values, self.areas)

    def restrict(self, cells: Ints) -> Precision:
        """Return the same on some cells: written out where these are few."""
        count = self.table.matrices.basis.schema.cells
        if len(cells) ** 2 > DENSE * count or not self.table.is_small:
            return restrict_precision(_Blocks(self), cells, count)
        kinds, which = np.unique(self.table.matrices.kinds[self.areas], return_inverse=True)
        return DensePrecision(self.table.entries[kinds][:, self.table.find_places(cells)], which)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """An area precision that is applied as a whole."""

    whole: AreaPrecision

    @property
    def lipschitz(self) -> Floats:
        return self.whole.lipschitz

    def apply(self, values: Floats) -> Floats:
        return self.whole.apply(values)


@dataclass(frozen=True, eq=False)
class DensePrecision:
    """Matrices that are written out, and which of them is each child's."""

    matrices: Floats
    which: Ints

    @cached_property
    def lipschitz(self) -> Floats:
        """The largest sum of a row's absolute values: no eigenvalue is above it."""
        return np.asarray(np.abs(self.matrices).sum(axis=2).max(axis=1, initial=0.0)[self.which])

    def apply(self, values: Floats) -> Floats:
        """Return the products."""
        if len(self.matrices) == 1:
            return np.asarray(values @ self.matrices[0])
        found = np.empty_like(values)
        for kind, matrix in enumerate(self.matrices):
            found[self.which == kind] = values[self.which == kind] @ matrix
        return found
