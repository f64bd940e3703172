"""Histograms in coordinates where the matrix of every measured query is blocks."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.topdown.estimate.block_basis import BlockBasis, ask_cells, find_block_basis
from discreet.topdown.spec.queries import Query
from topdown.estimate.dense import ask, ask_all, make_schema, write_matrix

SCHEMA = make_schema(5, 2, 4)
QUERIES = [
    ask(SCHEMA),
    ask(SCHEMA, a0=(0, 1, 1, 1, 1)),
    ask(SCHEMA, a0=(0, 0, 1, 1, 2), a2=(0, 0, 0, 1)),
    ask(SCHEMA, a1=None, a2=None),
    ask_all(SCHEMA),
]
OTHERS = [ask(SCHEMA, a0=(0, 1, 0, 1, 0), a2=None), ask(SCHEMA, a2=(0, 1, 1, 0))]


def write_transform(basis: BlockBasis) -> Floats:
    """Return the matrix from cells to coordinates."""
    return basis.find_transform(ask_cells(basis.schema)).lift(np.eye(basis.schema.cells)).T


def write_blocks(basis: BlockBasis, parts: tuple[Floats, ...]) -> Floats:
    """Return the matrix of cells with these blocks."""
    found = np.zeros((basis.schema.cells, basis.schema.cells))
    for block, part in zip(basis.blocks, parts, strict=True):
        found[block.span, block.span] = np.kron(part, np.eye(block.copies))
    transform = write_transform(basis)
    return transform.T @ found @ transform


@pytest.fixture(scope="module")
def basis() -> BlockBasis:
    return find_block_basis(SCHEMA, QUERIES)


def test_coordinates_are_orthonormal_and_blocks_cover_them(basis: BlockBasis) -> None:
    transform = write_transform(basis)
    assert transform @ transform.T == pytest.approx(np.eye(SCHEMA.cells), abs=1e-12)
    places = [place for block in basis.blocks for place in range(SCHEMA.cells)[block.span]]
    assert places == list(range(SCHEMA.cells))


@pytest.mark.parametrize("query", QUERIES)
def test_the_matrix_of_a_measured_query_is_its_blocks(basis: BlockBasis, query: Query) -> None:
    matrix = write_matrix(query)
    assert write_blocks(basis, basis.find_gram(query)) == pytest.approx(matrix.T @ matrix, abs=1e-9)


@pytest.mark.parametrize("query", [*QUERIES, *OTHERS])
def test_answers_become_coordinates_and_histograms_answers(basis: BlockBasis, query: Query) -> None:
    generator = np.random.default_rng(0)
    answers, cells = generator.normal(size=(3, query.size)), generator.normal(size=(3, SCHEMA.cells))
    transform = basis.find_transform(query)
    whole = write_transform(basis)
    assert transform.lift(answers) == pytest.approx(query.spread(answers) @ whole.T)
    assert transform.lift(answers, np.ones((3, SCHEMA.cells))) == pytest.approx(1 + query.spread(answers) @ whole.T)
    assert transform.answer(cells @ whole.T) == pytest.approx(query.answer(cells))


@pytest.mark.parametrize("query", [*QUERIES, *OTHERS])
def test_quadratic_forms_of_answers_hold_for_any_query(basis: BlockBasis, query: Query) -> None:
    generator = np.random.default_rng(1)
    parts = tuple(generator.normal(size=(block.size, block.size)) for block in basis.blocks)
    matrix, functions = write_blocks(basis, parts), write_matrix(query)
    weighed = zip(basis.weigh(query), parts, strict=True)
    found = sum(np.einsum("qij,ij->q", weights, part) for weights, part in weighed)
    assert found == pytest.approx(np.einsum("qi,ij,qj->q", functions, matrix, functions))


def test_the_redistricting_schema_has_sixteen_small_blocks() -> None:
    schema = make_schema(8, 2, 2, 63)
    queries = [ask(schema), ask(schema, a0=(0, 1, 1, 1, 1, 2, 2, 2)), ask(schema, a0=None), ask_all(schema)]
    basis = find_block_basis(schema, queries)
    assert sorted(block.size for block in basis.blocks) == [1] * 8 + [3] * 8
