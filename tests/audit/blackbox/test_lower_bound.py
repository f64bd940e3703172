"""Lower bounds from outputs alone: near the truth, never above it but by chance, and faults are findings."""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.audit.blackbox.expecting import EventAim
from discreet.audit.blackbox.lower_bound import learn_again, learn_event, lower_bound
from discreet.audit.blackbox.outputs import repeat
from discreet.audit.blackbox.scores import LearnedScore
from discreet.audit.blackbox.search import find_worst
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.mechanisms import Gaussian, Laplace

AIM = EventAim(50_000, 0.0, 0.95, 0.1)
CHANCES = [0.4, 0.5, 0.1], [0.42, 0.52, 0.06]


def count_with_noise(count: int, outputs: int) -> Floats:
    return np.asarray(Laplace(10.0).release(np.full(outputs, count)))


def test_a_bound_is_near_the_truth_and_below_it() -> None:
    found = [lower_bound(count_with_noise, 0, 1, samples=400_000).epsilon for _ in range(5)]
    assert 0.07 < np.median(found) <= 0.1


def test_the_bits_of_floats_are_looked_at() -> None:
    generator = np.random.default_rng(1)
    found = lower_bound(lambda count, outputs: count + generator.laplace(0, 10, outputs), 0.0, 1.0, samples=200_000)
    assert found.refutes(0.2)
    assert "last bit" in found.event


def test_gaussian_noise_is_bounded_by_mu() -> None:
    noisy = lambda count, size: Gaussian(2.0).release(np.full(size, count))  # noqa: E731
    found = [lower_bound(noisy, 0, 1, samples=200_000).mu for _ in range(5)]
    assert 0.3 < statistics.median(found) <= 0.5, "a single one may be wrong, or chosen badly"


def test_a_delta_forgives_what_is_rare() -> None:
    def tell_sometimes(count: int, outputs: int) -> Floats:
        noisy = count_with_noise(0, outputs)
        return np.where(np.random.default_rng().random(outputs) < 0.01, 10_000 + count, noisy)

    assert lower_bound(tell_sometimes, 0, 1, samples=200_000).epsilon > 3
    assert lower_bound(tell_sometimes, 0, 1, delta=0.01, samples=200_000).epsilon < 0.1


def test_texts_and_tuples_are_outputs_too() -> None:
    generator = np.random.default_rng(2)

    def answer(truth: str, outputs: int) -> list[str]:
        return [truth if honest else "either" for honest in generator.random(outputs) < 0.5]

    assert lower_bound(answer, "yes", "no", samples=20_000).epsilon > 3
    assert lower_bound(repeat(lambda truth: (truth, "x")), "a", "b", samples=2_000).epsilon > 3


def test_a_score_that_is_known_may_be_given() -> None:
    score = LearnedScore("the ratio of densities", lambda rows: -np.abs(rows[:, 0]))
    assert lower_bound(count_with_noise, 0, 1, samples=200_000, score=score, confidence=1 - 1e-9).epsilon <= 0.1


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda given, size: np.full(size, math.nan if given else 0.0), "NaN on the input 1"),
        (lambda given, size: np.zeros(size - given), "outputs where"),
        (lambda given, size: np.zeros((size, 1 + given)), "2 numbers where others had 1"),
        (lambda given, size: 1 // (1 - given) * np.zeros(size), "raised ZeroDivisionError"),
        (lambda given, size: sys.exit(1) if given else np.zeros(size), "raised SystemExit"),
        (lambda given, size: [math.nan if given else "a"] * size, "NaN on the input 1"),
    ],
)
def test_a_fault_is_a_finding_with_its_input(draw: object, words: str) -> None:
    found = lower_bound(draw, 0, 1, samples=2_000)  # type: ignore[arg-type]
    assert found.refutes(1e9)
    assert words in str(found)


def test_a_mechanism_that_hangs_on_one_input_is_a_finding() -> None:
    def wait(given: int, size: int) -> Floats:
        time.sleep(5 * given)
        return np.zeros(size)

    found = lower_bound(wait, 0, 1, samples=2_000, longest=0.1)
    assert found.refutes(1e9)
    assert "hung for 0.1 seconds on the input 1" in str(found)


