"""A symmetric matrix on histograms for each area of a level: small blocks, shared by areas of one kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.estimate.block_basis import BlockBasis, QueryTransform, ask_cells
from discreet.topdown.spec.queries import Query

CHUNK = 2**18
"""How many numbers are worked on at once: 2 MB, which a processor's own memory holds."""

BlockParts = tuple[Floats, ...]
"""For each block of a basis, an array of shape (kinds, size, size)."""

Areas = slice | Ints
"""Some areas of a level, by their places."""

ALL = slice(None)


@dataclass(frozen=True, eq=False)
class AreaMatrices:
    """Matrices of cells x cells, one for each area of a level, never written out."""

    basis: BlockBasis
    parts: BlockParts
    kinds: Ints
    """Which of the matrices is an area's."""

    def multiply(self, coordinates: Floats, areas: Areas = ALL) -> Floats:
        """Return the products with histograms in the coordinates of the basis, a row for each of the areas."""
        kinds = self.kinds[areas]
        found = np.empty_like(coordinates)
        for block, part in zip(self.basis.blocks, self.parts, strict=True):
            given = coordinates[:, block.span]
            if block.size == 1:
                np.multiply(given, part[kinds, 0], out=found[:, block.span])
            else:
                shape = (len(kinds), block.size, block.copies)
                found[:, block.span] = (part[kinds] @ given.reshape(shape)).reshape(len(kinds), -1)
        return found

    def apply(self, cells: Floats, areas: Areas = ALL) -> Floats:
        """Return the products with histograms: a row of cells for each of the areas."""
        found = np.empty(cells.shape)
        places = np.arange(len(self.kinds))[areas]
        for chunk in cut_chunks(len(places), cells.shape[1]):
            there = self.cells.lift(cells[chunk])
            found[chunk] = self.cells.answer(self.multiply(there, places[chunk]))
        return found

    def evaluate(self, query: Query) -> Floats:
        """Return, for each kind and each answer of a query, the quadratic form in the answer's cells.

        Of covariances these are the variances of the answers.
        """
        found = np.zeros((len(self.parts[0]), query.size))
        for part, weights in zip(self.parts, self.basis.weigh(query), strict=True):
            found += part.reshape(len(part), -1) @ weights.reshape(len(weights), -1).T
        return found

    @property
    def largest(self) -> Floats:
        """The largest eigenvalue of each area's matrix: how steep the gradient of its quadratic form can grow."""
        return np.asarray(self._eigenvalues[-1][self.kinds])

    @property
    def smallest(self) -> Floats:
        """The smallest eigenvalue of each area's matrix; rounding leaves something near 0 of a singular one."""
        return np.asarray(self._eigenvalues[0][self.kinds])

    @cached_property
    def cells(self) -> QueryTransform:
        """How cells become coordinates, and back."""
        return self.basis.find_transform(ask_cells(self.basis.schema))

    @cached_property
    def _eigenvalues(self) -> tuple[Floats, Floats]:
        """The smallest and the largest eigenvalue of each kind."""
        found = [np.linalg.eigvalsh(part) for part in self.parts]
        return np.min([each[:, 0] for each in found], axis=0), np.max([each[:, -1] for each in found], axis=0)


def cut_chunks(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of all rows, each of about `CHUNK` numbers."""
    step = max(1, CHUNK // width)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
