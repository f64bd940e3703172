"""Atoms gathered into cells: sums and their stated errors, against exact ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from discreet.privacy import DiscreteGaussianLoss, LaplaceLoss, PureLoss, SampledLoss
from discreet.privacy.accountant.binned_atoms import BinnedAtoms, bin_atoms
from discreet.privacy.accountant.pairs import DominatingPair
from support import laws
from support.laws import ball, exactly


def only(loss: DiscreteGaussianLoss | LaplaceLoss | PureLoss) -> DominatingPair:
    (pair,) = loss.list_pairs() or []
    return pair


def test_only_many_atoms_to_a_step_are_gathered() -> None:
    many = only(DiscreteGaussianLoss(50.0, 1))
    assert isinstance(bin_atoms(many, 1.0), BinnedAtoms)
    for pair, step in ((many, 1e-6), (only(PureLoss(1.0)), 10.0), (only(LaplaceLoss(1.0)), 10.0)):
        assert bin_atoms(pair, step) is pair


def test_tails_and_cells_agree() -> None:
    for pair in SampledLoss(DiscreteGaussianLoss(20.0, 3), 0.2).list_pairs() or []:
        law = BinnedAtoms.from_pair(pair)
        assert law.above is not None
        assert law.below is not None
        bounds = np.linspace(law.low, law.high, 11)
        for found, over, under in zip(law.measure_cells(bounds)[:3], law.above(bounds), law.below(bounds), strict=True):
            assert found[0] == pytest.approx(over[:-1] - over[1:], abs=1e-13)
            assert found[0] == pytest.approx(under[1:] - under[:-1], abs=1e-13)


def test_the_grain_is_the_largest_distance_between_atoms_that_matter() -> None:
    pair = only(DiscreteGaussianLoss(50.0, 2))
    assert pair.lattice is not None
    assert BinnedAtoms.from_pair(pair).grain == pytest.approx(2 * pair.lattice)


@pytest.mark.parametrize(("sigma", "sensitivity", "cells"), [(200.0, 3, 40), (60.0, 60, 15), (30.0, 400, 25)])
@exactly
def test_cells_of_many_atoms_are_as_exact_as_they_say(sigma: float, sensitivity: int, cells: int) -> None:
    """Noise x has loss (d^2 - 2 d x) / (2 sigma^2): a cell of losses is a run of integers."""
    noise = laws.discrete_gaussian(sigma, 1e-290)
    law = BinnedAtoms.from_pair(only(DiscreteGaussianLoss(sigma, sensitivity)))
    edges = np.linspace(-0.9, 0.9, cells + 1) * noise.reach
    runs = np.floor(edges).astype(int)
    losses = [float(Fraction(sensitivity * (sensitivity - 2 * int(x) - 1)) / (2 * Fraction(sigma) ** 2)) for x in runs]
    p, q, _, error_p, error_q, _ = (found[0][::-1] for found in law.measure_cells(np.array(losses)[::-1]))
    for place, (low, high) in enumerate(pairwise(runs)):
        inside = range(int(low) + 1, int(high) + 1)
        exact_p = sum((noise.at(x) for x in inside), ball(0))
        exact_q = sum((noise.at(x - sensitivity) for x in inside if abs(x - sensitivity) <= noise.reach), ball(0))
        whole = all(abs(x - sensitivity) <= noise.reach for x in inside)
        assert abs(ball(float(p[place])) - exact_p) <= ball(float(error_p[place]))
        assert not whole or abs(ball(float(q[place])) - exact_q) <= ball(float(error_q[place]))
