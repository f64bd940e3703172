"""Histograms in coordinates where the matrix of every measured query is a few small blocks, repeated.

The matrix Q'Q of a query is the Kronecker product of its attributes' G'G. In the product of the attributes' bases it is
therefore, on each combination of their subspaces, a Kronecker product of small matrices, repeated: a *block*. Sums
of such matrices, products, inverses and projections keep the form. So all algebra with matrices of cells x cells runs
on arrays of size x size, and 2,016 cells of the redistricting schema are 16 blocks of at most 3 x 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import prod

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.estimate.attribute_basis import NEAR, AttributeBasis, find_attribute_basis
from discreet.topdown.estimate.kronecker import KroneckerProduct, multiply_out, write_product
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import CensusSchema


@dataclass(frozen=True)
class BasisBlock:
    """Coordinates that belong together: `size` slow, `copies` fast, from `start` on."""

    size: int
    copies: int
    start: int

    @property
    def span(self) -> slice:
        """Where its coordinates are."""
        return slice(self.start, self.start + self.size * self.copies)


@dataclass(frozen=True, eq=False)
class QueryTransform:
    """T Q' for one query Q, where T changes cells into coordinates: a Kronecker product, its rows of 0 left out."""

    product: KroneckerProduct
    places: Ints
    """The coordinate that each row of the product belongs to."""
    cells: int

    def lift(self, answers: Floats, onto: Floats | None = None) -> Floats:
        """Return the coordinates of Q' answers, an area in each row, added to what is given, in place."""
        found = self.product.multiply(answers)
        if len(self.places) < self.cells:
            onto = np.zeros((len(answers), self.cells)) if onto is None else onto
            onto[:, self.places] += found
            return onto
        found = found.take(self._rows, axis=1)
        if onto is None:
            return found
        onto += found
        return onto

    def answer(self, coordinates: Floats) -> Floats:
        """Return the answers of the query to histograms that are given by their coordinates."""
        return self.product.transposed.multiply(coordinates.take(self.places, axis=1))

    @cached_property
    def _rows(self) -> Ints:
        """The row of the product that belongs to each coordinate, where there is one for every coordinate."""
        return np.argsort(self.places)


@dataclass(frozen=True, eq=False)
class BlockBasis:
    """New coordinates for histograms, made for some queries: in each block of them the queries' matrices are small."""

    schema: CensusSchema
    attributes: tuple[AttributeBasis, ...]
    blocks: tuple[BasisBlock, ...]
    order: Ints
    """The coordinate in the product of the attributes' bases that stands at each place."""

    def find_transform(self, query: Query) -> QueryTransform:
        """Return how answers of a query become coordinates, and back; the query need not be among those measured."""
        factors, kept = [], []
        for basis, groups in zip(self.attributes, list_groups(query), strict=True):
            columns = basis.project(groups)
            rows = np.flatnonzero(np.abs(columns).max(axis=1) > NEAR)
            factors.append(columns[rows])
            kept.append(rows)
        natural = np.arange(self.schema.cells).reshape(self.schema.shape)[np.ix_(*kept)].reshape(-1)
        places = np.argsort(self.order)[natural]
        return QueryTransform(write_product(factors), places, self.schema.cells)

    def weigh(self, query: Query) -> Iterable[Floats]:
        """Yield, for each block, W of shape (answer, size, size): a matrix B of the block, repeated, has the quadratic
        form sum(B * W[answer]) in the cells of an answer. Holds for every query, measured or not."""
        parts = [each.weigh(groups) for each, groups in zip(self.attributes, list_groups(query), strict=True)]
        for choice in product(*parts):
            yield reduce(_cross, choice)

    def find_gram(self, query: Query) -> tuple[Floats, ...]:
        """Return the matrix Q'Q in each block, of a query that the basis was made for."""
        parts = [each.find_gram(groups) for each, groups in zip(self.attributes, list_groups(query), strict=True)]
        return tuple(reduce(multiply_out, choice) for choice in product(*parts))


def find_block_basis(schema: CensusSchema, queries: Iterable[Query]) -> BlockBasis:
    """Return coordinates in which the matrices of these queries are blocks."""
    used = [list_groups(query) for query in queries]
    attributes = tuple(
        find_attribute_basis(size, {groups[place] for groups in used}) for place, size in enumerate(schema.shape)
    )
    natural = np.arange(schema.cells).reshape(schema.shape)
    starts = [np.cumsum([0, *(each.size * each.copies for each in basis.subspaces)]) for basis in attributes]
    blocks, order, start = [], [], 0
    for choice in product(*(range(len(basis.subspaces)) for basis in attributes)):
        chosen = [basis.subspaces[place] for basis, place in zip(attributes, choice, strict=True)]
        slices = tuple(slice(*at[place : place + 2]) for at, place in zip(starts, choice, strict=True))
        cut = natural[slices].reshape([number for each in chosen for number in (each.size, each.copies)])
        order.append(cut.transpose(*range(0, cut.ndim, 2), *range(1, cut.ndim, 2)).reshape(-1))
        blocks.append(BasisBlock(prod(each.size for each in chosen), prod(each.copies for each in chosen), start))
        start += len(order[-1])
    return BlockBasis(schema, attributes, tuple(blocks), np.concatenate(order))


def list_groups(query: Query) -> tuple[tuple[int, ...], ...]:
    """Return the groups of all attributes: one group of everything where the query sums over an attribute."""
    named = {part.attribute: part.groups for part in query.parts}
    return tuple(named.get(place, (0,) * size) for place, size in enumerate(query.schema.shape))


def ask_cells(schema: CensusSchema) -> Query:
    """Return the query of all cells."""
    return Query(
        "cells", schema, tuple(QueryPart(place, tuple(range(size))) for place, size in enumerate(schema.shape))
    )


def _cross(one: Floats, other: Floats) -> Floats:
    """Return the Kronecker product of matrices, for each pair of answers."""
    crossed = np.einsum("sij,tkl->stikjl", one, other)
    size = one.shape[1] * other.shape[1]
    return np.asarray(crossed.reshape(len(one) * len(other), size, size))
