"""Gaussian noise on a Poisson sample under replace, against integrals of its densities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.privacy import GaussianLoss, Loss, ReplaceSampledGaussianLoss, ReplaceSampledLoss
from support.densities import integrate_stick, integrate_two

CASES = [(0.5, 0.1), (1.0, 0.01), (2.0, 0.4), (1.0, 1.0)]


@pytest.mark.many
@pytest.mark.parametrize(("mu", "rate"), CASES)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_the_curve_is_the_integral_between_opposite_mixtures(mu: float, rate: float, epsilon: float) -> None:
    sides = [[(0.0, 1 - rate), (side * mu, rate)] for side in (1, -1)]
    truth = integrate_stick(sides[0], sides[1], epsilon)
    found = ReplaceSampledGaussianLoss(mu, rate).delta(epsilon)
    assert found.low - 1e-9 <= truth <= found.high + 1e-9
    assert found.high == pytest.approx(truth, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("mu", "rate"), [(1.0, 0.05), (1.5, 0.5)])
def test_two_releases_cost_what_the_integral_over_the_plane_says(mu: float, rate: float) -> None:
    sides = [[(0.0, 1 - rate), (side * mu, rate)] for side in (1, -1)]
    truth = integrate_two(sides[0], sides[1], 0.7)
    found = (ReplaceSampledGaussianLoss(mu, rate) * 2).delta(0.7)
    assert found.low <= truth * (1 + 1e-4)
    assert truth * (1 - 1e-4) <= found.high <= 1.01 * truth


@pytest.mark.parametrize("turn", [0.0, 1.0, 2.0, 2.8])
def test_no_other_direction_of_the_new_value_is_worse(turn: float) -> None:
    """The unit moves the mean by mu along one axis before, and along another, turned by some angle, after."""
    mu, rate, epsilon = 1.2, 0.3, 0.4
    axis = np.linspace(-9.0, 9.0, 1200)
    x, y = np.meshgrid(axis, axis)

    def density(a: float, b: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        moved = np.exp(-((x - a) ** 2 + (y - b) ** 2) / 2)
        return ((1 - rate) * np.exp(-(x**2 + y**2) / 2) + rate * moved) / (2 * np.pi)

    before, after = density(mu, 0.0), density(mu * math.cos(turn), mu * math.sin(turn))
    truth = np.maximum(before - math.exp(epsilon) * after, 0.0).sum() * (axis[1] - axis[0]) ** 2
    assert truth <= ReplaceSampledGaussianLoss(mu, rate).delta(epsilon).high * (1 + 1e-6)


def test_gaussian_noise_costs_less_than_what_merely_keeps_its_mu() -> None:
    exact, stated = ReplaceSampledGaussianLoss(1.0, 0.01), ReplaceSampledLoss(GaussianLoss(1.0), 0.01)
    for epsilon in (0.01, 0.1, 0.5):
        assert exact.delta(epsilon).high <= stated.delta(epsilon).high * (1 + 1e-9)
    assert (exact * 100).epsilon(1e-6).high < (stated * 100).epsilon(1e-6).high


def test_mu_zero_costs_nothing_and_everybody_costs_twice_mu() -> None:
    assert ReplaceSampledGaussianLoss(0.0, 0.5).epsilon(1e-9).high == 0
    assert ReplaceSampledGaussianLoss(0.5, 1.0).epsilon(1e-6).high == pytest.approx(
        GaussianLoss(1.0).epsilon(1e-6).high
    )
    assert ReplaceSampledGaussianLoss(0.5, 0.1).zcdp() == GaussianLoss(1.0).zcdp()


def test_json_and_senseless_parameters() -> None:
    loss = ReplaceSampledGaussianLoss(0.5, 0.1)
    assert Loss.from_json(loss.to_json()) == loss == loss.replace()
    with pytest.raises(ParameterError, match=r"^mu must be"):
        ReplaceSampledGaussianLoss(-1.0, 0.1)
    with pytest.raises(ParameterError, match=r"^rate must be"):
        ReplaceSampledGaussianLoss(1.0, 1.5)
