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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.noise.coin import Bools

stats = Later("scipy.stats")

LARGEST = 60.0
TURNS = 60


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
    be wrong oftener than the confidence says.
    """
    if not len(canaries):
        raise ParameterError("canaries", canaries, "at least one")
    if guesses is not None and not (isinstance(guesses, Sequence) and len(guesses) == 2):
        raise ParameterError("guesses", guesses, "two numbers: how many are guessed to be in, and how many to be out")
    most_in, most_out = _share(len(canaries)) if guesses is None else guesses
    if min(most_in, most_out) < 0 or most_in + most_out > len(canaries):
        raise ParameterError("guesses", guesses, f"two numbers, together at most {len(canaries)}")
    _check(len(canaries), most_in + most_out, 0)
    check.delta("delta", delta)
    check.confidence(confidence)
    coins = np.random.default_rng().random(len(canaries)) < 0.5
    released = procedure([canary for canary, chosen in zip(canaries, coins, strict=True) if chosen])
    scores = _read_scores([score(released, canary) for canary in canaries])
    correct = count_right(scores, coins, most_in, most_out)
    epsilon = bound_one_run(len(canaries), most_in + most_out, correct, delta, confidence)
    return OneRunBound(epsilon, delta, confidence, len(canaries), most_in + most_out, correct)


def count_right(scores: Floats, coins: Bools, most_in: int, most_out: int) -> int:
    """Return how many guesses are right: the highest scores are guessed to be in, the lowest to be out.

    A score that is no number counts as a middling one: it tells nothing.
    """
    if most_in < 0 or most_out < 0 or most_in + most_out > len(scores) or len(scores) != len(coins):
        raise ParameterError("guesses", (most_in, most_out), f"two numbers, together at most {len(scores)}")
    known = scores[~np.isnan(scores)]
    order = np.argsort(np.where(np.isnan(scores), np.median(known) if len(known) else 0.0, scores), kind="stable")
    right_in = np.count_nonzero(coins[order[len(order) - most_in :]])
    return int(right_in + most_out - np.count_nonzero(coins[order[:most_out]]))


def find_p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float = 0.0) -> float:
    """Return how likely so many right guesses are at most, if the claim holds."""
    _check(canaries, guesses, correct)
    chance = 1 / (1 + math.exp(-epsilon))
    reached = float(stats.binom.sf(correct - 1, guesses, chance))
    if not delta or not correct:
        return min(1.0, reached)
    below = np.cumsum(stats.binom.pmf(np.arange(correct - 1, -1, -1), guesses, chance))
    densest = float((below / np.arange(1, correct + 1)).max())
    return min(1.0, reached + 2 * canaries * delta * densest)


def bound_one_run(canaries: int, guesses: int, correct: int, delta: float = 0.0, confidence: float = 0.95) -> float:
    """Return a lower bound of epsilon at this delta, from the right guesses of one run: 0 where they show nothing.

    What refutes one epsilon refutes all below it, since whoever loses less keeps the larger promise too.
    """
    _check(canaries, guesses, correct)
    check.delta("delta", delta)
    check.confidence(confidence)
    low, high = 0.0, LARGEST
    if find_p_value(canaries, guesses, correct, 0.0, delta) > 1 - confidence:
        return 0.0
    for _ in range(TURNS):
        middle = (low + high) / 2
        refuted = find_p_value(canaries, guesses, correct, middle, delta) <= 1 - confidence
        low, high = (middle, high) if refuted else (low, middle)
    return low


def _read_scores(scores: list[Any]) -> Floats:
    try:
        return np.array([float(each) for each in scores])
    except (TypeError, ValueError):
        words = "a function of what was released and of a canary that returns a number"
        raise ParameterError("score", scores[:3], words) from None


def _share(canaries: int) -> tuple[int, int]:
    return canaries - canaries // 2, canaries // 2


def _check(canaries: int, guesses: int, correct: int) -> None:
    if not 0 <= correct <= guesses <= canaries or not canaries:
        raise ParameterError("correct", correct, f"at most {guesses} guesses of at most {canaries} canaries")
