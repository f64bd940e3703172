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

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.later import Later

stats = Later("scipy.stats")

LARGEST = 60.0
TURNS = 60


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
    """Return a lower bound of epsilon at this delta, from the right guesses of one run: 0 where they show nothing."""
    _check(canaries, guesses, correct)
    check.confidence(confidence)
    low, high = 0.0, LARGEST
    if find_p_value(canaries, guesses, correct, 0.0, delta) > 1 - confidence:
        return 0.0
    for _ in range(TURNS):
        middle = (low + high) / 2
        refuted = find_p_value(canaries, guesses, correct, middle, delta) <= 1 - confidence
        low, high = (middle, high) if refuted else (low, middle)
    return low


def _check(canaries: int, guesses: int, correct: int) -> None:
    if not 0 <= correct <= guesses <= canaries or not canaries:
        raise ParameterError("correct", correct, f"at most {guesses} guesses of at most {canaries} canaries")
