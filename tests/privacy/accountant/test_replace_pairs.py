"""Pairs for replace neighbours: mirrored laws are laws, and have the curve they are made for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.privacy import DiscreteLaplaceLoss, GaussianLoss, LaplaceLoss, Loss, PureLoss, ReplaceSampledLoss
from discreet.privacy.accountant.pairs import DominatingPair, make_gaussian, make_laplace, make_pure
from discreet.privacy.accountant.replace_pairs import (
    make_fixed_size_sampled,
    make_replace_sampled,
    make_replace_sampled_gaussian,
)
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled


def compute_delta(pair: DominatingPair, epsilon: float) -> float:
    """Return the hockey stick of a pair, from its tails and atoms."""
    chosen = pair.atoms[0] > epsilon
    found = float((pair.masses[0, chosen] * -np.expm1(epsilon - pair.atoms[0, chosen])).sum()) + pair.infinite
    if pair.above is not None:
        over = pair.measure_above(epsilon)
        found += float(over.p[0] - math.exp(epsilon) * over.q[0])
    return found


def add_up_masses(pair: DominatingPair) -> float:
    total = float(pair.masses.sum()) + pair.infinite
    return total if pair.above is None else total + float(pair.measure_above(-500.0).p[0])


@pytest.mark.parametrize("base", [make_gaussian(1.0), make_laplace(1.0), make_pure(1.0)])
@pytest.mark.parametrize("rate", [1e-3, 0.3])
def test_a_mirrored_pair_has_the_curve_of_removing_in_both_directions(base: DominatingPair, rate: float) -> None:
    remove, add = make_poisson_sampled(base, rate)
    both = make_fixed_size_sampled(base, rate)
    assert add_up_masses(both) == pytest.approx(1, abs=1e-9)
    for epsilon in rate * np.array([0.0, 0.1, 0.5, 1.0]):
        assert compute_delta(both, epsilon) == pytest.approx(compute_delta(remove, epsilon), rel=1e-9)
        assert compute_delta(both, epsilon) >= compute_delta(add, epsilon) * (1 - 1e-9)


def test_opposite_mixtures_are_one_pair_for_both_directions() -> None:
    pair = make_replace_sampled_gaussian(1.0, 0.2)
    x = np.array([0.05, 0.3, 1.0])
    assert pair.above is not None
    assert pair.below is not None
    over, under = pair.above(x), pair.below(-x)
    assert over.p == pytest.approx(under.q)
    assert over.excess == pytest.approx(-under.excess)
    assert add_up_masses(pair) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("base", [GaussianLoss(0.8), LaplaceLoss(0.7), PureLoss(0.6), DiscreteLaplaceLoss(2.0, 3)])
@pytest.mark.parametrize("rate", [0.01, 0.4])
def test_the_pair_of_a_sample_under_replace_has_at_least_the_curve_of_its_theorem(base: Loss, rate: float) -> None:
    (near,), (far,) = base.list_pairs() or [], base.replace().list_pairs() or []
    pair = make_replace_sampled(near, far, rate)
    assert add_up_masses(pair) == pytest.approx(1, abs=1e-6)
    for share in (0.05, 0.3, 1.0):
        epsilon = share * rate
        curve = ReplaceSampledLoss(base, rate).delta(epsilon).high
        assert curve * (1 - 1e-6) <= compute_delta(pair, epsilon) <= 1.5 * curve + 1e-9
