"""Renyi divergences of sampled Gaussians: against integrals, and quickly at large orders."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest

from discreet.privacy import GaussianLoss, SampledLoss
from discreet.privacy.losses.sampled_renyi import MOST_TERMS, bound_sampled_gaussian_renyi
from support.densities import integrate_moment


@pytest.mark.parametrize(("mu", "rate"), [(0.5, 0.1), (1.0, 0.01), (2.0, 0.5)])
@pytest.mark.parametrize("order", [1.25, 2.0, 3.5, 8.0])
def test_divergences_are_the_integral(mu: float, rate: float, order: float) -> None:
    truth = integrate_moment([(0.0, 1 - rate), (mu, rate)], [(0.0, 1.0)], order)
    found = bound_sampled_gaussian_renyi(Fraction(mu), rate, order)
    assert truth * (1 - 1e-7) <= found <= truth * (1 + 1e-6)


@pytest.mark.parametrize("order", [256, 256.5, 19_999, MOST_TERMS + 1, 1e9, 1e300])
def test_large_orders_are_finite_and_quick(order: float) -> None:
    """Order 256 once took 16 seconds and came out infinite."""
    begin = time.process_time()
    found = SampledLoss(GaussianLoss(1.0), 0.01).renyi(order)
    assert time.process_time() - begin < 10
    assert found <= GaussianLoss(1.0).renyi(order)
    assert found >= order / 2 + order / (order - 1) * math.log(0.01) - 1e-6 * order


def test_divergences_grow_with_the_order_across_every_way_of_computing_them() -> None:
    orders = [1.5, 2, 30.5, 31, 100.5, MOST_TERMS - 1, MOST_TERMS - 0.5, MOST_TERMS, MOST_TERMS + 7]
    found = [bound_sampled_gaussian_renyi(Fraction(1), 0.2, order) for order in orders]
    assert found == sorted(found)


def test_no_sample_and_no_noise_are_the_ends() -> None:
    assert bound_sampled_gaussian_renyi(Fraction(0), 0.5, 3) == 0
    assert bound_sampled_gaussian_renyi(Fraction(2), 1.0, 3) == 6
