"""What the readings of a level and of all levels below it say of an area: exactly, with noise, or nothing.

Every area of a level has the same readings, and the levels below it too, whatever its children. So the directions of
histogram space fall apart alike for all areas of a level, into three orthogonal subspaces:

* *fixed*: linear functions of the area's counts that public numbers give exactly, here or in all of its children;
* *free*: known with noise;
* *unseen*: no reading here or below depends on them.

Proof. A function of an area's counts is known from its children exactly if the same function is known of each child:
children's counts are free of one another, so a function of their sum is one of each. By induction from the smallest
areas, what is known of an area is the span of what is asked at its level and at those below, and fixed is the span
of what is public there. Both spans only grow on the way up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discreet.base.grid import Floats
from discreet.topdown.estimate.attribute_basis import NEAR
from discreet.topdown.estimate.block_basis import BlockBasis
from discreet.topdown.spec.queries import Query


class NoisyQuery(Protocol):
    """What is known of a reading before it is made; of a `LevelReading` too."""

    @property
    def level(self) -> int:
        """Where it is asked."""

    @property
    def query(self) -> Query:
        """What is asked in each area."""

    @property
    def variance(self) -> float:
        """Of the noise of one answer: 0 where the answers are public, and hold exactly."""


@dataclass(frozen=True, eq=False)
class BlockFrame:
    """One block of a level's frame."""

    precision: Floats
    """The sum of Q'Q / variance over the level's own noisy readings."""
    public: Floats
    """The pseudo-inverse of K: the sum of Q'Q / norm over the level's own public readings, and the projection onto what
    is fixed below. Norms (`find_norm`) make all of them as large, whatever the number of cells."""
    fixed: Floats
    """The projection onto what is fixed."""
    free: Floats
    """An orthonormal basis of what is known with noise: a column for each direction."""

    @property
    def unseen(self) -> Floats:
        """The projection onto what no reading of the level or below it depends on."""
        return np.asarray(np.eye(len(self.fixed)) - self.fixed - self.free @ self.free.T)


LevelFrame = tuple[BlockFrame, ...]
"""A frame for each block of a basis."""


def find_frame(basis: BlockBasis, readings: Sequence[NoisyQuery], below: LevelFrame | None) -> LevelFrame:
    """Return the frame of a level with these readings, above a level with that frame, or of a level on its own."""
    noisy = [(basis.find_gram(each.query), each) for each in readings if each.variance > 0]
    public = [(basis.find_gram(each.query), each) for each in readings if each.variance == 0]
    frame = []
    for place, block in enumerate(basis.blocks):
        nothing = np.zeros((block.size, block.size))
        fixed_below = below[place].fixed if below else nothing
        known_below = below[place].free @ below[place].free.T if below else nothing
        exact = sum((gram[place] / find_norm(each.query) for gram, each in public), fixed_below)
        eigenvalues, fixed = _find_range(exact)
        outside = np.eye(block.size) - fixed @ fixed.T
        asked = sum((gram[place] / find_norm(each.query) for gram, each in noisy), known_below)
        frame.append(
            BlockFrame(
                sum((gram[place] / each.variance for gram, each in noisy), nothing),
                fixed / eigenvalues @ fixed.T,
                fixed @ fixed.T,
                _find_range(outside @ asked @ outside)[1],
            )
        )
    return tuple(frame)


def find_norm(query: Query) -> int:
    """Return the largest eigenvalue of Q'Q: how many cells the answer of most cells has."""
    return int(np.bincount(query.places).max())


def _find_range(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues and eigenvectors of a sum of grouping matrices, of norm 1 each, that are not 0.

    Grouping matrices are made of whole numbers, so that what is not 0 is far above what rounding leaves of it.
    """
    eigenvalues, vectors = np.linalg.eigh(matrix)
    kept = eigenvalues > NEAR
    return eigenvalues[kept], vectors[:, kept]
