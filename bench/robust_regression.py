"""Coverage of regressions, correlations, ratios and a variance from noisy resamples, and how wide they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.curator.door.resampling import CHANCES
from discreet.robust.designs.planning import STEPS
from discreet.robust.intervals.bootstrap import STEP_BITS, bound_length, find_noise
from discreet.robust.intervals.bootstrap_ends import SmoothFunction, bound_runs
from discreet.robust.intervals.correlation import CORRELATION, HALF, POWERS
from discreet.robust.intervals.moments import ScaledColumn, list_pairs, make_ratio, make_regression
from robust_line import MISS, NORMAL, PEOPLE, CoverageLine, MeasureCase, count_runs, name_case
from robust_samples import Population, make_populations

EPSILONS = (1.0, 10.0)
DELTA = Fraction(1, 10**6)
RESAMPLES = 50
SLOPES = (0.5, -0.25)
"""Of the target by two features; a quarter of an error of the same kind is added."""

TOGETHER = 50
"""Runs that are bounded together."""

SHARED = 10
"""Runs that share their weights: each has the law of one alone, with people and noise of its own."""

Singles = NDArray[np.float32]

UNIT = (ScaledColumn(0.0, 1.0),) * 3
PAIRS = list_pairs(3)
"""Products of the columns: two features, and the target."""

HIGHER = range(3 + len(PAIRS), 3 + len(PAIRS) + len(POWERS))
"""Where products of three and four values of the first feature and the target stand, behind those of pairs."""

BITS = 16
"""Weights are looked up by so many random bits: the law of the curator's, to a part in 100,000."""

WEIGHTS = np.searchsorted(np.cumsum(CHANCES)[:-1] >> (53 - BITS), np.arange(2**BITS), side="right").astype(np.float32)


def choose_columns(*columns: int) -> list[int]:
    """Return where some columns and the products of their pairs stand in a person's vector."""
    pairs = [tuple(sorted((columns[first], columns[second]))) for first, second in list_pairs(len(columns))]
    return [*columns, *(3 + PAIRS.index((first, second)) for first, second in pairs)]


@dataclass(frozen=True)
class MeasuredFunction:
    """A function of means, which entries of a person's vector it needs, and which of its numbers are looked at."""

    function: SmoothFunction
    entries: list[int]
    numbers: dict[str, int]
    halves: int = 0
    """Entries that are no larger than one half, the last ones."""


FUNCTIONS = (
    MeasuredFunction(make_regression(UNIT), choose_columns(0, 1, 2), {"intercept": 0, "slope": 1}),
    MeasuredFunction(make_regression(UNIT, True), choose_columns(0, 1, 2), {"slope, even errors": 1}),
    MeasuredFunction(CORRELATION, [*choose_columns(0, 2), *HIGHER], {"correlation": 0}, len(HIGHER)),
    MeasuredFunction(make_ratio((ScaledColumn(2.0, 1.0), ScaledColumn(3.0, 1.0))), [2, 0], {"ratio of means": 0}),
    MeasuredFunction(SmoothFunction(lambda m: m[..., 1:] - m[..., :1] ** 2), [2, 8], {"variance by bootstrap": 0}),
)


@dataclass
class FunctionTally:
    """One function at one price: its noise, its truth, and what intervals came out."""

    measured: MeasuredFunction
    epsilon: float
    truth: Floats
    noise: float = field(init=False)
    lows: list[Floats] = field(default_factory=list)
    highs: list[Floats] = field(default_factory=list)

    def __post_init__(self) -> None:
        steps = bound_length(len(self.measured.entries), self.measured.halves)
        noise = find_noise(Fraction(self.epsilon), DELTA, steps, 2.0**-STEP_BITS, RESAMPLES)
        self.noise = float(noise.sigma) * 2.0**-STEP_BITS

    def add(self, exact: Floats, rng: np.random.Generator) -> None:
        """Bound it from the exact sums of resamples, by run, of which the last column counts people."""
        sums = exact[..., [*self.measured.entries, -1]]
        noisy = sums + rng.normal(0.0, self.noise, sums.shape)
        ends = bound_runs(noisy, self.noise, self.measured.function, MISS)
        self.lows.append(ends.low)
        self.highs.append(ends.high)


