"""Discrete Gaussian noise: its curve against the sum over all integers."""

from __future__ import annotations

import math

import pytest

from discreet.privacy import DiscreteGaussianLoss, GaussianLoss, SampledLoss
from support import laws
from support.laws import at_most


@pytest.mark.parametrize(("sigma", "sensitivity"), [(0.7, 1), (2.0, 3), (10.0, 1)])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 4.0])
def test_the_curve_is_the_sum(sigma: float, sensitivity: int, epsilon: float) -> None:
    truth = laws.hockey_stick(*laws.gaussian_outcomes(sigma, sensitivity), epsilon)
    found = DiscreteGaussianLoss(sigma, sensitivity).delta(epsilon)
    assert at_most(truth, found.high)
    assert found.high <= float(truth) + 1e-12


def test_rho_is_that_of_the_gaussian_and_there_is_no_pure_epsilon() -> None:
    loss = DiscreteGaussianLoss(4.0, 2)
    assert loss.zcdp() == GaussianLoss(0.5).zcdp()
    assert loss.pure == math.inf
    assert loss.group(3) == DiscreteGaussianLoss(4.0, 6)


def test_so_much_noise_that_its_atoms_are_not_listed_has_no_pair() -> None:
    assert DiscreteGaussianLoss(1e4, 1).has_pairs
    assert not DiscreteGaussianLoss(1.1e4, 1).has_pairs
    assert DiscreteGaussianLoss(1.1e4, 1).list_pairs() is None


@pytest.mark.parametrize("count", [100, 500, 1000])
def test_far_atoms_do_not_loosen_a_sample(count: int) -> None:
    """A bound of .314 at 100, 1.583 at 500 and .106 at 1000 came from a tilt that followed atoms far out."""
    found = (SampledLoss(DiscreteGaussianLoss(5.0, 1), 0.003) * count).epsilon(1e-10)
    assert found.high <= 1.03 * found.low
    assert found.high <= 0.0034 * math.sqrt(count)
