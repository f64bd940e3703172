"""The Gaussian mechanism: calibration, loss, draws and intervals of the rounded Gaussian."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.mechanisms import Gaussian, Grid
from discreet.privacy import GaussianLoss
from support import laws
from support.laws import at_most
from support.sampling import ALARM, chi_square_p


@pytest.mark.parametrize("sigma", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("sensitivity", [1, 2, 7])
def test_theorem_the_loss_covers_the_rounded_noise(sigma: float, sensitivity: int) -> None:
    noise, loss = laws.rounded_gaussian(sigma), Gaussian(sigma).loss(sensitivity)
    for epsilon in (0.0, 0.01, 0.5, 1.0, 3.0, 15.0):
        high = loss.delta(epsilon).high
        for shift in {1, sensitivity, -1, -sensitivity}:
            assert at_most(laws.shifted_hockey_stick(noise, [shift], epsilon), high)


def test_theorem_the_loss_covers_vectors_by_their_l2_sensitivity() -> None:
    noise, loss = laws.rounded_gaussian(1.2, 1e-20), Gaussian(1.2).loss(math.sqrt(2), dim=2)
    for epsilon in (0.0, 0.3, 1.0, 4.0):
        for shift in ((1, 1), (1, -1), (1, 0), (0, -1)):
            assert at_most(laws.shifted_hockey_stick(noise, shift, epsilon), loss.delta(epsilon).high, slack=1e-18)


def test_rounding_large_noise_hides_next_to_nothing() -> None:
    truth = laws.shifted_hockey_stick(laws.rounded_gaussian(20.0), [1], 0.05)
    assert Gaussian(20.0).loss(1).delta(0.05).high == pytest.approx(float(truth), rel=1e-3)


def test_loss_is_gaussian_with_sensitivity_over_sigma() -> None:
    assert Gaussian(4.0).loss(1.5) == GaussianLoss(0.375)
    assert Gaussian(4.0, Grid(0.5)).loss(1.2) == GaussianLoss(0.75)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 3.0, 8.0, 20.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("sensitivity", [1, 2.5])
def test_calibration_is_the_least_sigma(epsilon: float, delta: float, sensitivity: float) -> None:
    sigma = Gaussian.calibrate(epsilon, delta, sensitivity).sigma
    assert Gaussian(sigma).loss(sensitivity).delta(epsilon).high <= delta
    assert Gaussian(sigma * (1 - 1e-9)).loss(sensitivity).delta(epsilon).low > delta


@pytest.mark.parametrize(
    ("delta", "epsilon"), [(1e-5, 4.377178095681), (1e-6, 4.886554117462), (1e-10, 6.547924066865)]
)
def test_calibration_at_the_published_numbers(delta: float, epsilon: float) -> None:
    assert Gaussian.calibrate(epsilon, delta).sigma == pytest.approx(1.0, rel=1e-11)
    assert Gaussian(1.0).loss(1).epsilon(delta).high == pytest.approx(epsilon, abs=1e-11)


@pytest.mark.parametrize("constant", [1.25, 2])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 0.99])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12])
def test_classical_formula_by_hand(constant: float, epsilon: float, delta: float) -> None:
    made = Gaussian.calibrate_classical(epsilon, delta, 3, constant=constant)
    assert made.sigma == pytest.approx(3 * math.sqrt(2 * math.log(constant / delta)) / epsilon, rel=1e-14)
    assert made.sigma > Gaussian.calibrate(epsilon, delta, 3).sigma
    assert made.loss(3).delta(epsilon).high <= delta


@pytest.mark.parametrize("epsilon", [1, 1.0, 2.0, 10])
def test_classical_formula_is_refused_where_it_is_false(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon must be below 1 for the classical formula"):
        Gaussian.calibrate_classical(epsilon, 1e-6)


def test_classical_formula_knows_two_constants() -> None:
    with pytest.raises(ParameterError, match=r"constant must be 1\.25 or 2"):
        Gaussian.calibrate_classical(0.5, 1e-6, constant=1.0)


@pytest.mark.parametrize("rho", [1e-6, 0.1, 2.0])
@pytest.mark.parametrize("sensitivity", [1, 1.7])
def test_zcdp_calibration_by_hand(rho: float, sensitivity: float) -> None:
    sigma = Gaussian.calibrate_zcdp(rho, sensitivity).sigma
    assert sigma == pytest.approx(sensitivity / math.sqrt(2 * rho), rel=1e-14)
    assert (Fraction(sensitivity) / Fraction(sigma)) ** 2 / 2 <= Fraction(rho)


@given(st.floats(1e-3, 20), st.floats(1e-12, 0.5), st.floats(0.1, 1e4))
@settings(max_examples=40, deadline=None)
def test_calibration_never_exceeds_what_was_asked(epsilon: float, delta: float, sensitivity: float) -> None:
    made = Gaussian.calibrate(epsilon, delta, sensitivity)
    assert made.loss(sensitivity).delta(epsilon).high <= delta
    assert made.loss(sensitivity).epsilon(delta).high <= epsilon * (1 + 1e-12)


@given(st.floats(1e-3, 20), st.floats(1e-12, 0.5), st.floats(0.1, 1e3), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_calibration_on_a_grid_never_exceeds_either(epsilon: float, delta: float, sensitivity: float, dim: int) -> None:
    made = Gaussian.calibrate(epsilon, delta, sensitivity, Grid(0.25), dim)
    assert made.loss(sensitivity, dim).delta(epsilon).high <= delta


def _agrees(sigma: float, released: Gaussian) -> float:
    reach = 9
    draws = released.release(np.full(200_000, -40)) + 40
    cells = np.clip(draws, -reach, reach) + reach
    return chi_square_p(np.bincount(cells, minlength=2 * reach + 1), laws.rounded_gaussian(sigma).floats(reach))


def test_sampler_draws_these_probabilities() -> None:
    assert _agrees(2.5, Gaussian(2.5)) > ALARM


def test_sampler_test_rejects_a_sigma_5_percent_off() -> None:
    assert _agrees(2.5 * 1.05, Gaussian(2.5)) < ALARM
    assert _agrees(2.5 / 1.05, Gaussian(2.5)) < ALARM


@pytest.mark.parametrize("sigma", [0.1, 0.8, 5.0])
@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.95, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("values", [1, 10])
def test_interval_is_the_least_that_covers(sigma: float, confidence: float, values: int) -> None:
    width = Gaussian(sigma).interval(confidence, values)
    assert laws.covers(laws.rounded_gaussian(sigma), width, confidence, values)
    assert width == 0 or not laws.covers(laws.rounded_gaussian(sigma), width - 1, confidence, values)


def test_interval_of_wide_noise_is_the_normal_quantile() -> None:
    assert Gaussian(1e6).interval(0.95) == round(1.959963984540054e6)


def test_interval_on_a_grid_includes_the_half_step_of_rounding() -> None:
    assert Gaussian(3.0, Grid(0.25)).interval(0.95) == (Gaussian(3.0).interval(0.95) + 0.5) * 0.25


def test_interval_covers_ten_values_at_once_in_practice() -> None:
    made = Gaussian(3.0)
    noise = np.abs(made.release(np.zeros((20_000, 10), dtype=np.int64))).max(axis=1)
    misses = int(np.sum(noise > made.interval(0.9, values=10)))
    assert laws.binomial_excess_p(misses, 20_000, 0.1) > ALARM


@pytest.mark.parametrize("delta", [0, 0.0])
def test_delta_zero_is_refused_because_no_gaussian_is_pure(delta: float) -> None:
    for calibrate in (Gaussian.calibrate, Gaussian.calibrate_classical):
        with pytest.raises(ParameterError, match="delta must be a finite number > 0 and < 1"):
            calibrate(0.5, delta)
