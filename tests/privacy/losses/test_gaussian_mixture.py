"""Mixtures of Gaussians against numerical integrals of their densities."""

from __future__ import annotations

import math

import pytest

from discreet.base.errors import ParameterError
from discreet.privacy import GaussianLoss, GaussianMixtureLoss, Loss, SampledLoss
from support.densities import integrate_stick, integrate_two

MIXTURES = [
    ((0.0, 1.0), (0.9, 0.1)),
    ((0.3, 1.0, 2.0), (0.5, 0.3, 0.2)),
    ((0.0, 0.5, 1.0, 1.5), (0.7, 0.1, 0.1, 0.1)),
    ((0.05, 3.0), (0.99, 0.01)),
]
each_mixture = pytest.mark.parametrize(("shifts", "weights"), MIXTURES)


@pytest.mark.many
@each_mixture
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 3.0])
def test_the_curve_is_the_worse_of_both_integrals(
    shifts: tuple[float, ...], weights: tuple[float, ...], epsilon: float
) -> None:
    mixture, plain = list(zip(shifts, weights, strict=True)), [(0.0, 1.0)]
    truth = max(integrate_stick(mixture, plain, epsilon), integrate_stick(plain, mixture, epsilon))
    found = GaussianMixtureLoss(shifts, weights).delta(epsilon)
    assert found.low <= truth + 1e-9
    assert found.high >= truth - 1e-9
    assert found.high == pytest.approx(truth, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("shifts", "weights"), MIXTURES[1:3])
def test_two_releases_cost_what_the_integral_over_the_plane_says(
    shifts: tuple[float, ...], weights: tuple[float, ...]
) -> None:
    mixture, plain = list(zip(shifts, weights, strict=True)), [(0.0, 1.0)]
    truth = max(integrate_two(mixture, plain, 1.0), integrate_two(plain, mixture, 1.0))
    found = (GaussianMixtureLoss(shifts, weights) * 2).delta(1.0)
    assert found.low <= truth * (1 + 1e-4)
    assert truth * (1 - 1e-4) <= found.high <= truth * 1.01 + 1e-9


def test_a_poisson_sample_is_a_mixture() -> None:
    mixture, sampled = GaussianMixtureLoss([0.0, 0.8], [0.75, 0.25]), SampledLoss(GaussianLoss(0.8), 0.25)
    for epsilon in (0.0, 0.5, 2.0):
        assert mixture.delta(epsilon).high == pytest.approx(sampled.delta(epsilon).high, rel=1e-9)
    assert (mixture * 10).epsilon(1e-6).high == pytest.approx((sampled * 10).epsilon(1e-6).high, rel=2e-3)


def test_one_shift_is_a_gaussian_and_none_costs_nothing() -> None:
    assert GaussianMixtureLoss([0.7], [1.0]).epsilon(1e-6).high == pytest.approx(GaussianLoss(0.7).epsilon(1e-6).high)
    assert GaussianMixtureLoss([0.0], [1.0]).epsilon(1e-6).high == 0
    assert GaussianMixtureLoss([0.0, 1.0], [0.5, 0.5]).pure == math.inf


def test_larger_shifts_and_groups_cost_more() -> None:
    small, large = GaussianMixtureLoss([0.0, 0.5], [0.5, 0.5]), GaussianMixtureLoss([0.0, 0.6], [0.5, 0.5])
    assert small.epsilon(1e-6).high < large.epsilon(1e-6).low
    assert small.group(2) == GaussianLoss(1.0)
    assert small.zcdp() == GaussianLoss(0.5).zcdp()


def test_shifts_come_back_from_json_in_order() -> None:
    loss = GaussianMixtureLoss([1.0, 0.25], [0.25, 0.75])
    assert loss == GaussianMixtureLoss([0.25, 1.0], [0.75, 0.25])
    assert Loss.from_json(loss.to_json()) == loss


@pytest.mark.parametrize(
    ("shifts", "weights", "name"),
    [
        ([], [], "shifts"),
        ([-1.0], [1.0], "shifts"),
        ([1e7], [1.0], "shifts"),
        ([1.0], [0.9], "weights"),
        ([1.0, 2.0], [1.0], "weights"),
        ([1.0, 2.0], [1.5, -0.5], "weights"),
        ([0.0] * 33, [1 / 33] * 33, "shifts"),
    ],
)
def test_senseless_mixtures_are_refused(shifts: list[float], weights: list[float], name: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        GaussianMixtureLoss(shifts, weights)
