"""Randomized response: the price of one answer, and what all answers together say."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from discreet.base.errors import ParameterError
from discreet.mechanisms import RandomizedResponse
from support import laws
from support.laws import TOLERANCE, at_most, ball, exactly
from support.sampling import ALARM, chi_square_p


@exactly
def _law(made: RandomizedResponse, truth: int) -> list[arb]:
    lie = Fraction(made.lie)
    stray = lie / (made.categories - 1)
    return [ball(1 - lie if told == truth else stray) for told in range(made.categories)]


@pytest.mark.parametrize("categories", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_theorem_epsilon_holds_and_is_attained(categories: int, epsilon: float) -> None:
    made = RandomizedResponse.calibrate(epsilon, categories)
    pure = made.loss().pure
    for one, other in permutations(range(categories), 2):
        ratio = laws.worst_loss(_law(made, one), _law(made, other))
        assert at_most(ratio, pure)
        assert at_most(ratio, epsilon)
        assert float(ratio) >= epsilon - TOLERANCE


@pytest.mark.parametrize("categories", [2, 3, 5])
def test_theorem_the_loss_is_exactly_the_hockey_stick(categories: int) -> None:
    made = RandomizedResponse.calibrate(1.2, categories)
    for epsilon in (0.0, 0.01, 0.6, 1.19, made.loss().pure, 2.0):
        found = made.loss().delta(epsilon)
        for one, other in permutations(range(categories), 2):
            truth = laws.hockey_stick(_law(made, one), _law(made, other), epsilon)
            assert at_most(truth, found.high)
            assert found.high - float(truth) <= TOLERANCE
            assert found.low <= float(truth) + 1e-30


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 3.0, 20.0])
def test_the_truth_is_told_with_the_probability_of_the_theorem(epsilon: float) -> None:
    truth = 1 - RandomizedResponse.calibrate(epsilon).lie
    assert truth == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)), rel=1e-14)


@given(st.floats(1e-9, 600), st.integers(2, 50))
@settings(max_examples=150, deadline=None)
def test_calibration_never_exceeds_the_epsilon_asked(epsilon: float, categories: int) -> None:
    made = RandomizedResponse.calibrate(epsilon, categories)
    assert made.loss().pure <= epsilon
    assert at_most(laws.worst_loss(_law(made, 0), _law(made, 1)), made.loss().pure)


def _calibrated(epsilon: float, categories: int) -> RandomizedResponse | None:
    try:
        return RandomizedResponse.calibrate(epsilon, categories)
    except ParameterError:
        return None


@pytest.mark.parametrize("epsilon", [1e-17, 1e-16, 1e-15])
@pytest.mark.parametrize("categories", [2, 3, 5, 6, 10, 23])
def test_calibration_holds_or_is_refused_where_floats_run_out(epsilon: float, categories: int) -> None:
    made = _calibrated(epsilon, categories)
    assert made is None or at_most(laws.worst_loss(_law(made, 0), _law(made, 1)), epsilon)


@pytest.mark.parametrize("bias", [0.01, 0.1, 0.25, 0.4, 0.49])
def test_the_form_for_signs_costs_more_than_four_times_its_bias(bias: float) -> None:
    pure = RandomizedResponse.from_bias(bias).loss().pure
    assert pure == pytest.approx(math.log((1 + 2 * bias) / (1 - 2 * bias)), rel=1e-13)
    assert pure > 4 * bias > 2 * bias


@pytest.mark.parametrize("bias", [0, 0.5, -0.1, math.nan, "0.1"])
def test_a_bias_that_is_none_is_refused(bias: float) -> None:
    with pytest.raises(ParameterError, match=r"^bias must be"):
        RandomizedResponse.from_bias(bias)


def _fit(made: RandomizedResponse, law: list[arb], truth: int) -> float:
    told = made.release(np.full(400_000, truth))
    return chi_square_p(np.bincount(told, minlength=made.categories), np.array([float(p) for p in law]))


@pytest.mark.parametrize("categories", [2, 3, 5])
def test_sampler_draws_these_probabilities(categories: int) -> None:
    made = RandomizedResponse(0.3, categories)
    for truth in range(categories):
        assert _fit(made, _law(made, truth), truth) > ALARM


@pytest.mark.parametrize("categories", [2, 5])
def test_sampler_test_rejects_a_lie_5_percent_off(categories: int) -> None:
    made = RandomizedResponse(0.3, categories)
    for lie in (0.3 * 1.05, 0.3 / 1.05):
        assert _fit(made, _law(RandomizedResponse(lie, categories), 1), 1) < ALARM


def test_signs_are_kept_with_probability_half_plus_bias() -> None:
    told = RandomizedResponse.from_bias(0.2).release_signs(np.array([1, -1] * 100_000))
    assert set(told.tolist()) == {-1, 1}
    kept = int(np.sum(told == np.array([1, -1] * 100_000)))
    assert chi_square_p(np.array([kept, 200_000 - kept]), np.array([0.7, 0.3])) > ALARM


def test_one_answer_is_a_number_and_shapes_are_kept() -> None:
    assert isinstance(RandomizedResponse(0.3).release(1), int)
    assert RandomizedResponse(0.3).release(np.zeros((3, 4), dtype=np.int64)).shape == (3, 4)


SURE = RandomizedResponse(1e-12, 3)


@pytest.mark.parametrize(
    ("answers", "counted"),
    [
        ([0, 1, 2], [0, 1, 2]),
        ([-1, 3, 10**30], [0, 0, 0]),
        ([float("nan"), 1.0, float("inf")], [0, 1, 0]),
        ([None, 2, None], [0, 2, 0]),
        ([Decimal(2), Decimal("NaN"), 1], [2, 0, 1]),
        ([True, False, None], [1, 0, 0]),
        (np.array([np.int64(2), None, np.float64(1)], dtype=object), [2, 0, 1]),
        (np.array([2, 2**64 - 1], dtype=np.uint64), [2, 0]),
    ],
)
def test_what_is_outside_of_the_categories_counts_as_zero(answers: object, counted: list[int]) -> None:
    assert SURE.release(answers).tolist() == counted


@pytest.mark.parametrize("answers", [["a", "b"], np.array([1, "blue"], dtype=object), {"a": 1}])
def test_text_is_refused_rather_than_counted_as_zero(answers: object) -> None:
    with pytest.raises(ParameterError, match="category numbers"):
        SURE.release(answers)


@pytest.mark.parametrize("bits", [[5, 0, -3, float("nan")], [1, None, -1, float("nan")]])
def test_signs_that_are_not_positive_count_as_minus(bits: list[object]) -> None:
    assert RandomizedResponse(1e-12).release_signs(bits).tolist() == [1, -1, -1, -1]


def test_signs_are_for_two_categories() -> None:
    with pytest.raises(ParameterError, match="categories must be 2 to release signs"):
        RandomizedResponse(0.3, 3).release_signs([1])


@pytest.mark.slow
@pytest.mark.parametrize(("lie", "categories", "share"), [(0.25, 2, 0.3), (0.4, 2, 0.0), (0.5, 4, 1.0)])
def test_the_estimate_is_unbiased(lie: float, categories: int, share: float) -> None:
    made, people, runs = RandomizedResponse(lie, categories), 400, 500
    truth = np.array([1] * round(share * people) + [0] * (people - round(share * people)))
    told = made.release(np.tile(truth, (runs, 1)))
    estimates = [made.estimate(row).fraction for row in told]
    stay, stray = 1 - lie, lie / (categories - 1)
    variance = (share * stay * (1 - stay) + (1 - share) * stray * (1 - stray)) / people / (stay - stray) ** 2
    z = (np.mean(estimates) - share) / math.sqrt(variance / runs)
    assert 2 * special.ndtr(-abs(z)) > ALARM


def test_the_estimate_inverts_the_mean() -> None:
    told = [1] * 40 + [0] * 60
    assert RandomizedResponse(0.25).estimate(told).fraction == pytest.approx((0.4 - 0.25) / 0.5)


def _binomial(total: int, chance: float) -> list[float]:
    return [math.comb(total, k) * chance**k * (1 - chance) ** (total - k) for k in range(total + 1)]


@pytest.mark.many
@pytest.mark.parametrize(("lie", "categories"), [(0.25, 2), (0.45, 2), (0.5, 4), (0.01, 3)])
@pytest.mark.parametrize("people", [1, 2, 7, 25])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_interval_covers_exactly_for_every_truth(lie: float, categories: int, people: int, confidence: float) -> None:
    made = RandomizedResponse(lie, categories)
    estimates = [made.estimate([1] * n + [0] * (people - n), confidence=confidence) for n in range(people + 1)]
    for true in range(people + 1):
        reports = np.convolve(_binomial(true, 1 - lie), _binomial(people - true, lie / (categories - 1)))
        inside = [e.low - 1e-12 <= true / people <= e.high + 1e-12 for e in estimates]
        assert float(np.sum(reports[np.array(inside)])) >= confidence - 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_interval_covers_in_practice(share: float) -> None:
    made, people, runs = RandomizedResponse.calibrate(1.0, 3), 300, 500
    truth = np.array([2] * round(share * people) + [0] * (people - round(share * people)))
    found = [made.estimate(row, category=2, confidence=0.9) for row in made.release(np.tile(truth, (runs, 1)))]
    missed = sum(not e.low <= share <= e.high for e in found)
    assert laws.binomial_excess_p(missed, runs, 0.1) > ALARM


def test_interval_width_shrinks_with_the_answers() -> None:
    widths = [RandomizedResponse(0.25).interval(0.95, total) for total in (10, 100, 1000, 5_000)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(1.96 * math.sqrt(0.25 * 0.75 / 5_000) / 0.5, rel=0.02)


def test_answers_that_say_nothing_leave_everything_open() -> None:
    found = RandomizedResponse(0.5).estimate([1, 0, 1, 1])
    assert (found.low, found.fraction, found.high) == (0.0, 0.5, 1.0)


@pytest.mark.parametrize(("category", "confidence"), [(2, 0.9), (-1, 0.9), (1, 1.0), (1, 0.0), (1, math.nan)])
def test_senseless_questions_about_answers_are_refused(category: int, confidence: float) -> None:
    with pytest.raises(ParameterError, match=r"^(category|confidence) must be"):
        RandomizedResponse(0.3).estimate([1, 0], category, confidence)


def test_no_answers_say_nothing_and_are_refused() -> None:
    with pytest.raises(ParameterError, match="told must be at least one answer"):
        RandomizedResponse(0.3).estimate([])
