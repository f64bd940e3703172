"""Products with Kronecker products of small matrices, for many vectors at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from discreet.base.grid import Floats

LARGEST_FACTOR = 64
"""Neighbouring factors are multiplied out up to this size: few large products are faster than many small ones."""

CLOSE = 8
"""A matrix is multiplied as the identity and a matrix of low rank where that is so many times smaller than it."""


@dataclass(frozen=True, eq=False)
class KroneckerFactor:
    """One matrix of a Kronecker product."""

    matrix: Floats

    def multiply(self, values: Floats) -> Floats:
        """Return the products with values along the second of three axes."""
        before, width, after = values.shape
        if after == 1:
            flat = values.reshape(before, width)
            if self._correction is None:
                return np.asarray(flat @ self.matrix.T)
            left, right = self._correction
            found = (flat @ right.T) @ left.T
            found += flat
        elif self._correction is None:
            return np.asarray(self.matrix @ values)
        else:
            left, right = self._correction
            found = left @ (right @ values)
            found += values
        return np.asarray(found)

    @cached_property
    def transposed(self) -> KroneckerFactor:
        """The transposed matrix."""
        return KroneckerFactor(np.ascontiguousarray(self.matrix.T))

    @cached_property
    def _correction(self) -> tuple[Floats, Floats] | None:
        """The matrix less the identity as a product of a tall matrix and a wide one, where these are small.

        A basis that begins with r given vectors and was completed by reflections is that for a rank of 2 r at most.
        """
        size = len(self.matrix)
        if self.matrix.shape != (size, size) or size < 2 * CLOSE:
            return None
        left, values, right = np.linalg.svd(self.matrix - np.eye(size))
        rank = int((values > 1e-13 * values[0]).sum())
        return (left[:, :rank] * values[:rank], right[:rank]) if 2 * CLOSE * rank <= size else None


@dataclass(frozen=True, eq=False)
class KroneckerProduct:
    """A Kronecker product of matrices, the first one's index the slowest."""

    factors: tuple[KroneckerFactor, ...]

    @property
    def width(self) -> int:
        """How many columns it has."""
        return prod(factor.matrix.shape[1] for factor in self.factors)

    @cached_property
    def transposed(self) -> KroneckerProduct:
        """The transposed product."""
        return KroneckerProduct(tuple(factor.transposed for factor in self.factors))

    def multiply(self, values: Floats) -> Floats:
        """Return the products with the rows of an array."""
        before, after = values.shape
        for factor in self.factors:
            height, width = factor.matrix.shape
            after //= width
            values = factor.multiply(values.reshape(before, width, after))
            before *= height
        return values.reshape(-1, prod(factor.matrix.shape[0] for factor in self.factors))


def multiply_out(one: Floats, other: Floats) -> Floats:
    """Return the Kronecker product of two matrices as a matrix."""
    crossed = one[:, None, :, None] * other[None, :, None, :]
    return np.asarray(crossed.reshape(len(one) * len(other), -1))


def write_product(matrices: Sequence[Floats]) -> KroneckerProduct:
    """Return a Kronecker product, with neighbouring factors multiplied out while they are small."""
    merged = [matrices[0]]
    for matrix in matrices[1:]:
        if max(merged[-1].shape[0] * matrix.shape[0], merged[-1].shape[1] * matrix.shape[1]) <= LARGEST_FACTOR:
            merged[-1] = multiply_out(merged[-1], matrix)
        else:
            merged.append(matrix)
    return KroneckerProduct(tuple(KroneckerFactor(matrix) for matrix in merged))
