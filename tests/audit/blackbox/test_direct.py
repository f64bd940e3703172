"""A direct test of a claim: how often it errs, and how near its bounds are to the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.audit.blackbox.betting import PairCounts, find_gaussian_delta
from discreet.audit.blackbox.direct import GRID, DirectTest, find_deviations

TRIES = 1_000
MOST = 0.05 * TRIES + 4 * math.sqrt(TRIES * 0.05 * 0.95)
"""Errors in so many tries at 95 %, but for four deviations."""


def draw_tests(likely: float, unlikely: float, pairs: int, seed: int) -> list[DirectTest]:
    generator = np.random.default_rng(seed)
    chances = PairCounts.expect(likely, unlikely, 1)
    drawn = generator.multinomial(pairs, [chances.both, chances.first, chances.second, chances.neither], TRIES)
    return [DirectTest(PairCounts(*map(float, row)), number) for number, row in enumerate(drawn)]


@pytest.mark.parametrize(
    ("claim", "delta", "unlikely"), [(0.3, 0.0, 0.4), (0.1, 0.0, 0.01), (0.5, 0.02, 0.05), (0, 0.1, 0.2)]
)
def test_claims_that_just_hold_are_refuted_no_oftener_than_it_says(claim: float, delta: float, unlikely: float) -> None:
    tests = draw_tests(math.exp(claim) * unlikely + delta, unlikely, 3_000, 1)
    wrong = sum(test.find_p_value(claim, delta) <= 0.05 for test in tests)
    assert 0.01 * TRIES < wrong <= MOST


def test_a_delta_that_is_forgotten_would_be_noticed() -> None:
    tests = draw_tests(math.exp(0.5) * 0.05 + 0.02, 0.05, 3_000, 2)
    assert sum(test.find_p_value(0.5, 0.0) <= 0.05 for test in tests) > 2 * MOST


def test_bounds_exceed_the_truth_no_oftener_than_they_say() -> None:
    tests = draw_tests(0.4 * math.exp(0.3), 0.4, 20_000, 3)[:200]
    bounds = [test.bound_epsilon(0.0, 0.05) for test in tests]
    assert sum(bound > 0.3 for bound in bounds) <= 0.05 * 200 + 4 * math.sqrt(200 * 0.05 * 0.95)
    assert 0.26 < np.median(bounds) < 0.3


def test_a_bound_is_the_last_claim_before_the_first_that_is_not_refuted() -> None:
    test = DirectTest(PairCounts(100, 900, 500, 8_500), 7)
    bound = test.bound_epsilon(0.0, 0.05)
    after = GRID[np.searchsorted(GRID, bound) + 1]
    assert test.find_p_value(bound, 0.0) <= 0.05 < test.find_p_value(float(after), 0.0)


def test_gaussian_bounds_are_of_the_true_trade_off() -> None:
    generator, pairs = np.random.default_rng(6), 200_000
    left, right = generator.normal(1.0, 1.0, pairs) > 0.5, generator.normal(0.0, 1.0, pairs) > 0.5
    test = DirectTest(PairCounts.count(left, right), 1)
    assert find_gaussian_delta(1.0, 0.0) == pytest.approx(0.383, abs=0.001)
    assert 0.96 < test.bound_mu(0.0, 0.05) < 1.0


def test_p_values_are_uniform_at_a_tangent_below_zero_too() -> None:
    """Where an event is frequent the tangent of a Gaussian's trade-off has a slope below one."""
    delta, likely, unlikely = find_gaussian_delta(1.0, -1.0), 0.9332, 0.6915
    assert likely == pytest.approx(math.exp(-1) * unlikely + delta, abs=1e-3)
    tests = draw_tests(math.exp(-1) * unlikely + delta, unlikely, 500, 8)
    values = np.array([float(test.find_uniform(np.array([-1.0]), np.array([delta]))[0]) for test in tests])
    for share in (0.05, 0.5, 0.8, 0.95):
        assert abs((values <= share).mean() - share) <= 4 * math.sqrt(share * (1 - share) / TRIES)


def test_the_same_pairs_give_the_same_answer_again() -> None:
    counts = PairCounts(50, 120, 80, 1_000)
    assert DirectTest(counts, 5).find_p_value(0.1, 0.01) == DirectTest(counts, 5).find_p_value(0.1, 0.01)


def test_equal_outputs_show_nothing() -> None:
    assert DirectTest(PairCounts(0, 0, 0, 1_000), 1).bound_epsilon(0.0, 0.05) == 0
    assert DirectTest(PairCounts(500, 0, 0, 500), 1).find_p_value(0.0, 0.0) == 1


def test_a_small_chance_to_err_needs_more_deviations() -> None:
    assert find_deviations(0.05) == pytest.approx(1.645, abs=0.001)
    assert find_deviations(0.7) == 0
