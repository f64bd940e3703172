"""How well each child's counts are known: matrices of cells x cells that are only ever multiplied with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.spec.queries import Query


class Precision(Protocol):
    """A positive semidefinite matrix P of cells x cells for each child."""

    @property
    def lipschitz(self) -> Floats:
        """At least the largest eigenvalue of each child's matrix. It scales the steps; no guarantee rests on it."""

    def apply(self, values: Floats) -> Floats:
        """Return the product of each child's matrix with its row: (children, cells) to the same."""


@runtime_checkable
class RestrictablePrecision(Precision, Protocol):
    """A precision that knows a faster way to multiply where only some cells are looked at."""

    def restrict(self, cells: Ints) -> Precision:
        """Return the rows and columns of these cells of every matrix, as a precision on them alone."""


def restrict_precision(precision: Precision, cells: Ints, count: int) -> Precision:
    """Return the rows and columns of some of `count` cells, in the fastest form that the precision has."""
    if len(cells) == count:
        return precision
    if isinstance(precision, RestrictablePrecision):
        return precision.restrict(cells)
    return _Window(precision, cells, count)


@dataclass(frozen=True, eq=False)
class _Window:
    """Some cells of a precision that is applied as a whole, with 0 elsewhere."""

    whole: Precision
    cells: Ints
    count: int

    @property
    def lipschitz(self) -> Floats:
        return self.whole.lipschitz

    def apply(self, values: Floats) -> Floats:
        wide = np.zeros((len(values), self.count))
        wide[:, self.cells] = values
        return self.whole.apply(wide)[:, self.cells]


@dataclass(frozen=True, eq=False)
class MarginalPrecision:
    """The precision of queries that were measured with independent noise: P_c = sum over queries of w_cq Q'Q.

    Weights are inverse variances: a row for each child, a column for each query.
    """

    queries: Sequence[Query]
    weights: Floats

    @cached_property
    def lipschitz(self) -> Floats:
        """A bound on the eigenvalues: Q'Q has as the largest one the size of the largest group."""
        sizes = [np.bincount(query.places).max() for query in self.queries]
        return np.asarray(self.weights @ np.array(sizes, dtype=np.float64))

    def apply(self, values: Floats) -> Floats:
        """Return the products, query by query."""
        found = np.zeros(values.shape)
        for place, query in enumerate(self.queries):
            found += query.spread(query.answer(values) * self.weights[:, place, None])
        return found

    def restrict(self, cells: Ints) -> Precision:
        """Return the same on some cells, where queries that group these cells alike are one."""
        weights: dict[bytes, Floats] = {}
        for place, query in enumerate(self.queries):
            groups = np.unique(query.places[cells], return_inverse=True)[1].astype(np.int64)
            key = groups.tobytes()
            weights[key] = weights.get(key, 0.0) + self.weights[:, place]
        return GroupPrecision([np.frombuffer(key, dtype=np.int64) for key in weights], np.array([*weights.values()]).T)


@dataclass(frozen=True, eq=False)
class GroupPrecision:
    """As `MarginalPrecision`, for any partitions of the cells: `groups[q]` says which group of q each cell is in."""

    groups: Sequence[Ints]
    weights: Floats

    @cached_property
    def lipschitz(self) -> Floats:
        """The largest sum over a row: of a non-negative matrix no eigenvalue is above it."""
        ones = np.ones((len(self.weights), len(self.groups[0])))
        return np.asarray(self.apply(ones).max(axis=1, initial=0.0))

    def apply(self, values: Floats) -> Floats:
        """Return the products: sums by group, weighed, and spread again."""
        sums = self._sums @ values.T
        sums *= self._row_weights
        found = (self._spread @ sums).T
        found += self._diagonal * values
        return np.ascontiguousarray(found)

    @cached_property
    def _is_single(self) -> tuple[bool, ...]:
        """Which partitions have every cell in a group of its own."""
        return tuple(len(np.unique(each)) == len(each) for each in self.groups)

    @cached_property
    def _diagonal(self) -> Floats:
        return np.asarray(self.weights[:, np.array(self._is_single)].sum(axis=1, keepdims=True))

    @cached_property
    def _sums(self) -> sparse.csr_array:
        """A row for each group of each partition: 1 where a cell is in it."""
        cells = np.arange(len(self.groups[0]))
        kept = [each for each, single in zip(self.groups, self._is_single, strict=True) if not single]
        parts = [sparse.csr_array((np.ones(len(cells)), (each, cells))) for each in kept]
        return sparse.vstack(parts, format="csr") if parts else sparse.csr_array((0, len(cells)))

    @cached_property
    def _spread(self) -> sparse.csr_array:
        return self._sums.T.tocsr()

    @cached_property
    def _row_weights(self) -> Floats:
        """The weight of each row of `_sums`, for each child in a column."""
        kept = [place for place, single in enumerate(self._is_single) if not single]
        sizes = [int(self.groups[place].max(initial=-1)) + 1 for place in kept]
        return np.repeat(self.weights[:, kept], sizes, axis=1).T.copy()