def test_a_fault_that_comes_late_is_a_finding_too() -> None:
    calls: list[int] = []

    def tire(given: int, size: int) -> Floats:
        calls.append(given)
        return np.random.default_rng().laplace(given, 1.0, (size, 1 + (len(calls) > 3)))

    assert "2 numbers where others had 1" in str(lower_bound(tire, 0, 1, samples=2_000))


def test_infinite_numbers_are_numbers() -> None:
    generator = np.random.default_rng(4)

    def draw(given: int, size: int) -> Floats:
        return np.where(generator.random((size, 2)) < 0.2 + 0.5 * given, math.inf, -math.inf)

    assert lower_bound(draw, 0, 1, samples=20_000).epsilon > 1


def test_bets_end_as_soon_as_the_claim_is_refuted() -> None:
    whole = lower_bound(count_with_noise, 0, 20, samples=400_000, claim=0.1)
    early = lower_bound(count_with_noise, 0, 20, samples=400_000, claim=0.1, stop_early=True)
    assert whole.refutes(0.1)
    assert early.refutes(0.1)
    assert early.samples < whole.samples == 400_000


@pytest.mark.parametrize(("claim", "words"), [(0.1, "claim of 0.1 is refuted"), (9.0, "claim of 9 is not refuted")])
def test_a_bound_says_whether_it_refutes_its_claim(claim: float, words: str) -> None:
    assert words in str(lower_bound(count_with_noise, 0, 20, samples=20_000, claim=claim))
    assert "claim" not in str(lower_bound(count_with_noise, 0, 20, samples=20_000))


def test_equal_outputs_show_nothing() -> None:
    assert lower_bound(lambda given, size: np.zeros(size), 0, 1, samples=2_000).epsilon == 0


def test_bad_numbers_are_refused() -> None:
    for wrong in (
        {"delta": 1.0},
        {"samples": 10},
        {"confidence": 1.5},
        {"claim": -1.0},
        {"stop_early": True},
        {"stop_early": "no"},
    ):
        with pytest.raises(ParameterError):
            lower_bound(count_with_noise, 0, 1, **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda given: np.zeros(5),
        lambda given, count, seed: np.zeros(count),
        lambda: 0.0,
        np.zeros(3),
        [].append,
        dict.fromkeys,
        lambda given, count: 0.5,
    ],
)
def test_a_mechanism_that_is_called_otherwise_is_refused_and_refutes_nothing(wrong: Callable[..., object]) -> None:
    for audit in (lambda: lower_bound(wrong, 0, 1), lambda: find_worst(wrong, [(0, 1)])):
        with pytest.raises(ParameterError, match="mechanism must be a function `mechanism\\(given, count\\)`"):
            audit()


def test_one_output_at_a_time_is_asked_for_by_the_input_alone() -> None:
    with pytest.raises(ParameterError, match="mechanism must be a function `mechanism\\(given\\)`"):
        repeat(np.ldexp)  # type: ignore[arg-type]


def test_a_type_that_a_mechanism_stumbles_over_is_still_a_finding() -> None:
    def stumble(given: int, count: int) -> Floats:
        return np.full(count, abs(given) if given else abs("none"))  # type: ignore[arg-type]

    for pair in ((0, 1), (1, 0)):
        assert "raised TypeError" in str(lower_bound(stumble, *pair, samples=2_000))


def test_an_event_keeps_its_outputs_when_its_score_is_learned_again() -> None:
    """A threshold between what two halves say of one output would leave an event that is empty."""
    generator = np.random.default_rng(9)
    left, right = (generator.choice(3, (20_000, 1), p=chances).astype(np.float64) for chances in CHANCES)
    event = learn_event(left, right, AIM)
    assert event is not None
    rated = np.unique(event.score.rate(left))
    moved = learn_again(replace(event, likely=0.02, unlikely=0.01, threshold=float(rated[-1]) + 0.01), left, right, AIM)
    assert moved.find(np.array([[2.0], [1.0], [0.0]])).tolist() == [True, False, False]
    whole = replace(event, likely=(left == 2).mean(), unlikely=(right == 2).mean())
    assert learn_again(whole, left, right, AIM).find(np.array([[2.0], [1.0], [0.0]])).tolist() == [True, False, False]


