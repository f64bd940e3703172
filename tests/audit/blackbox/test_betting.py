"""Bets against a claim: what they may win, and how often they win by chance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.audit.blackbox.betting import (
    PairCounts,
    bound_epsilon,
    bound_mu,
    choose_stake,
    find_gaussian_delta,
    find_log_wealth,
)
from discreet.privacy import GaussianLoss


def draw_counts(generator: np.random.Generator, likely: float, unlikely: float, pairs: int) -> PairCounts:
    return PairCounts.count(generator.random(pairs) < likely, generator.random(pairs) < unlikely)


def test_pairs_are_counted_by_which_of_the_two_is_in_the_event() -> None:
    counts = PairCounts.count(np.array([True, True, False, False, True]), np.array([True, False, True, False]))
    assert counts == PairCounts(1, 1, 1, 1)
    assert counts.add(counts).pairs == 8


def test_wealth_is_on_average_no_more_than_it_was_where_the_claim_is_true() -> None:
    claim, delta, unlikely = 0.5, 0.01, 0.3
    likely = math.exp(claim) * unlikely + delta
    for stake in (0.1, 0.4, 0.59):
        expected = PairCounts.expect(likely, unlikely, 1)
        chances = (expected.both, expected.first, expected.second, expected.neither)
        singles = (PairCounts(1, 0, 0, 0), PairCounts(0, 1, 0, 0), PairCounts(0, 0, 1, 0), PairCounts(0, 0, 0, 1))
        factors = [math.exp(find_log_wealth(each, stake, claim, delta)) for each in singles]
        assert sum(chance * factor for chance, factor in zip(chances, factors, strict=True)) == pytest.approx(1)


def test_a_stake_that_could_not_be_paid_wins_nothing() -> None:
    assert find_log_wealth(PairCounts(0, 5, 0, 0), 0.9, 1.0, 0.0) == -math.inf


def test_the_chosen_stake_grows_faster_than_others() -> None:
    expected = PairCounts.expect(0.5, 0.4, 1_000)
    best = choose_stake(expected, 0.1, 0.0)
    grown = find_log_wealth(expected, best, 0.1, 0.0)
    assert all(find_log_wealth(expected, best * part, 0.1, 0.0) < grown for part in (0.5, 0.9, 1.1))


def test_bounds_exceed_the_truth_no_oftener_than_they_say() -> None:
    generator, truth, unlikely = np.random.default_rng(5), 0.3, 0.4
    stake = choose_stake(PairCounts.expect(unlikely * math.exp(truth), unlikely, 4_000), 0.2, 0.0)
    bounds = [
        bound_epsilon(draw_counts(generator, unlikely * math.exp(truth), unlikely, 4_000), stake, 0.0, 0.05)
        for _ in range(2_000)
    ]
    wrong = sum(bound > truth for bound in bounds)
    assert wrong <= 0.05 * 2_000 + 4 * math.sqrt(2_000 * 0.05 * 0.95)
    assert np.median(bounds) > 0.5 * truth


def test_gaussian_bounds_are_of_the_true_trade_off() -> None:
    assert find_gaussian_delta(1.0, 0.5) == pytest.approx(GaussianLoss(1.0).delta(0.5).high, rel=1e-9)
    generator, pairs = np.random.default_rng(6), 200_000
    left, right = generator.normal(1.0, 1.0, pairs) > 0.5, generator.normal(0.0, 1.0, pairs) > 0.5
    stake = choose_stake(PairCounts.expect(0.69, 0.31, pairs), 0.0, find_gaussian_delta(0.97, 0.0))
    assert 0.97 < bound_mu(PairCounts.count(left, right), stake, 0.0, 0.05) < 1.0


def test_equal_outputs_show_nothing() -> None:
    assert bound_epsilon(PairCounts(0, 0, 0, 1_000), 0.5, 0.0, 0.05) == 0
