"""The staircase mechanism: private for every tread, and the best of them at large epsilon."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.rounding import precision
from discreet.mechanisms import Grid, Laplace, Staircase
from discreet.privacy import PureLoss
from support import laws
from support.laws import TOLERANCE, at_most, exactly
from support.sampling import ALARM, chi_square_p

SHAPES = [(width, tread) for width in (1, 2, 5, 7) for tread in range(1, width + 1)]
each_shape = pytest.mark.parametrize(("width", "tread"), SHAPES)


@each_shape
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_theorem_no_ratio_exceeds_epsilon_up_to_the_width(epsilon: float, width: int, tread: int) -> None:
    noise, pure = laws.staircase(epsilon, width, tread, 1e-12), Staircase(epsilon, width, tread).loss(width).pure
    assert pure == epsilon
    inside = range(-noise.reach + width, noise.reach - width + 1)
    here = [noise.at(x) for x in inside]
    for shift in range(1, width + 1):
        assert at_most(laws.worst_loss(here, [noise.at(x - shift) for x in inside]), pure)


@each_shape
def test_theorem_epsilon_is_attained(width: int, tread: int) -> None:
    noise = laws.staircase(1.0, width, tread)
    assert float(laws.worst_loss([noise.at(0)], [noise.at(width)])) == pytest.approx(1.0, abs=TOLERANCE)


@each_shape
def test_theorem_the_loss_covers_the_hockey_stick(width: int, tread: int) -> None:
    noise, loss = laws.staircase(1.5, width, tread, 1e-16), Staircase(1.5, width, tread).loss(width)
    for epsilon in (0.0, 0.01, 0.7, 1.49, 1.5, 2.0):
        for shift in {1, width, -width}:
            truth = laws.shifted_hockey_stick(noise, [shift], epsilon)
            assert at_most(truth, loss.delta(epsilon).high, slack=1e-14)


@pytest.mark.parametrize("sensitivity", [1, 2, 7])
def test_theorem_other_sensitivities_cost_by_the_flight(sensitivity: int) -> None:
    noise, loss = laws.staircase(1.0, 3, 2, 1e-12), Staircase(1.0, 3, 2).loss(sensitivity)
    assert loss == PureLoss(float(-(-sensitivity // 3)))
    inside = range(-noise.reach + 7, noise.reach - 7 + 1)
    for shift in range(1, sensitivity + 1):
        ratio = laws.worst_loss([noise.at(x) for x in inside], [noise.at(x - shift) for x in inside])
        assert at_most(ratio, loss.pure)


@exactly
def _mean_error(noise: laws.Noise) -> float:
    return float(sum((2 * x * noise.at(x) for x in range(1, noise.reach + 1)), arb(0)))


@each_shape
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_expected_error_is_the_sum(epsilon: float, width: int, tread: int) -> None:
    exact = _mean_error(laws.staircase(epsilon, width, tread))
    assert Staircase(epsilon, width, tread).expected_error() == pytest.approx(exact, rel=1e-12)


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0, 6.0])
@pytest.mark.parametrize("width", [1, 2, 5, 7, 30])
def test_calibration_picks_the_best_of_all_treads(epsilon: float, width: int) -> None:
    made = Staircase.calibrate(epsilon, width)
    errors = [_mean_error(laws.staircase(epsilon, width, tread)) for tread in range(1, width + 1)]
    assert made.width == width
    assert errors[made.tread - 1] <= min(errors) * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [2.0, 5.0])
def test_calibration_of_wide_flights_is_as_good_as_any_tread(epsilon: float) -> None:
    made = Staircase.calibrate(epsilon, 5000)
    others = [Staircase(epsilon, 5000, tread).expected_error() for tread in range(1, 5001)]
    assert made.expected_error() <= min(others) * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [3.0, 4.0, 8.0])
@pytest.mark.parametrize("width", [2, 5, 7, 100])
def test_it_errs_less_than_laplace_at_large_epsilon(epsilon: float, width: int) -> None:
    laplace = Laplace.calibrate(epsilon, width)
    assert Staircase.calibrate(epsilon, width).expected_error() < 0.95 * _mean_error(laws.laplace(laplace.scale))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_at_width_one_it_is_the_discrete_laplace(epsilon: float) -> None:
    made, scale = Staircase.calibrate(epsilon, 1), 1 / epsilon
    assert made == Staircase(epsilon, 1, 1)
    assert made.expected_error() == pytest.approx(_mean_error(laws.laplace(scale)), rel=1e-12)
    for x in range(20):
        ratio = float(laws.staircase(epsilon, 1, 1).at(x)) / float(laws.laplace(scale).at(x))
        assert ratio == pytest.approx(1.0, rel=1e-12)


@given(st.floats(1e-3, 50), st.integers(1, 600))
@settings(max_examples=25, deadline=None)
def test_calibration_never_exceeds_the_epsilon_asked(epsilon: float, sensitivity: int) -> None:
    assert Staircase.calibrate(epsilon, sensitivity).loss(sensitivity).pure <= epsilon


@given(st.floats(1e-3, 50), st.floats(0.01, 50))
@settings(max_examples=25, deadline=None)
def test_calibration_on_a_grid_never_exceeds_it_either(epsilon: float, sensitivity: float) -> None:
    made = Staircase.calibrate(epsilon, sensitivity, Grid(0.25))
    assert made.loss(sensitivity).pure <= epsilon


def _agrees(released: Staircase, stated: Staircase) -> float:
    reach = 4 * stated.width
    draws = released.release(np.full(200_000, 5)) - 5
    cells = np.clip(draws, -reach, reach) + reach
    law = laws.staircase(stated.epsilon, stated.width, stated.tread).floats(reach)
    return chi_square_p(np.bincount(cells, minlength=2 * reach + 1), law)


@pytest.mark.parametrize(("width", "tread"), [(1, 1), (2, 1), (5, 2), (7, 7)])
def test_sampler_draws_these_probabilities(width: int, tread: int) -> None:
    made = Staircase(1.1, width, tread)
    assert _agrees(made, made) > ALARM


def test_sampler_of_wide_integers_draws_them_too() -> None:
    made, base = Staircase(1.1, 3, 2), 10**40
    draws = np.array([int(told) - base for told in made.release([base] * 20_000)])
    cells = np.clip(draws, -12, 12) + 12
    assert chi_square_p(np.bincount(cells, minlength=25), laws.staircase(1.1, 3, 2).floats(12)) > ALARM


def test_sampler_test_rejects_an_epsilon_5_percent_off() -> None:
    assert _agrees(Staircase(1.1, 5, 2), Staircase(1.1 * 1.05, 5, 2)) < ALARM
    assert _agrees(Staircase(1.1, 5, 2), Staircase(1.1 / 1.05, 5, 2)) < ALARM


def test_sampler_test_rejects_another_tread() -> None:
    assert _agrees(Staircase(1.1, 5, 2), Staircase(1.1, 5, 3)) < ALARM


@each_shape
def test_the_stated_tail_is_the_sum(width: int, tread: int) -> None:
    noise, made = laws.staircase(0.9, width, tread), Staircase(0.9, width, tread)
    for start in range(1, 3 * width + 2):
        with precision():
            stated = made.tail_ball(start)
            inside = sum((noise.at(x) for x in range(-start + 1, start)), arb(0))
            assert float(1 - inside) == pytest.approx(float(stated), abs=1e-20, rel=1e-14)


@each_shape
@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("values", [1, 10])
def test_interval_is_the_least_that_covers(width: int, tread: int, confidence: float, values: int) -> None:
    half = Staircase(0.8, width, tread).interval(confidence, values)
    noise = laws.staircase(0.8, width, tread)
    assert laws.covers(noise, half, confidence, values)
    assert half == 0 or not laws.covers(noise, half - 1, confidence, values)


def test_interval_on_a_grid_includes_the_half_step_of_rounding() -> None:
    assert Staircase(0.8, 5, 2, Grid(0.25)).interval(0.95) == (Staircase(0.8, 5, 2).interval(0.95) + 0.5) * 0.25


def test_interval_covers_in_practice() -> None:
    made = Staircase(0.8, 5, 2)
    misses = int(np.sum(np.abs(made.release(np.zeros(50_000, dtype=np.int64))) > made.interval(0.9)))
    assert laws.binomial_excess_p(misses, 50_000, 0.1) > ALARM


@pytest.mark.parametrize("dim", [2, 3])
def test_the_loss_of_vectors_pays_for_a_flight_in_every_number(dim: int) -> None:
    """Moves of one step in each number may each cross a stair: the exact worst case of small vectors."""
    made = Staircase(1.0, 4, 2)
    for total in (1, 2, 5, 9):
        worst = max(
            sum(-(-move // made.width) for move in moves)
            for moves in product(range(total + 1), repeat=dim)
            if sum(moves) == total
        )
        assert made.loss(total, dim).pure >= worst * made.epsilon
    assert made.loss(2, dim=2).pure == 2.0