def list_functions() -> dict[str, MeasureCase]:
    """Return functions of means by kind of data and number of people."""
    return {
        name_case(each.name, people): partial(measure_functions, each, people)
        for each, people in product(make_populations()[:4], PEOPLE)
    }


def measure_functions(
    population: Population, people: int, runs: int, rng: np.random.Generator
) -> Iterator[CoverageLine]:
    """Measure each at each price; a sample and its weights serve all of them."""
    truths = find_moments(population)
    tallies = [
        FunctionTally(each, epsilon, each.function.tell(truths[each.entries]))
        for each in FUNCTIONS
        for epsilon in EPSILONS
    ]
    plain = np.empty((runs, len(truths)))
    for first in range(0, runs, TOGETHER):
        exact = np.empty((min(TOGETHER, runs - first), RESAMPLES, len(truths) + 1))
        for place in range(len(exact)):
            vectors = draw_vectors(population, people, rng)
            plain[first + place] = vectors.mean(axis=1, dtype=np.float64)
            if place % SHARED == 0:
                weights = draw_weights(people, rng)
            exact[place] = resample(vectors, weights)
        for tally in tallies:
            if first < count_runs(runs, tally.epsilon):
                tally.add(exact, rng)
    for tally in tallies:
        yield from count_function(tally, population.name, people, plain)


def count_function(tally: FunctionTally, data: str, people: int, plain: Floats) -> Iterator[CoverageLine]:
    """Return a line for each number, with the median width beside the spread over samples without noise."""
    usual = tally.measured.function.tell(plain[:, tally.measured.entries]).std(axis=0)
    for name, place in tally.measured.numbers.items():
        low, high = (np.concatenate(each)[:, place] for each in (tally.lows, tally.highs))
        covered = float(np.mean((low <= tally.truth[place]) & (tally.truth[place] <= high)))
        width = float(np.median(high - low) / (2 * NORMAL * usual[place])) if usual[place] > 0 else math.nan
        told = float(np.mean(np.isfinite(low)))
        yield CoverageLine(name, data, people, tally.epsilon, covered, len(low), False, width, told)


def draw_vectors(population: Population, people: int, rng: np.random.Generator) -> Singles:
    """Return a row for each entry: two features and the target, products of their pairs, and those of a correlation."""
    found = np.empty((HIGHER.stop, people), dtype=np.float32)
    drawn = population.to_steps(population.draw(rng, (3, people))) / STEPS
    found[:2], found[2] = drawn[:2], SLOPES[0] * drawn[0] + SLOPES[1] * drawn[1] + 0.25 * drawn[2]
    for place, (first, second) in enumerate(PAIRS, start=3):
        np.multiply(found[first], found[second], out=found[place])
    powers = [list_powers(found[column]) for column in (0, 2)]
    for place, (one, other) in zip(HIGHER, POWERS, strict=True):
        np.multiply(HALF * powers[0][one], powers[1][other], out=found[place])
    return found


def list_powers(values: Singles) -> list[Singles]:
    """Return powers up to the fourth."""
    square = values * values
    return [np.ones_like(values), values, square, square * values, square * square]


def find_moments(population: Population) -> Floats:
    """Return the means of the whole population: features and error are independent and alike.

    No truth needs those of products of three and four, which are left out: NaN.
    """
    mean, deviation = (each / STEPS for each in population.find_moments())
    mixing = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [*SLOPES, 0.25]])
    middles: Floats = mixing @ np.full(3, mean)
    squares = deviation**2 * mixing @ mixing.T + np.outer(middles, middles)
    return np.array([*middles, *(squares[pair] for pair in PAIRS), *[math.nan] * len(POWERS)])


def draw_weights(people: int, rng: np.random.Generator) -> Singles:
    """Return how often each person counts in each resample."""
    return WEIGHTS.take(rng.integers(0, 2**BITS, (RESAMPLES, people), dtype=np.uint16))


def resample(vectors: Singles, weights: Singles) -> Floats:
    """Return exact sums of resamples, the last column the number of people."""
    return np.column_stack([weights @ vectors.T, weights.sum(axis=1)]).astype(float)
