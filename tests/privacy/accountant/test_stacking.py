"""Pairs put together: each is still there, with those of its family and width."""

from __future__ import annotations

import numpy as np

from discreet.privacy.accountant.pairs import DominatingPair, make_gaussian, make_laplace, make_pure
from discreet.privacy.accountant.stacking import stack_pairs


def test_every_pair_is_in_one_stack_in_its_row() -> None:
    pairs: list[DominatingPair] = [
        make_pure(0.1),
        make_laplace(0.1),
        make_gaussian(1.0),
        make_pure(0.11),
        make_laplace(0.12),
        make_pure(8.0),
        make_pure(0.3, 0.01),
    ]
    stacks = stack_pairs(pairs)
    assert sorted(member for members, _ in stacks for member in members) == list(range(len(pairs)))
    for members, together in stacks:
        assert together.rows == len(members)
        for row, member in enumerate(members):
            assert np.array_equal(together.atoms[row], pairs[member].atoms[0])
            assert np.array_equal(together.masses[row], pairs[member].masses[0])


def test_families_and_widths_stay_apart() -> None:
    pairs = [
        make_pure(0.1),
        make_laplace(0.1),
        make_pure(0.11),
        make_laplace(0.12),
        make_pure(8.0),
        make_gaussian(1.0),
        make_gaussian(1.0),
    ]
    assert sorted(members for members, _ in stack_pairs(pairs)) == [[0, 2], [1, 3], [4], [5], [6]]