@pytest.mark.parametrize("off", [0.8, 1.25])
def test_an_event_of_few_outputs_takes_in_no_frequent_kind_when_its_score_is_learned_again(off: float) -> None:
    """How likely an event is was counted in few outputs: in all of them it is a little more, or less."""
    generator = np.random.default_rng(12)
    chances = [0.5, 0.5, 0.0], [0.47, 0.48, 0.05]
    left, right = (generator.choice(3, (20_000, 1), p=each).astype(np.float64) for each in chances)
    event = learn_event(left, right, AIM)
    assert event is not None
    again = learn_again(replace(event, likely=event.likely * off), left, right, AIM)
    assert again.find(np.array([[2.0], [1.0], [0.0]])).tolist() == [True, False, False]


def test_a_suspected_score_that_is_learned_again_is_asked_for_its_own_chances() -> None:
    """What two halves had in the event, each by a score of its own, says little of which outputs are worth it."""
    generator = np.random.default_rng(13)
    left, right = (generator.choice(3, (200_000, 1), p=chances).astype(np.float64) for chances in CHANCES)
    event = learn_event(left, right, AIM)
    assert event is not None
    muddled = replace(event, likely=0.3, unlikely=0.3, borne_out=1.0)
    assert learn_again(muddled, left, right, AIM).find(np.array([[2.0], [1.0], [0.0]])).tolist() == [True, False, False]


@pytest.mark.parametrize("longest", [-1, 0, math.nan, math.inf, 1e12, "a"])
def test_a_longest_time_that_is_none_is_no_fault_of_the_mechanism(longest: Any) -> None:
    with pytest.raises(ParameterError, match="longest"):
        lower_bound(count_with_noise, 0, 1, samples=2_000, longest=longest)


@pytest.mark.parametrize("claim", [-1, math.nan, math.inf, "a", None, True])
def test_what_is_no_claim_is_refused_and_neither_refuted_nor_not(claim: Any) -> None:
    found = lower_bound(count_with_noise, 0, 20, samples=2_000)
    fault = lower_bound(lambda given, size: [math.nan] * size, 0, 1, samples=2_000)
    for bound in (found, fault):
        for judge in (bound.refutes, bound.find_p_value):
            with pytest.raises(ParameterError, match="epsilon must be a finite number >= 0"):
                judge(claim)


def test_a_claim_that_no_outputs_could_refute_is_not_refuted() -> None:
    known: list[dict[str, Any]] = [{}, {"claim": 1e9}, {"claim": 1e9, "stop_early": True}]
    for words in known:
        found = lower_bound(lambda given, size: np.full(size, given), 0, 1, samples=2_000, **words)
        assert not found.refutes(1e9)


@pytest.mark.parametrize(
    "words", [{"claim": Fraction(1, 10)}, {"delta": Decimal("0.1"), "confidence": Fraction(9, 10)}]
)
def test_fractions_and_decimals_are_numbers(words: dict[str, Any]) -> None:
    found = lower_bound(count_with_noise, 0, 60, samples=4_000, **words)
    assert found.refutes(Fraction(1, 10))  # type: ignore[arg-type]
    assert "epsilon is at least" in str(found)


@pytest.mark.parametrize(
    "score",
    [
        3,
        lambda rows: rows[:, 0],
        LearnedScore("NaN", lambda rows: rows[:, 0] * math.nan),
        LearnedScore("one for all", lambda rows: np.zeros(1)),
        LearnedScore("a word", lambda rows: np.full(len(rows), "high")),
    ],
    ids=["a number", "a function", "NaN", "one for all", "words"],
)
def test_a_score_that_gives_no_numbers_is_refused(score: Any) -> None:
    with pytest.raises(ParameterError, match="score must be a LearnedScore"):
        lower_bound(count_with_noise, 0, 1, samples=2_000, score=score)


@pytest.mark.parametrize("delta", [-0.1, 1, math.nan, "a"])
def test_a_delta_that_is_none_is_refused(delta: Any) -> None:
    with pytest.raises(ParameterError, match="delta"):
        lower_bound(count_with_noise, 0, 1, samples=2_000, delta=delta)
