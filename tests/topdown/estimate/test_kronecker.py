"""Kronecker products are multiplied by their factors."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.topdown.estimate.kronecker import CLOSE, KroneckerFactor, write_product


@pytest.mark.parametrize(
    "shapes",
    [
        [(3, 3)],
        [(2, 3), (4, 1), (1, 5)],
        [(8, 8), (2, 2), (2, 2), (21, 21)],
        [(33, 33), (2, 1), (10, 20), (3, 3)],
        [(1, 7), (70, 70), (2, 2)],
    ],
)
def test_a_product_is_that_of_the_matrix_written_out(shapes: list[tuple[int, int]]) -> None:
    generator = np.random.default_rng(0)
    matrices = [generator.normal(size=shape) for shape in shapes]
    product = write_product(matrices)
    written = np.ones((1, 1))
    for matrix in matrices:
        written = np.asarray(np.kron(written, matrix))
    values = generator.normal(size=(4, written.shape[1]))
    assert product.width == written.shape[1]
    assert product.multiply(values) == pytest.approx(values @ written.T)
    assert product.transposed.multiply(values @ written.T) == pytest.approx(values @ written.T @ written)


def test_a_reflection_is_multiplied_as_such() -> None:
    generator = np.random.default_rng(1)
    vector = generator.normal(size=40)
    reflection = np.eye(40) - 2 * np.outer(vector, vector) / (vector @ vector)
    factor = KroneckerFactor(reflection)
    assert factor._correction is not None
    for axes in ((5, 40, 1), (5, 40, 3)):
        values = generator.normal(size=axes)
        wanted = np.einsum("ij,ajb->aib", reflection, values)
        assert factor.multiply(values).reshape(axes) == pytest.approx(wanted)


def test_matrices_far_from_the_identity_are_multiplied_whole() -> None:
    assert KroneckerFactor(np.random.default_rng(2).normal(size=(40, 40)))._correction is None
    assert KroneckerFactor(np.ones((40, 1)))._correction is None
    assert KroneckerFactor(np.eye(2 * CLOSE - 1))._correction is None
    assert KroneckerFactor(np.eye(2 * CLOSE))._correction is not None
