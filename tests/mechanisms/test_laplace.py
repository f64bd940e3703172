"""The Laplace mechanism and its truncated form."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.mechanisms import Geometric, Grid, Laplace, TruncatedLaplace
from discreet.mechanisms.laplace import textbook_tail
from discreet.privacy import DiscreteLaplaceLoss, PureLoss
from support import laws
from support.laws import TOLERANCE, at_most, exactly
from support.sampling import ALARM, chi_square_p

SCALES = [0.4, 1.0, 3.0]
SENSITIVITIES = [1, 2, 7]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_theorem_no_ratio_exceeds_sensitivity_over_scale(scale: float, sensitivity: int) -> None:
    noise, pure = laws.laplace(scale), Laplace(scale).loss(sensitivity).pure
    inside = range(-noise.reach + sensitivity, noise.reach - sensitivity + 1)
    here = [noise.at(x) for x in inside]
    for shift in range(-sensitivity, sensitivity + 1):
        assert at_most(laws.worst_loss(here, [noise.at(x - shift) for x in inside]), pure)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_theorem_the_loss_is_exactly_the_hockey_stick(scale: float, sensitivity: int) -> None:
    noise, loss = laws.laplace(scale), Laplace(scale).loss(sensitivity)
    for epsilon in (0.0, 0.01, 0.5 * loss.pure, 0.99 * loss.pure, loss.pure, loss.pure + 0.1):
        found = loss.delta(epsilon)
        for shift in {1, sensitivity, -1, -sensitivity}:
            assert at_most(laws.shifted_hockey_stick(noise, [shift], epsilon), found.high)
        worst = float(laws.shifted_hockey_stick(noise, [sensitivity], epsilon))
        assert found.low - 1e-30 <= worst
        assert found.high - worst <= TOLERANCE


@pytest.mark.parametrize("scale", SCALES)
def test_theorem_the_pure_epsilon_is_attained(scale: float) -> None:
    noise = laws.laplace(scale)
    greatest = laws.worst_loss([noise.at(0)], [noise.at(1)])
    assert float(greatest) == pytest.approx(Laplace(scale).loss(1).pure, rel=TOLERANCE)
    assert Laplace(scale).loss(1).delta(0.9999 / scale).low > 0


@pytest.mark.parametrize("sensitivity", [1, 2])
def test_theorem_vectors_by_their_l1_sensitivity(sensitivity: int) -> None:
    noise, loss = laws.laplace(0.6, 1e-20), Laplace(0.6).loss(sensitivity, dim=2)
    assert isinstance(loss, PureLoss)
    shifts = [s for s in product(range(-2, 3), repeat=2) if abs(s[0]) + abs(s[1]) == sensitivity]
    for epsilon in (0.0, 0.5 * loss.pure, 0.95 * loss.pure, loss.pure):
        for shift in shifts:
            truth = laws.shifted_hockey_stick(noise, shift, epsilon)
            assert at_most(truth, loss.delta(epsilon).high, slack=1e-15)


def test_a_number_has_the_exact_loss_and_a_vector_the_pure_one() -> None:
    assert Laplace(2.0).loss(3) == DiscreteLaplaceLoss(2.0, 3)
    assert Laplace(2.0).loss(3, dim=4) == PureLoss(1.5)


def test_on_a_grid_the_sensitivity_is_counted_in_steps() -> None:
    assert Laplace(2.0, Grid(0.5)).loss(1.2) == DiscreteLaplaceLoss(2.0, 3)
    assert Laplace(2.0, Grid(0.5)).loss(1.2, dim=4) == PureLoss((3 + 3) / 2)


@given(st.floats(1e-6, 1e3), st.integers(1, 10**6))
@settings(max_examples=200, deadline=None)
def test_calibration_never_exceeds_the_epsilon_asked(epsilon: float, sensitivity: int) -> None:
    assert Laplace.calibrate(epsilon, sensitivity).loss(sensitivity).pure <= epsilon
    assert Laplace.calibrate(epsilon, sensitivity, dim=3).loss(sensitivity, dim=3).pure <= epsilon
    assert TruncatedLaplace.calibrate(epsilon, 0, 9, sensitivity).loss(sensitivity).pure <= epsilon


@given(st.floats(1e-6, 1e3), st.floats(1e-3, 1e3), st.sampled_from([0.01, 0.5, 1.0, 3.0]), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_calibration_on_a_grid_never_exceeds_either(epsilon: float, sensitivity: float, step: float, dim: int) -> None:
    made = Laplace.calibrate(epsilon, sensitivity, Grid(step), dim)
    assert made.loss(sensitivity, dim).pure <= epsilon


@given(st.floats(1e-3, 1e3))
@settings(max_examples=50, deadline=None)
def test_calibration_adds_no_more_than_needed(epsilon: float) -> None:
    scale = Laplace.calibrate(epsilon).scale
    assert 1 / Fraction(scale) >= Fraction(epsilon) * (1 - Fraction(1, 2**50))


def _agrees(scale: float, released: Laplace) -> float:
    truth, reach = 1000, 15
    draws = released.release(np.full(200_000, truth)) - truth
    cells = np.clip(draws, -reach, reach) + reach
    return chi_square_p(np.bincount(cells, minlength=2 * reach + 1), laws.laplace(scale).floats(reach))


def test_sampler_draws_these_probabilities() -> None:
    assert _agrees(2.5, Laplace(2.5)) > ALARM


def test_sampler_test_rejects_a_scale_5_percent_off() -> None:
    assert _agrees(2.5 * 1.05, Laplace(2.5)) < ALARM
    assert _agrees(2.5 / 1.05, Laplace(2.5)) < ALARM


@pytest.mark.parametrize("scale", [0.1, 0.7, 3.0, 8.0])
@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.9, 0.95, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("values", [1, 10])
def test_interval_is_the_least_that_covers(scale: float, confidence: float, values: int) -> None:
    width = Laplace(scale).interval(confidence, values)
    assert laws.covers(laws.laplace(scale), width, confidence, values)
    assert width == 0 or not laws.covers(laws.laplace(scale), width - 1, confidence, values)


def test_interval_on_a_grid_includes_the_half_step_of_rounding() -> None:
    plain = Laplace(3.0).interval(0.95)
    assert Laplace(3.0, Grid(0.25)).interval(0.95) == (plain + 0.5) * 0.25


@pytest.mark.parametrize("grid", [None, Grid(0.1)])
def test_interval_covers_in_practice(grid: Grid | None) -> None:
    made = Laplace(2.0, grid, dim=20_000)
    truth = np.full(20_000, 7) if grid is None else np.linspace(-3.0, 3.0, 20_000)
    misses = int(np.sum(np.abs(made.release(truth) - truth) > made.interval(0.9) * (1 + 1e-12)))
    assert laws.binomial_excess_p(misses, 20_000, 0.1) > ALARM


@pytest.mark.parametrize("scale", [0.2, 1.0, 4.7])
@pytest.mark.parametrize("beta", [0.5, 0.1, 1e-3, 1e-9])
def test_the_textbook_tail_holds_once_rounded_up(scale: float, beta: float) -> None:
    bound = textbook_tail(scale, beta)
    assert bound == pytest.approx(scale * math.log(1 / beta), rel=1e-14)
    assert laws.covers(laws.laplace(scale), math.ceil(bound), 1 - beta)


def test_geometric_is_another_name() -> None:
    assert Geometric is Laplace


TRUNCATED = TruncatedLaplace(1.7, -2, 5)
RANGE = range(-2, 6)


@exactly
def _clamped(value: int) -> list[arb]:
    """Clamp the unbounded noise by hand."""
    noise = laws.laplace(1.7)
    law = dict.fromkeys(RANGE, arb(0))
    for x in range(-noise.reach, noise.reach + 1):
        law[min(5, max(-2, value + x))] += noise.at(x)
    return [mass + noise.outside.union(arb(0)) for mass in law.values()]


@exactly
def _stated(value: int) -> list[arb]:
    return [TRUNCATED.probability_ball(output, value) for output in RANGE]


@pytest.mark.parametrize("value", [*RANGE, -9, 12])
def test_truncated_probabilities_are_those_of_clamped_noise(value: int) -> None:
    clamped = _clamped(min(5, max(-2, value)))
    assert all(a.overlaps(b) for a, b in zip(_stated(value), clamped, strict=True))
    assert exactly(lambda: sum(_stated(value), arb(0)).overlaps(arb(1)))()
    assert TRUNCATED.probability(3, value) == pytest.approx(float(clamped[5]), rel=1e-14)


def test_truncated_outputs_outside_the_bounds_never_come() -> None:
    assert TRUNCATED.probability(-3, 0) == 0
    assert TRUNCATED.probability(6, 0) == 0


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_theorem_truncated_loss_holds_for_all_neighbours(sensitivity: int) -> None:
    loss = TRUNCATED.loss(sensitivity)
    pairs = [(a, b) for a, b in product(RANGE, RANGE) if 0 < abs(a - b) <= sensitivity]
    for epsilon in (0.0, 0.3 * loss.pure, 0.95 * loss.pure, loss.pure, loss.pure + 1):
        high = loss.delta(epsilon).high
        assert all(at_most(laws.hockey_stick(_stated(a), _stated(b), epsilon), high) for a, b in pairs)
    assert all(at_most(laws.worst_loss(_stated(a), _stated(b)), loss.pure) for a, b in pairs)


def test_theorem_truncated_pure_epsilon_is_attained() -> None:
    greatest = laws.worst_loss(_stated(0), _stated(1))
    assert float(greatest) == pytest.approx(TRUNCATED.loss(1).pure, rel=TOLERANCE)


@pytest.mark.parametrize(("scale", "agrees"), [(1.7, True), (1.7 * 1.05, False)])
def test_truncated_sampler_draws_these_probabilities_and_not_5_percent_off(scale: float, agrees: bool) -> None:
    told = TruncatedLaplace(scale, -2, 5).release(np.full(200_000, 1))
    law = np.array([float(p) for p in _stated(1)])
    assert (chi_square_p(np.bincount(told + 2, minlength=8), law) > ALARM) is agrees


def test_truncated_values_stay_inside_whatever_the_data() -> None:
    told = TRUNCATED.release(np.array([-(2**63), 2**63 - 1, 0]))
    assert np.all((told >= -2) & (told <= 5))
    assert -2 <= TRUNCATED.release(10**400) <= 5


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99, 0.9999999])
def test_truncated_interval_covers_every_value_inside(confidence: float) -> None:
    width = TRUNCATED.interval(confidence)
    assert width <= 7
    for value in RANGE:
        inside = [p for output, p in zip(RANGE, _stated(value), strict=True) if abs(output - value) <= width]
        assert sum(float(p) for p in inside) >= confidence - 1e-15


def test_truncated_interval_is_the_least_where_the_bounds_are_far() -> None:
    assert TruncatedLaplace(1.7, -1000, 1000).interval(0.9) == Laplace(1.7).interval(0.9)
    assert TruncatedLaplace(1.7, -1000, 1000).interval(0.9, values=9) == Laplace(1.7).interval(0.9, values=9)
