"""Matrices of cells by cells, one for each area, are multiplied and evaluated by their blocks."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.topdown.estimate import area_matrices
from discreet.topdown.estimate.area_matrices import AreaMatrices, cut_chunks
from discreet.topdown.estimate.block_basis import find_block_basis
from topdown.estimate.dense import ask, ask_all, make_schema, write_matrix

SCHEMA = make_schema(4, 3)
QUERIES = [ask(SCHEMA), ask(SCHEMA, a0=(0, 1, 1, 1)), ask(SCHEMA, a1=None), ask_all(SCHEMA)]
WEIGHTS = np.array([[1.0, 2.0, 0.5, 3.0], [0.1, 4.0, 1.0, 0.2], [1.0, 0.0, 2.0, 0.0]])
KINDS = np.array([0, 2, 1, 1, 0])


@pytest.fixture
def matrices() -> AreaMatrices:
    """Return sums of the queries' matrices, with weights by kind of area."""
    basis = find_block_basis(SCHEMA, QUERIES)
    grams = [basis.find_gram(query) for query in QUERIES]
    parts = tuple(np.tensordot(WEIGHTS, np.stack(each), axes=1) for each in zip(*grams, strict=True))
    return AreaMatrices(basis, parts, KINDS)


def write_dense() -> list[Floats]:
    """Return the matrix of each kind."""
    grams = [write_matrix(query).T @ write_matrix(query) for query in QUERIES]
    return [np.tensordot(weights, np.stack(grams), axes=1) for weights in WEIGHTS]


@pytest.mark.parametrize("areas", [slice(None), slice(1, 4), np.array([4, 0, 2])])
def test_products_with_histograms(matrices: AreaMatrices, areas: slice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(area_matrices, "CHUNK", 2 * SCHEMA.cells)
    kinds = KINDS[areas]
    cells = np.random.default_rng(0).normal(size=(len(kinds), SCHEMA.cells))
    wanted = [write_dense()[kind] @ each for kind, each in zip(kinds, cells, strict=True)]
    assert matrices.apply(cells, areas) == pytest.approx(np.array(wanted))


def test_quadratic_forms_of_answers(matrices: AreaMatrices) -> None:
    query = ask(SCHEMA, a0=(0, 0, 1, 1), a1=(0, 1, 1))
    functions = write_matrix(query)
    wanted = [np.einsum("qi,ij,qj->q", functions, each, functions) for each in write_dense()]
    assert matrices.evaluate(query) == pytest.approx(np.array(wanted))


def test_eigenvalues_bound_each_area(matrices: AreaMatrices) -> None:
    eigenvalues = np.array([np.linalg.eigvalsh(each) for each in write_dense()])[KINDS]
    assert matrices.largest == pytest.approx(eigenvalues[:, -1])
    assert matrices.smallest == pytest.approx(eigenvalues[:, 0], abs=1e-12)


def test_chunks_cover_all_rows() -> None:
    rows = [row for chunk in cut_chunks(1000, 2**16) for row in range(1000)[chunk]]
    assert rows == list(range(1000))
    assert [chunk.stop - chunk.start for chunk in cut_chunks(3, 2**30)] == [1, 1, 1]
    assert list(cut_chunks(0, 5)) == []
