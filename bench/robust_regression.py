"""Regressions, correlations and ratios: how often their intervals cover, and how wide they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.designs.planning import STEPS
from discreet.robust.intervals.bootstrap import STEP_BITS, find_noise
from discreet.robust.intervals.bootstrap_ends import SmoothFunction, bound_functions
from discreet.robust.intervals.moments import CORRELATION, ScaledColumn, list_pairs, make_ratio, make_regression
from robust_samples import Population, make_populations

PEOPLE = (1_000, 10_000)
EPSILONS = (1.0, 10.0)
DELTA = Fraction(1, 10**6)
RESAMPLES = 50
MOST_WEIGHT = 7
MISS = 0.05
NORMAL = 1.959964
SLOPES = (0.5, -0.25)
"""Of the target by two features; a quarter of an error of the same kind is added."""

FUNCTIONS: dict[str, tuple[SmoothFunction, tuple[int, ...], int]] = {
    "slope": (make_regression((ScaledColumn(0.0, 1.0),) * 3), (0, 1, 2), 1),
    "correlation": (CORRELATION, (0, 2), 0),
    "ratio of means": (make_ratio((ScaledColumn(2.0, 1.0), ScaledColumn(3.0, 1.0))), (2, 0), 0),
}
"""Each with its columns, the target is the last one, and which of its numbers is looked at."""

Line = tuple[str, int, float, float, float]


def cover_functions(runs: int, rng: np.random.Generator) -> Iterator[Line]:
    """Measure each on each kind of data, beside the spread of the same number over samples without noise."""
    for population in make_populations()[:4]:
        for people in PEOPLE:
            columns = [draw_columns(population, people, rng) for _ in range(runs)]
            for name, (function, chosen, place) in FUNCTIONS.items():
                truth = function.tell(find_moments(population, name, chosen))[place]
                vectors = [multiply(each[:, chosen], name) for each in columns]
                plain = float(np.std([function.tell(each.mean(axis=0))[place] for each in vectors]))
                exact = [resample(each, rng) for each in vectors]
                for epsilon in EPSILONS:
                    noise = scale_noise(epsilon, vectors[0].shape[1])
                    covered, widths = 0, []
                    for sums in exact:
                        ends = bound_functions(sums + rng.normal(0.0, noise, sums.shape), noise, function, MISS)
                        covered += ends.low[place] <= truth <= ends.high[place]
                        widths.append(ends.high[place] - ends.low[place])
                    width = float(np.median(widths)) / (2 * NORMAL * plain)
                    yield f"{name}, {population.name}", people, epsilon, covered / runs, width


def draw_columns(population: Population, people: int, rng: np.random.Generator) -> Floats:
    """Return two features and the target, between -1 and 1."""
    drawn = population.to_steps(population.draw(rng, (3, people))) / STEPS
    target = SLOPES[0] * drawn[0] + SLOPES[1] * drawn[1] + 0.25 * drawn[2]
    return np.column_stack([drawn[0], drawn[1], target])


def multiply(columns: Floats, name: str) -> Floats:
    """Return columns with the products that a function needs."""
    if name == "ratio of means":
        return columns
    pairs = [columns[:, first] * columns[:, second] for first, second in list_pairs(columns.shape[1])]
    return np.column_stack([columns, *pairs])


def find_moments(population: Population, name: str, chosen: tuple[int, ...]) -> Floats:
    """Return the means of the whole population: features and error are independent and alike."""
    mean, deviation = (each / STEPS for each in population.find_moments())
    mixing = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [*SLOPES, 0.25]])[list(chosen)]
    middles: Floats = mixing @ np.full(3, mean)
    squares = deviation**2 * mixing @ mixing.T + np.outer(middles, middles)
    if name == "ratio of means":
        return middles
    return np.array([*middles, *(squares[pair] for pair in list_pairs(len(chosen)))])


def resample(vectors: Floats, rng: np.random.Generator) -> Floats:
    """Return exact sums of resamples, the last column the number of people."""
    weights = np.minimum(rng.poisson(1.0, (RESAMPLES, len(vectors))), MOST_WEIGHT)
    return np.column_stack([weights @ vectors, weights.sum(axis=1)])


def scale_noise(epsilon: float, entries: int) -> float:
    """Return the deviation of the noise in each entry of each resample, as the curator would add it."""
    steps = math.isqrt((entries + 1) << (2 * STEP_BITS)) + 1
    noise = find_noise(Fraction(epsilon), DELTA, steps, 2.0**-STEP_BITS, RESAMPLES)
    return noise.sigma * 2.0**-STEP_BITS
