"""The values of an attribute in coordinates where all groupings of it are small matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.grid import Floats
from discreet.topdown.estimate import attribute_basis
from discreet.topdown.estimate.attribute_basis import AttributeBasis, Subspace, find_attribute_basis

INSTITUTIONS = (0, 1, 1, 1, 1, 2, 2, 2)


def number(labels: list[int]) -> tuple[int, ...]:
    """Return groups numbered from 0 without a gap."""
    return tuple(np.unique(labels, return_inverse=True)[1].reshape(-1).tolist())


def write_gram(groups: tuple[int, ...]) -> Floats:
    """Return G'G."""
    return np.equal.outer(groups, groups).astype(float)


def build(basis: AttributeBasis, small: tuple[Floats, ...]) -> Floats:
    """Return the matrix that has these small ones, repeated."""
    found = np.zeros(basis.rows.shape)
    start = 0
    for matrix, each in zip(small, basis.subspaces, strict=True):
        stop = start + each.size * each.copies
        found[start:stop, start:stop] = np.kron(matrix, np.eye(each.copies))
        start = stop
    return basis.rows.T @ found @ basis.rows


def check(basis: AttributeBasis, groupings: list[tuple[int, ...]]) -> None:
    """Every grouping matrix must be made of its small ones."""
    values = len(groupings[0])
    assert basis.rows @ basis.rows.T == pytest.approx(np.eye(values), abs=1e-12)
    for groups in [*groupings, tuple(range(values)), (0,) * values]:
        assert build(basis, basis.find_gram(groups)) == pytest.approx(write_gram(groups), abs=1e-9)


@pytest.mark.parametrize(
    ("groupings", "subspaces"),
    [
        ([(0,)], [(1, 1)]),
        ([(0, 0, 0, 0, 0)], [(1, 1), (1, 4)]),
        ([(2, 0, 1)], [(1, 1), (1, 2)]),
        ([INSTITUTIONS], [(3, 1), (1, 5)]),
        ([(0, 0, 1, 1, 2, 2)], [(1, 1), (1, 2), (1, 3)]),
        ([(0, 0, 0, 1, 1, 2, 2, 3)], [(3, 1), (1, 1), (1, 4)]),
        ([(0, 0, 0, 0, 1, 1, 1, 1), (0, 0, 1, 1, 2, 2, 3, 3)], [(1, 1), (1, 1), (1, 2), (1, 4)]),
        ([(0, 0, 1, 1), (0, 1, 0, 1)], [(1, 1), (1, 1), (1, 1), (1, 1)]),
        ([(0, 0, 1, 1), (0, 1, 1, 2)], [(2, 1), (2, 1)]),
    ],
)
def test_subspaces_are_as_small_as_they_can_be(
    groupings: list[tuple[int, ...]], subspaces: list[tuple[int, int]]
) -> None:
    basis = find_attribute_basis(len(groupings[0]), groupings)
    assert sorted(basis.subspaces, key=str) == sorted((Subspace(*each) for each in subspaces), key=str)
    check(basis, groupings)


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=1, max_size=3)
    )
)
def test_every_grouping_is_small_matrices_whatever_the_groups(labels: list[list[int]]) -> None:
    groupings = [number(each) for each in labels]
    check(find_attribute_basis(len(groupings[0]), groupings), groupings)


def test_where_the_copies_cannot_be_told_apart_all_is_one_subspace() -> None:
    """Symmetric matrices that generate the complex 2 x 2 matrices, on four real dimensions: no B (x) I is possible."""
    unit, turn = np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])
    matrices = [
        np.kron(np.diag([1.0, -1.0]), unit),
        np.block([[0 * unit, unit], [unit, 0 * unit]]),
        np.block([[0 * unit, turn], [turn.T, 0 * unit]]),
    ]
    assert [size for size, _ in attribute_basis._split(matrices[:2])] == [2]
    assert [size for size, _ in attribute_basis._split(matrices)] == [4]


def test_where_eigenvalues_meet_by_chance_all_is_one_subspace() -> None:
    """Both matrices' mixture is a multiple of the identity, so its eigenvectors say nothing."""
    one = np.diag([1.0, 1 - np.sqrt(2.5), 1.0])
    other = np.diag([0.0, 1.0, 0.0])
    ((size, rows),) = attribute_basis._split([one, other])
    assert size == 3
    assert rows @ rows.T == pytest.approx(np.eye(3), abs=1e-12)


def test_quadratic_forms_of_groups_that_were_never_measured() -> None:
    basis = find_attribute_basis(8, [INSTITUTIONS])
    generator = np.random.default_rng(0)
    small = tuple(generator.normal(size=(each.size, each.size)) for each in basis.subspaces)
    matrix = build(basis, small)
    groups = (0, 0, 1, 2, 2, 2, 1, 1)
    for group in range(3):
        cells = np.array(groups) == group
        found = sum((weights[group] * part).sum() for weights, part in zip(basis.weigh(groups), small, strict=True))
        assert found == pytest.approx(cells @ matrix @ cells)
