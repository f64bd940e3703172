"""An audit of one run by right guesses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from discreet.audit.blackbox.one_run import bound_one_run, count_right, find_p_value, one_run
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats


@pytest.mark.parametrize(("correct", "bound"), [(7311, 0.963), (8808, 1.949), (9820, 3.874)])
def test_randomized_response_gives_the_published_bounds(correct: int, bound: float) -> None:
    assert bound_one_run(10_000, 10_000, correct) == pytest.approx(bound, abs=0.001)


def test_a_delta_lowers_the_bound_and_raises_the_p_value() -> None:
    assert bound_one_run(1_000, 800, 700, delta=1e-4) < bound_one_run(1_000, 800, 700)
    assert find_p_value(1_000, 800, 700, 1.5, 1e-5) > find_p_value(1_000, 800, 700, 1.5)


def test_claims_that_hold_are_seldom_refuted() -> None:
    generator, epsilon = np.random.default_rng(3), 1.0
    correct = generator.binomial(500, 1 / (1 + np.exp(-epsilon)), 2_000)
    assert sum(find_p_value(500, 500, int(each), epsilon) <= 0.05 for each in correct) <= 140


def test_guesses_by_chance_show_nothing() -> None:
    assert bound_one_run(100, 100, 50) == 0
    assert find_p_value(100, 10, 0, 1.0, 0.01) == 1


@pytest.mark.parametrize(("canaries", "guesses", "correct"), [(10, 11, 5), (10, 5, 6), (0, 0, 0), ("a", 0, 0)])
def test_impossible_counts_are_refused(canaries: Any, guesses: int, correct: int) -> None:
    with pytest.raises(ParameterError, match="canaries"):
        bound_one_run(canaries, guesses, correct)


def test_a_procedure_that_keeps_its_canaries_is_caught_by_one_run() -> None:
    found = one_run(set, range(400), lambda kept, canary: float(canary in kept))
    assert found.correct in range(360, 401)
    assert found.epsilon > 2
    assert "of 400 guesses about 400 canaries were right" in str(found)


def test_a_sum_with_enough_noise_shows_no_more_than_it_loses() -> None:
    generator = np.random.default_rng(11)
    canaries = list(np.eye(300))

    def release(chosen: list[Floats]) -> Floats:
        return np.asarray(np.sum(chosen, axis=0) + generator.laplace(0, 2.0, 300))

    found = [one_run(release, canaries, lambda total, each: float(total @ each)).epsilon for _ in range(40)]
    assert sum(each > 0.5 for each in found) <= 8
    assert max(found) > 0


def test_only_the_surest_are_guessed_where_that_is_asked_for() -> None:
    scores, coins = np.array([5.0, 4.0, 0.1, 0.3, -3.0]), np.array([True, False, False, True, False])
    assert count_right(scores, coins, 2, 1) == 2
    assert count_right(scores, coins, 0, 0) == 0
    for wrong in ((4, 2), (-1, 1)):
        with pytest.raises(ParameterError, match="guesses"):
            count_right(scores, coins, *wrong)


@pytest.mark.parametrize(
    ("canaries", "guesses", "wrong"), [([], None, "canaries"), (list(range(10)), (20, 20), "guesses")]
)
def test_a_run_without_canaries_or_with_more_guesses_than_canaries_is_refused(
    canaries: list[int], guesses: tuple[int, int] | None, wrong: str
) -> None:
    def run(chosen: list[int]) -> int:
        raise AssertionError("nothing is run")

    with pytest.raises(ParameterError, match=f"{wrong} must be"):
        one_run(run, canaries, lambda released, canary: 0.0, guesses=guesses)


@pytest.mark.parametrize(
    ("words", "matter"),
    [
        ({"delta": 2}, "delta"),
        ({"delta": -1}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"confidence": 1}, "confidence"),
        ({"guesses": 5}, "guesses"),
        ({"guesses": (0, 0)}, "guesses"),
        ({"guesses": (1.5, 2)}, "guesses"),
        ({"guesses": "12"}, "guesses"),
        ({"guesses": (True, 2)}, "guesses"),
        ({"canaries": [1, 2, 1]}, "canaries must be different"),
        ({"canaries": [np.zeros(3), np.zeros(3)]}, "canaries must be different"),
        ({"canaries": None}, "canaries must be a list"),
        ({"canaries": iter([1, 2])}, "canaries must be a list"),
        ({"score": 3}, "score must be a function"),
        ({"score": lambda released: 0.0}, "score must be a function"),
    ],
)
def test_what_means_nothing_is_refused_before_the_run(words: dict[str, Any], matter: str) -> None:
    def train(chosen: list[Any]) -> object:
        raise AssertionError("it was run")

    with pytest.raises(ParameterError, match=matter):
        one_run(**{"procedure": train, "canaries": range(100), "score": lambda released, canary: 0.0, **words})


@pytest.mark.parametrize("procedure", [3, lambda: 0], ids=["a number", "of nothing"])
def test_a_procedure_that_cannot_be_called_is_refused(procedure: Any) -> None:
    with pytest.raises(ParameterError, match="procedure must be a function of the list of chosen canaries"):
        one_run(procedure, range(100), lambda released, canary: 0.0)


def test_a_score_that_is_nan_is_refused_and_its_canary_named() -> None:
    with pytest.raises(ParameterError, match="one that returns nan for the canary 7"):
        one_run(set, range(10), lambda released, canary: float("nan") if canary == 7 else 0.0)


@pytest.mark.parametrize("epsilon", [-1.0, float("nan"), float("inf"), "a"])
def test_no_p_value_is_given_for_what_is_no_claim(epsilon: Any) -> None:
    with pytest.raises(ParameterError, match="epsilon must be a finite number >= 0"):
        find_p_value(1_000, 800, 700, epsilon)


def test_all_guesses_right_show_no_more_than_they_can() -> None:
    least = 0.05 ** (1 / 400)
    assert bound_one_run(400, 400, 400) == pytest.approx(math.log(least / (1 - least)))


@pytest.mark.parametrize("delta", [-1.0, 1.0, float("nan")])
def test_no_bound_is_given_at_a_delta_that_is_none(delta: float) -> None:
    with pytest.raises(ParameterError, match="delta"):
        bound_one_run(1_000, 800, 700, delta=delta)


def test_a_score_that_is_no_number_and_a_sure_bound_are_told_as_they_are() -> None:
    with pytest.raises(ParameterError, match="score must be a function of what was released"):
        one_run(lambda chosen: chosen, [1, 2], lambda released, canary: "high")  # type: ignore[arg-type, return-value]
    sure = one_run(lambda chosen: chosen, range(100), lambda released, canary: canary in released, confidence=0.99999)
    assert "with 99.999% confidence" in str(sure)
