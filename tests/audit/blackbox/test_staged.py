"""A test in stages: whatever is chosen between them, it errs no oftener than it says."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest

from discreet.audit.blackbox.betting import PairCounts
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.staged import LEAST, StagedTest

TRIES, STAGES, PAIRS = 1_000, 4, 500
MOST = 0.05 * TRIES + 4 * math.sqrt(TRIES * 0.05 * 0.95)
"""Errors in so many tries at 95 %, but for four deviations."""

NOTHING = PairCounts(0, 0, 0, PAIRS)
"""What an event shows that never happens."""

NORMAL = NormalDist()

Chances = tuple[float, float]
"""How likely an event is on each input."""


def stage(generator: np.random.Generator, chances: Chances, pairs: int = PAIRS) -> DirectTest:
    counts = PairCounts.expect(*chances, 1)
    drawn = generator.multinomial(pairs, [counts.both, counts.first, counts.second, counts.neither])
    return DirectTest(PairCounts(*map(float, drawn)), int(generator.integers(1 << 60)))


def sum_up(tests: tuple[DirectTest, ...]) -> DirectTest:
    """Add up the counts of all stages: what a test in stages must not do."""
    counts = tests[0].counts
    for test in tests[1:]:
        counts = counts.add(test.counts)
    return DirectTest(counts, tests[0].seed)


def play(choose: Callable[[tuple[DirectTest, ...]], Chances], seed: int) -> list[tuple[DirectTest, ...]]:
    """Return the tests of many tries, in which the next event is chosen by those before."""
    generator, found = np.random.default_rng(seed), []
    for _ in range(TRIES):
        tests: tuple[DirectTest, ...] = ()
        while len(tests) < STAGES:
            tests = (*tests, stage(generator, choose(tests)))
        found.append(tests)
    return found


def count_errors(found: list[tuple[DirectTest, ...]], claim: float, delta: float = 0.0) -> int:
    return sum(StagedTest(tests).find_p_value(claim, delta) <= 0.05 for tests in found)


def test_who_ends_while_in_luck_errs_no_oftener_and_by_added_counts_would() -> None:
    def choose(tests: tuple[DirectTest, ...]) -> Chances:
        lucky = bool(tests) and sum_up(tests).find_p_value(0.0, 0.0) <= 0.05
        return (0.0, 0.0) if lucky else (0.3, 0.3)

    found = play(choose, 1)
    assert sum(sum_up(tests).find_p_value(0.0, 0.0) <= 0.05 for tests in found) > 1.5 * MOST
    assert 0.01 * TRIES < count_errors(found, 0.0) <= MOST


@pytest.mark.parametrize(("claim", "delta"), [(0.3, 0.0), (0.1, 0.02)])
def test_who_goes_on_with_what_was_lucky_errs_no_oftener(claim: float, delta: float) -> None:
    """Rare and frequent events for which the claim just holds, chosen by how the last one did."""

    def choose(tests: tuple[DirectTest, ...]) -> Chances:
        unlikely = 0.2 if not tests or tests[-1].find_p_value(claim, delta) < 0.5 else 0.004
        return math.exp(claim) * unlikely + delta, unlikely

    assert 0.01 * TRIES < count_errors(play(choose, 2), claim, delta) <= MOST


def test_one_event_in_stages_shows_about_as_much_as_at_once() -> None:
    found = play(lambda tests: (0.36, 0.3), 3)
    staged = count_errors(found, 0.0)
    at_once = sum(sum_up(tests).find_p_value(0.0, 0.0) <= 0.05 for tests in found)
    assert at_once > 0.9 * TRIES
    assert staged > 0.97 * at_once


def test_a_stage_without_a_word_says_neither_yes_nor_no() -> None:
    values = [StagedTest((DirectTest(NOTHING, int(seed)),)).find_p_value(0.1, 0.0) for seed in range(TRIES)]
    assert abs(np.mean(values) - 0.5) < 4 * math.sqrt(1 / 12 / TRIES)


def test_a_fair_coin_has_just_uniform_p_values_however_few_pairs_there_are() -> None:
    generator = np.random.default_rng(5)
    tests = [stage(generator, (0.3, 0.3), pairs=6) for _ in range(TRIES)]
    values = np.array([float(test.find_uniform(np.zeros(1), np.zeros(1))[0]) for test in tests])
    for share in (0.05, 0.2, 0.5, 0.9):
        assert abs((values <= share).mean() - share) < 4 * math.sqrt(share * (1 - share) / TRIES)
    assert values.max() <= 1


def test_a_stage_weighs_by_its_pairs() -> None:
    generator = np.random.default_rng(6)
    large, small = stage(generator, (0.36, 0.3), pairs=4_000), stage(generator, (0.05, 0.95), pairs=40)
    assert StagedTest((large, small)).find_p_value(0.0, 0.0) < 0.001


def test_a_stage_that_looked_at_the_wrong_event_does_not_undo_the_others() -> None:
    hopeless, good = (DirectTest(PairCounts(0, *sides, 5_000), 1) for sides in ((100, 3_000), (400, 150)))
    assert hopeless.find_p_value(0.0, 0.0) == 1
    assert StagedTest((hopeless, good, good, good, good)).find_p_value(0.0, 0.0) < 1e-6


def test_that_it_does_not_is_paid_for_by_every_p_value() -> None:
    sure = DirectTest(PairCounts(0, 9_000, 1_000, 0), 1)
    assert StagedTest((sure,) * STAGES).find_p_value(0.0, 0.0) == pytest.approx(STAGES * NORMAL.cdf(LEAST))


def test_bounds_exceed_the_truth_no_oftener_than_they_say() -> None:
    tests = play(lambda tests: (0.3 * math.exp(0.3), 0.3), 7)[:60]
    bounds = [StagedTest(each).bound_epsilon(0.0, 0.05) for each in tests]
    assert sum(bound > 0.3 for bound in bounds) <= 0.05 * 60 + 4 * math.sqrt(60 * 0.05 * 0.95)
    assert 0.15 < np.median(bounds) < 0.3


def test_gaussian_bounds_are_of_the_true_trade_off() -> None:
    generator = np.random.default_rng(8)
    likely, unlikely = 0.6915, 0.3085
    test = StagedTest(tuple(stage(generator, (likely, unlikely), pairs=50_000) for _ in range(STAGES)))
    assert 0.96 < test.bound_mu(0.0, 0.05) < 1.01
