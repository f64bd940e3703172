"""How many people are needed: the power of tests and the width of intervals, from public guesses alone.

A design says what somebody expects: means or shares, a spread, public bounds, an epsilon. Nothing is charged and no
table is read: sums are simulated as the curator would release them, with Laplace noise of the price's own split, and
the same functions that compute p-values say how often they would be small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from discreet.answers.numbers import format_percent
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.mechanisms import Laplace
from discreet.plan.bounded import Part
from discreet.query.split import INFLUENCES, split_charge
from discreet.robust.intervals.laws import Booleans, SumNoise, ThreeNoises
from discreet.robust.intervals.proportions import NoisyShares
from discreet.robust.intervals.sums import ValueScale, ValueSums
from discreet.robust.pictures import draw_curves
from discreet.robust.testing.contingency import SEED, draw_noise
from discreet.robust.testing.decisions import reject_equal_pair, reject_equal_shares, reject_mean, reject_share

RUNS = 2_000
"""Simulations of one power: it errs by two points at most, nearly always."""

STEPS = 50_000
"""Steps between the middle of the bounds and each end."""

MOST_PEOPLE = 10**9


@dataclass(frozen=True, slots=True)
class MeanDesign:
    """A t test: of one group, whether the first mean is the true one, which is the second; of two, whether they differ.

    `deviation` is that of people's values within a group, after clamping to `bounds`.
    """

    means: tuple[float, float]
    deviation: float
    bounds: tuple[float, float]
    epsilon: float
    groups: int = 2
    size: float = 0.05

    def __post_init__(self) -> None:
        check_pair("bounds", self.bounds)
        low, high = (float(check.real("bounds", each)) for each in self.bounds)
        if not low < high:
            raise ParameterError("bounds", self.bounds, "a lower and a higher number")
        check_pair("means", self.means)
        for mean in self.means:
            check.real("means", mean, least=low, most=high)
        check.real("deviation", self.deviation, above=0, most=(high - low) / 2)
        check_design(self.epsilon, self.groups, self.size)

    @property
    def words(self) -> str:
        """What it is called in a picture."""
        return f"means {self.means[0]:g} and {self.means[1]:g}, epsilon {float(self.epsilon):g}"

    @property
    def differs(self) -> bool:
        """Whether there is anything to find."""
        return self.means[0] != self.means[1]

    def reject(self, people: int, rng: np.random.Generator) -> Booleans:
        """Return which of the simulated samples of so many people in all are rejected."""
        low, high = self.bounds
        scale = ValueScale((low + high) / 2, (high - low) / 2 / STEPS, -STEPS, STEPS)
        noises = list_noises(self.epsilon, STEPS)
        spread = self.deviation / scale.step
        middles = [scale.to_steps(mean) for mean in self.means]
        if self.groups == 1:
            sums = draw_sums(people, middles[1], spread, noises, scale, rng)
            return reject_mean(sums, np.full(RUNS, middles[0]), self.size)
        first, second = (draw_sums(people // 2, each, spread, noises, scale, rng) for each in middles)
        return reject_equal_pair(first, second, self.size)


@dataclass(frozen=True, slots=True)
class ShareDesign:
    """A test of shares: of one group, whether the first is the true one, the second; of two, whether they differ."""

    shares: tuple[float, float]
    epsilon: float
    groups: int = 2
    size: float = 0.05

    def __post_init__(self) -> None:
        check_pair("shares", self.shares)
        for share in self.shares:
            check.real("shares", share, above=0, below=1)
        check_design(self.epsilon, self.groups, self.size)

    @property
    def words(self) -> str:
        """What it is called in a picture."""
        return f"shares {self.shares[0]:g} and {self.shares[1]:g}, epsilon {float(self.epsilon):g}"

    @property
    def differs(self) -> bool:
        """Whether there is anything to find."""
        return self.shares[0] != self.shares[1]

    def reject(self, people: int, rng: np.random.Generator) -> Booleans:
        """Return which of the simulated samples of so many people in all are rejected."""
        noise = Laplace(1 / float(self.epsilon))
        if self.groups == 1:
            counts = _draw_shares(people, self.shares[1], noise, rng)
            return reject_share(counts, np.full(RUNS, self.shares[0]), self.size)
        first, second = (_draw_shares(people // 2, each, noise, rng) for each in self.shares)
        return reject_equal_shares(first, second, self.size)


class StudyDesign(Protocol):
    """What somebody expects of a study: a test, what is true, and how often it would be found."""

    @property
    def size(self) -> float:
        """How often the test may reject what is true."""

    @property
    def words(self) -> str:
        """What it is called in a picture."""

    @property
    def differs(self) -> bool:
        """Whether there is anything to find."""

    def reject(self, people: int, rng: np.random.Generator) -> Booleans:
        """Return which of the simulated samples of so many people in all are rejected."""


def power(design: StudyDesign, people: int) -> float:
    """Return how often a test would reject with so many people in all: simulated, with a public seed."""
    count = check.integer("people", people, least=2, most=MOST_PEOPLE)
    return float(np.mean(design.reject(count, np.random.default_rng(SEED))))


def people_needed(design: StudyDesign, power_wanted: float = 0.8) -> int:
    """Return how many people in all a test needs to reject this often, to within a fiftieth.

    Refused where the design has no difference to find, and where a thousand million people are too few.
    """
    wanted = float(check.real("power_wanted", power_wanted, above=0, below=1))
    if not design.differs:
        raise ParameterError("design", design.words, "one with a difference that can be found")
    low, high = 2, 64
    while power(design, high) < wanted:
        low, high = high, high * 4
        if high > MOST_PEOPLE:
            raise ParameterError("design", design.words, "one that a thousand million people suffice for")
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if power(design, middle) >= wanted else (middle, high)
    return high


def plot_power(designs: Sequence[StudyDesign], people: Sequence[int], path: str | Path | None = None) -> Any:
    """Draw how power grows with people, a curve for each design; saved where a path is given."""
    curves = [(each.words, list(people), [power(each, count) for count in people], None, None) for each in designs]
    sizes = ", ".join(sorted({format_percent(each.size) for each in designs}))
    below = [
        f"power of tests of size {sizes} under sampling and noise, simulated from public guesses: nothing is charged"
    ]
    return draw_curves(curves, "people in all", "power", below, None if path is None else Path(path))


def list_noises(epsilon: float, reach: int) -> ThreeNoises:
    """Return the noises of count, sum and sum of squares of values up to so many steps from the middle."""
    shares = split_charge(INFLUENCES[Part.VALUES, Part.SUM, Part.SQUARES], 3)
    count, total, squares = (Fraction(epsilon) * share for share in shares)
    return Laplace(float(1 / count)), Laplace(float(reach / total)), Laplace(float(reach**2 / squares))


def check_design(epsilon: float, groups: int, size: float) -> None:
    """Refuse what no test has."""
    check.positive("epsilon", epsilon)
    check.integer("groups", groups, least=1, most=2)
    check.real("size", size, least=1e-6, most=0.5)


def check_pair(name: str, pair: Sequence[float]) -> None:
    """Refuse other than two numbers."""
    if len(pair) != 2:
        raise ParameterError(name, pair, "two numbers: of the two groups, or the tested and the true one")


def draw_sums(
    people: int,
    mean: float,
    deviation: float,
    noises: ThreeNoises,
    scale: ValueScale,
    rng: np.random.Generator,
) -> ValueSums:
    """Return noisy sums of people whose values have this mean and deviation, for each run its own."""
    total = people * mean + np.sqrt(people) * deviation * rng.standard_normal(RUNS)
    within = deviation**2 * rng.chisquare(max(people - 1, 1), RUNS)
    squares = within + total**2 / max(people, 1)
    drawn = [draw_noise(noise, (RUNS,), rng) for noise in noises]
    return ValueSums(people + drawn[0], total + drawn[1], squares + drawn[2], noises, scale)


def _draw_shares(people: int, share: float, noise: SumNoise, rng: np.random.Generator) -> NoisyShares:
    yes = rng.binomial(people, share, RUNS)
    drawn = draw_noise(noise, (2, RUNS), rng)
    return NoisyShares(yes + drawn[0], people - yes + drawn[1], noise)
