"""An audit of one run: somebody guesses which canaries were in the data, and is right too often.

Each of `canaries` examples is put in or left out by a fair coin, the mechanism runs once, and the auditor guesses some
of the coins. Theorem (Steinke, Nasr, Jagielski 2023): if the mechanism is (epsilon, delta)-differentially private for
adding or removing one canary, then the number of right guesses among r is at least v with probability at most

    b + 2 m delta max_i P[v - i <= B < v] / i,      b = P[B >= v],

where m is the number of canaries and B is binomial, r times with probability e^epsilon / (1 + e^epsilon). What is
guessed, and how many, may depend on the output.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from discreet.audit.blackbox.asked import read_claim, read_confidence, read_delta
from discreet.audit.blackbox.names import name_input
from discreet.audit.blackbox.outputs import check_takes
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.noise.coin import Bools

stats = Later("scipy.stats")

LARGEST = 60.0
TURNS = 60

TRAINS = "a function of the list of chosen canaries that returns what is released"
SCORES = "a function of what was released and of a canary that returns a number"


@dataclass(frozen=True, slots=True)
class OneRunBound:
    """What a procedure loses at the least, with confidence, by guesses about the canaries of one run of it."""

    epsilon: float
    delta: float
    confidence: float
    canaries: int
    guesses: int
    correct: int

    def __str__(self) -> str:
        sure = f"with {100 * self.confidence:.10g}% confidence"
        words = f"epsilon is at least {self.epsilon:.4g} at delta {self.delta:g}, {sure}"
        return f"{words}: {self.correct:,} of {self.guesses:,} guesses about {self.canaries:,} canaries were right"


def one_run(
    procedure: Callable[[list[Any]], Any],
    canaries: Sequence[Any],
    score: Callable[[Any, Any], float],
    *,
    guesses: tuple[int, int] | None = None,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> OneRunBound:
    """Run a procedure once on canaries that fair coins choose, guess the coins from scores, and bound its epsilon.

    `procedure(chosen)` trains, or does whatever it does, on its own data and on these canaries, and returns what is
    released; `score(released, canary)` is higher where the canary looks as if it was among them, such as minus its
    loss. `guesses` says how many canaries with the highest scores are guessed to be in, and how many with the lowest
    to be out; without it every canary is guessed. It must be fixed before the run: to take the best of several is to
    be wrong oftener than the confidence says. All that can be is refused before the run. A score that is no number is
    refused after it, as a fault of `score`, and refutes nothing.
    """
    listed = _read_canaries(canaries)
    most_in, most_out = _read_guesses(guesses, len(listed))
    at, sure = read_delta(delta), read_confidence(confidence)
    check_takes(procedure, listed, expected=TRAINS, name="procedure")
    check_takes(score, None, listed[0], expected=SCORES, name="score")
    coins = np.random.default_rng().random(len(listed)) < 0.5
    released = procedure([canary for canary, chosen in zip(listed, coins, strict=True) if chosen])
    scores = _read_scores((canary, score(released, canary)) for canary in listed)
    correct = count_right(scores, coins, most_in, most_out)
    epsilon = bound_one_run(len(listed), most_in + most_out, correct, at, sure)
    return OneRunBound(epsilon, at, sure, len(listed), most_in + most_out, correct)


def count_right(scores: Floats, coins: Bools, most_in: int, most_out: int) -> int:
    """Return how many guesses are right: the highest scores are guessed to be in, the lowest to be out."""
    if most_in < 0 or most_out < 0 or most_in + most_out > len(scores) or len(scores) != len(coins):
        raise ParameterError("guesses", (most_in, most_out), f"two numbers, together at most {len(scores)}")
    order = np.argsort(scores, kind="stable")
    right_in = np.count_nonzero(coins[order[len(order) - most_in :]])
    return int(right_in + most_out - np.count_nonzero(coins[order[:most_out]]))


def find_p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float = 0.0) -> float:
    """Return how likely so many right guesses are at most, if the claim holds."""
    _check(canaries, guesses, correct)
    at = read_delta(delta)
    chance = 1 / (1 + math.exp(-read_claim(epsilon, "epsilon")))
    reached = float(stats.binom.sf(correct - 1, guesses, chance))
    if not at or not correct:
        return min(1.0, reached)
    below = np.cumsum(stats.binom.pmf(np.arange(correct - 1, -1, -1), guesses, chance))
    densest = float((below / np.arange(1, correct + 1)).max())
    return min(1.0, reached + 2 * canaries * at * densest)


def bound_one_run(canaries: int, guesses: int, correct: int, delta: float = 0.0, confidence: float = 0.95) -> float:
    """Return a lower bound of epsilon at this delta, from the right guesses of one run: 0 where they show nothing.

    What refutes one epsilon refutes all below it, since whoever loses less keeps the larger promise too.
    """
    miss = 1 - read_confidence(confidence)
    low, high = 0.0, LARGEST
    if find_p_value(canaries, guesses, correct, 0.0, delta) > miss:
        return 0.0
    for _ in range(TURNS):
        middle = (low + high) / 2
        refuted = find_p_value(canaries, guesses, correct, middle, delta) <= miss
        low, high = (middle, high) if refuted else (low, middle)
    return low


def _read_canaries(canaries: Collection[Any]) -> list[Any]:
    """Return canaries as a list: what is there twice would have two coins, of which no score tells one apart."""
    if not isinstance(canaries, Collection) or not len(canaries):
        raise ParameterError("canaries", canaries, "a list of at least one example")
    listed, names = list(canaries), set[bytes | int]()
    for canary in listed:
        name = name_input(canary)
        if name in names:
            raise ParameterError("canaries", f"{canary!r} twice", "different from one another: each has its own coin")
        names.add(name)
    return listed


def _read_guesses(guesses: Sequence[int] | None, canaries: int) -> tuple[int, int]:
    """Return how many canaries are guessed to be in, and how many to be out: all where nothing else is asked for."""
    if guesses is None:
        return canaries - canaries // 2, canaries // 2
    if isinstance(guesses, Sequence) and len(guesses) == 2 and all(map(_is_count, guesses)):
        most_in, most_out = map(int, guesses)
        if 1 <= most_in + most_out <= canaries:
            return most_in, most_out
    words = "two whole numbers, how many are guessed to be in and how many to be out"
    raise ParameterError("guesses", guesses, f"{words}: together at least 1 and at most {canaries}")


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _read_scores(scored: Iterable[tuple[Any, Any]]) -> Floats:
    """Return the scores of canaries, given with each, or refuse the first that is no number."""
    found = []
    for canary, score in scored:
        try:
            number = float(score)
        except (TypeError, ValueError):
            number = math.nan
        if math.isnan(number):
            raise ParameterError("score", f"one that returns {score!r} for the canary {canary!r}", SCORES)
        found.append(number)
    return np.array(found)


def _check(canaries: int, guesses: int, correct: int) -> None:
    for name, value in (("canaries", canaries), ("guesses", guesses), ("correct", correct)):
        check.integer(name, value)
    if not 0 <= correct <= guesses <= canaries or not canaries:
        raise ParameterError("correct", correct, f"at most {guesses} guesses of at most {canaries} canaries")
