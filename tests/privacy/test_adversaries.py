"""Analysts who pick the next loss by the last outcome, many at a time (a million in the long form), against filters.

Each release is randomized response (or Gaussian noise) of the loss chosen; its privacy loss L moves by +-epsilon. A
transcript counts with probability (1 - e^(E - L))+, so the count is binomial with mean delta(E) exactly, and
Clopper-Pearson at 1e-9 applies to it as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from discreet.privacy import BudgetFilter, Filter, GaussianLoss, Loss, Odometer, PureLoss, ZcdpLoss, composition
from discreet.privacy.filter import Sums
from discreet.privacy.filters import ApproximateFilter, GaussianFilter, PureFilter, RenyiFilter, ZcdpFilter
from support.sampling import ALARM

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SIZES = (0.1, 0.2, 0.4, 0.8, 1.6)
DELTA = 0.02
STEPS = 24

Adversary = Callable[[int, Floats, Floats, Ints, float], Ints]
"""Given the step, the losses so far, the last outcomes, the last choices and E, pick sizes (-1: stop)."""


def stop_when_ahead(step: int, loss: Floats, last: Floats, held: Ints, goal: float) -> Ints:
    return np.where(loss > goal, -1, 2)


def double_when_behind(step: int, loss: Floats, last: Floats, held: Ints, goal: float) -> Ints:
    level = np.where(last < 0, np.minimum(held + 1, len(SIZES) - 1), 1)
    return np.where(loss > goal, -1, level)


def small_then_large(step: int, loss: Floats, last: Floats, held: Ints, goal: float) -> Ints:
    return np.full(len(loss), 0 if step < 12 else len(SIZES) - 1)


def bold(step: int, loss: Floats, last: Floats, held: Ints, goal: float) -> Ints:
    """Take the least size that can bring the loss past the goal, else the largest."""
    needed = np.searchsorted(np.array(SIZES), goal + 0.3 - loss)
    return np.where(loss > goal + 0.2, -1, np.minimum(needed, len(SIZES) - 1))


ADVERSARIES = [stop_when_ahead, double_when_behind, small_then_large, bold]
each_adversary = pytest.mark.parametrize("adversary", ADVERSARIES)
many_runs = pytest.mark.parametrize("runs", [200_000, pytest.param(1_000_000, marks=pytest.mark.long)])


@dataclass
class States:
    """The few filter states that runs can reach, each known by how often every size was spent."""

    make: Callable[[float], Loss]
    filters: list[Filter]
    known: dict[tuple[int, ...], int] = field(default_factory=lambda: {(0,) * len(SIZES): 0})
    counts: list[tuple[int, ...]] = field(default_factory=lambda: [(0,) * len(SIZES)])
    table: dict[int, int] = field(default_factory=dict)

    def move(self, keys: Ints) -> Ints:
        """Return the next state for each state * sizes + size, or -1 where the filter refuses."""
        found = np.full(int(keys.max()) + 1, -1, dtype=np.int64)
        for key in np.flatnonzero(np.bincount(keys)):
            found[key] = self._next(int(key))
        moved: Ints = found[keys]
        return moved

    def _next(self, key: int) -> int:
        if key not in self.table:
            self.table[key] = self._spent(*divmod(key, len(SIZES)))
        return self.table[key]

    def _spent(self, state: int, size: int) -> int:
        loss, here = self.make(SIZES[size]), self.filters[state]
        if not here.admits(loss):
            return -1
        counts = tuple(n + (place == size) for place, n in enumerate(self.counts[state]))
        if counts not in self.known:
            self.known[counts] = len(self.filters)
            self.filters.append(here.spend(loss))
            self.counts.append(counts)
        return self.known[counts]


def response_move(sizes: Floats, dice: np.random.Generator) -> Floats:
    return np.where(dice.random(len(sizes)) < special.expit(sizes), sizes, -sizes)


def gaussian_move(sizes: Floats, dice: np.random.Generator) -> Floats:
    return sizes**2 / 2 + sizes * dice.standard_normal(len(sizes))


def play(
    fresh: Filter,
    adversary: Adversary,
    goal: float,
    make: Callable[[float], Loss] = PureLoss,
    move: Callable[[Floats, np.random.Generator], Floats] = response_move,
    runs: int = 200_000,
) -> Floats:
    """Return the privacy loss at which each run ends; who is refused tries the next smaller size, then stops."""
    dice = np.random.default_rng(20_230_817)
    states, sizes = States(make, [fresh]), np.array(SIZES)
    ended = np.zeros(runs)
    who = np.arange(runs)
    loss, last = np.zeros(runs), np.zeros(runs)
    held, state = np.ones(runs, dtype=np.int64), np.zeros(runs, dtype=np.int64)
    for step in range(STEPS):
        choice = adversary(step, loss, last, held, goal)
        after = np.full(len(who), -1, dtype=np.int64)
        while (asking := (after < 0) & (choice >= 0)).any():
            after[asking] = states.move(state[asking] * len(SIZES) + choice[asking])
            choice = np.where(asking & (after < 0), choice - 1, choice)
        ended[who] = loss
        on = choice >= 0
        who, state, held, loss = who[on], after[on], choice[on], loss[on]
        if not len(who):
            break
        last = move(sizes[held], dice)
        loss = loss + last
        ended[who] = loss
    return ended


def proven_delta(losses: Floats, goal: float) -> float:
    """Return a lower Clopper-Pearson bound on delta(goal), wrong once in a billion."""
    weights = -np.expm1(np.minimum(goal - losses, 0.0))
    weights[weights < 1e-12] = 0.0  # equal to the goal but for round-off
    count = int(np.count_nonzero(np.random.default_rng(99).random(len(losses)) < weights))
    return float(special.betaincinv(count, len(losses) - count + 1, ALARM)) if count else 0.0


ALPHA, RHO = 3.0, 0.35
RENYI_GOAL = float(composition.convert_renyi(ALPHA, 1.2, DELTA).epsilon_)

SOUND: list[tuple[Filter, float, float]] = [
    (PureFilter(1.5), 1.5, 0.0),
    (ZcdpFilter(RHO), ZcdpLoss(RHO).epsilon(DELTA).high, DELTA),
    (RenyiFilter(ALPHA, 1.2), RENYI_GOAL, DELTA),
    (ApproximateFilter(1.5, DELTA), 1.5, DELTA),
    (BudgetFilter(1.5, DELTA), 1.5, DELTA),
]


@pytest.mark.many
@pytest.mark.parametrize(("fresh", "goal", "delta"), SOUND, ids=lambda value: type(value).__name__)
@each_adversary
@many_runs
def test_no_adversary_beats_a_filter(fresh: Filter, goal: float, delta: float, adversary: Adversary, runs: int) -> None:
    losses = play(fresh, adversary, goal, runs=runs)
    assert np.ptp(losses) > 0
    assert proven_delta(losses, goal) <= delta


@each_adversary
@many_runs
def test_no_adversary_beats_the_gaussian_filter(adversary: Adversary, runs: int) -> None:
    goal = GaussianLoss(0.9).epsilon(DELTA).high
    losses = play(GaussianFilter(0.9), adversary, goal, GaussianLoss, gaussian_move, runs)
    assert np.ptp(losses) > 0
    assert proven_delta(losses, goal) <= DELTA


@each_adversary
@many_runs
def test_no_adversary_beats_the_budget_with_gaussian_noise(adversary: Adversary, runs: int) -> None:
    losses = play(BudgetFilter(2.0, DELTA), adversary, 2.0, GaussianLoss, gaussian_move, runs)
    assert proven_delta(losses, 2.0) <= DELTA


@many_runs
def test_an_odometer_is_not_beaten_by_stopping_at_the_worst_time(runs: int) -> None:
    """Stop as soon as the loss exceeds the reading: that happens with probability delta at most."""
    dice = np.random.default_rng(5)
    meter, loss, beaten = Odometer(DELTA, first=0.02), np.zeros(runs), np.zeros(runs, dtype=bool)
    for size in (0.2, 0.1, 0.4, 0.2, 0.8, 0.1, 0.2, 0.4, 0.8, 0.1, 0.2, 0.8):
        meter = meter.spend(PureLoss(size))
        loss += response_move(np.full(runs, size), dice)
        beaten |= loss > meter.reading().epsilon_ + 1e-12  # the losses are added up in floats
    count = int(beaten.sum())
    assert count == 0 or special.betaincinv(count, runs - count + 1, ALARM) <= DELTA


@dataclass(frozen=True)
class Forgetful(BudgetFilter):
    """Wrong on purpose: looks at what was spent before, and forgets the loss it is asked about."""

    def admits(self, loss: Loss) -> bool:
        return self._share(self.spent) <= 1

    def spend(self, loss: Loss) -> Forgetful:
        return Forgetful(self.epsilon, self.delta, spent=self._with(loss))


@dataclass(frozen=True)
class LargestOnly(BudgetFilter):
    """Wrong on purpose: counts the largest loss only."""

    def _with(self, loss: Loss) -> Sums:
        return tuple(map(max, self.spent, self._cost(loss)))


@pytest.mark.parametrize(
    ("wrong", "adversary"),
    [
        (Forgetful(1.5, DELTA), small_then_large),
        (Forgetful(1.5, DELTA), bold),
        (LargestOnly(1.5, DELTA), stop_when_ahead),
        (LargestOnly(1.5, DELTA), double_when_behind),
        (LargestOnly(1.5, DELTA), bold),
    ],
)
def test_wrong_filters_are_caught(wrong: Filter, adversary: Adversary) -> None:
    assert proven_delta(play(wrong, adversary, 1.5), 1.5) > DELTA


def test_the_right_filter_comes_close_enough_to_matter() -> None:
    """The check is not empty: without any filter the same adversary is far beyond."""
    assert proven_delta(play(PureFilter(1e9), bold, 1.5), 1.5) > 0.2


def test_the_lower_bound_is_near_a_known_delta() -> None:
    dice = np.random.default_rng(3)
    losses = response_move(np.full(1_000_000, 1.0), dice)
    exact = PureLoss(1.0).delta(0.3).high
    assert exact - 0.01 <= proven_delta(losses, 0.3) <= exact
    assert math.isclose(proven_delta(losses, 1.0), 0.0)
