"""The discrete Gaussian mechanism: exact for a number, zCDP for a vector."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.mechanisms import DiscreteGaussian, Gaussian, Grid
from discreet.privacy import DiscreteGaussianLoss, GaussianLoss, ZcdpLoss
from support import laws
from support.laws import TOLERANCE, at_most, ball, exactly
from support.sampling import ALARM, chi_square_p


@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.0, 17.0])
@pytest.mark.parametrize("sensitivity", [1, 2, 7])
def test_theorem_the_loss_of_a_number_is_exactly_the_hockey_stick(sigma: float, sensitivity: int) -> None:
    noise, loss = laws.discrete_gaussian(sigma), DiscreteGaussian(sigma).loss(sensitivity)
    for epsilon in (0.0, 0.01, 0.5, 1.0, 3.0, 15.0):
        found = loss.delta(epsilon)
        for shift in {1, sensitivity, -1, -sensitivity}:
            assert at_most(laws.shifted_hockey_stick(noise, [shift], epsilon), found.high)
        worst = float(laws.shifted_hockey_stick(noise, [sensitivity], epsilon))
        assert found.low <= worst + 1e-30
        assert found.high - worst <= TOLERANCE


@pytest.mark.parametrize("sigma", [0.5, 1.2])
@pytest.mark.parametrize(("square", "shifts"), [(2, [(1, 1), (-1, 1), (1, 0)]), (5, [(2, 1), (1, -2), (0, 2), (1, 1)])])
def test_theorem_the_loss_of_a_vector_covers_it(sigma: float, square: int, shifts: list[tuple[int, int]]) -> None:
    noise, loss = laws.discrete_gaussian(sigma, 1e-25), DiscreteGaussian(sigma).loss(math.sqrt(square), dim=2)
    assert isinstance(loss, ZcdpLoss)
    for epsilon in (0.0, 0.3, 1.0, 4.0, 12.0):
        for shift in shifts:
            truth = laws.shifted_hockey_stick(noise, shift, epsilon)
            assert at_most(truth, loss.delta(epsilon).high, slack=1e-22)


@exactly
def _renyi(noise: laws.Noise, shift: int, order: int) -> arb:
    inside = range(-noise.reach + shift, noise.reach + 1)
    total = sum((noise.at(x) ** order * noise.at(x - shift) ** (1 - order) for x in inside), arb(0))
    return total.log() / (order - 1)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("shift", [1, 2])
def test_theorem_every_renyi_order_is_below_rho(sigma: float, shift: int) -> None:
    rho = exactly(lambda: ball(shift) ** 2 / (2 * ball(sigma) ** 2))()
    for order in (2, 3, 5):
        assert at_most(_renyi(laws.discrete_gaussian(sigma, 1e-60), shift, order), float(rho) * order * (1 + 1e-12))


def test_a_vector_is_not_charged_as_a_gaussian() -> None:
    """At small sigma the product of discrete Gaussians leaks more than the Gaussian of the same ratio."""
    noise = laws.discrete_gaussian(0.7, 1e-25)
    truth = laws.shifted_hockey_stick(noise, (1, 1), 12.0)
    assert float(truth) > 2 * GaussianLoss(math.sqrt(2) / 0.7).delta(12.0).high
    assert at_most(truth, DiscreteGaussian(0.7).loss(math.sqrt(2), dim=2).delta(12.0).high)


def test_loss_of_a_number_and_of_a_vector() -> None:
    assert DiscreteGaussian(2.0).loss(3) == DiscreteGaussianLoss(2.0, 3)
    assert DiscreteGaussian(2.0).loss(3, dim=2) == ZcdpLoss(1.125)
    assert DiscreteGaussian(2.0, Grid(0.5)).loss(1.2) == DiscreteGaussianLoss(2.0, 3)


def test_a_number_has_a_whole_sensitivity() -> None:
    with pytest.raises(ParameterError, match="sensitivity must be a whole number"):
        DiscreteGaussian(2.0).loss(math.sqrt(2))


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("sensitivity", [1, 5])
def test_calibration_is_the_least_sigma(epsilon: float, delta: float, sensitivity: int) -> None:
    sigma = DiscreteGaussian.calibrate(epsilon, delta, sensitivity).sigma
    assert DiscreteGaussian(sigma).loss(sensitivity).delta(epsilon).high <= delta
    assert DiscreteGaussian(sigma * (1 - 1e-9)).loss(sensitivity).delta(epsilon).high > delta


def test_calibration_of_wide_noise_is_that_of_the_gaussian() -> None:
    discrete, real = DiscreteGaussian.calibrate(0.01, 1e-6).sigma, Gaussian.calibrate(0.01, 1e-6).sigma
    assert discrete == pytest.approx(real, rel=1e-4)


@given(st.floats(1e-2, 15), st.floats(1e-12, 0.3), st.integers(1, 100))
@settings(max_examples=20, deadline=None)
def test_calibration_never_exceeds_what_was_asked(epsilon: float, delta: float, sensitivity: int) -> None:
    made = DiscreteGaussian.calibrate(epsilon, delta, sensitivity)
    assert made.loss(sensitivity).delta(epsilon).high <= delta


@given(st.floats(1e-2, 15), st.floats(1e-12, 0.3), st.floats(0.1, 50), st.integers(2, 6))
@settings(max_examples=20, deadline=None)
def test_calibration_of_vectors_never_exceeds_it_either(
    epsilon: float, delta: float, sensitivity: float, dim: int
) -> None:
    for grid in (None, Grid(0.1)):
        made = DiscreteGaussian.calibrate(epsilon, delta, sensitivity, grid, dim)
        assert made.loss(sensitivity, dim).delta(epsilon).high <= delta


@given(st.floats(1e-6, 10), st.floats(0.1, 100))
@settings(max_examples=50, deadline=None)
def test_zcdp_calibration_never_exceeds_rho(rho: float, sensitivity: float) -> None:
    made = DiscreteGaussian.calibrate_zcdp(rho, sensitivity, dim=2)
    assert (Fraction(sensitivity) / Fraction(made.sigma)) ** 2 / 2 <= Fraction(rho)
    loss = made.loss(sensitivity, dim=2)
    assert isinstance(loss, ZcdpLoss)
    assert loss.rho <= rho
    assert loss.rho == pytest.approx(rho, rel=1e-14)


def _agrees(sigma: float, released: DiscreteGaussian) -> float:
    reach = 9
    draws = released.release(np.full(200_000, 11)) - 11
    cells = np.clip(draws, -reach, reach) + reach
    return chi_square_p(np.bincount(cells, minlength=2 * reach + 1), laws.discrete_gaussian(sigma).floats(reach))


@pytest.mark.parametrize("sigma", [0.6, 2.5])
def test_sampler_draws_these_probabilities(sigma: float) -> None:
    assert _agrees(sigma, DiscreteGaussian(sigma)) > ALARM


def test_sampler_test_rejects_a_sigma_5_percent_off() -> None:
    assert _agrees(2.5 * 1.05, DiscreteGaussian(2.5)) < ALARM
    assert _agrees(2.5 / 1.05, DiscreteGaussian(2.5)) < ALARM


@pytest.mark.parametrize("sigma", [0.1, 0.8, 5.0, 17.0])
@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.95, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("values", [1, 10])
def test_interval_is_the_least_that_covers(sigma: float, confidence: float, values: int) -> None:
    width = DiscreteGaussian(sigma).interval(confidence, values)
    assert laws.covers(laws.discrete_gaussian(sigma), width, confidence, values)
    assert width == 0 or not laws.covers(laws.discrete_gaussian(sigma), width - 1, confidence, values)


def test_interval_on_a_grid_includes_the_half_step_of_rounding() -> None:
    plain = DiscreteGaussian(3.0).interval(0.95)
    assert DiscreteGaussian(3.0, Grid(0.25)).interval(0.95) == (plain + 0.5) * 0.25


def test_interval_covers_in_practice() -> None:
    made = DiscreteGaussian(3.0)
    misses = int(np.sum(np.abs(made.release(np.zeros(50_000, dtype=np.int64))) > made.interval(0.9)))
    assert laws.binomial_excess_p(misses, 50_000, 0.1) > ALARM


def test_delta_zero_is_refused_because_no_gaussian_is_pure() -> None:
    with pytest.raises(ParameterError, match="delta must be a finite number > 0 and < 1"):
        DiscreteGaussian.calibrate(0.5, 0)
