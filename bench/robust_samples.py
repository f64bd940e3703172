"""Samples of people for coverage and size: their exact sums, drawn once, and noise as the curator would add it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats

from discreet.base.cells import Cells
from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.robust.designs.group_designs import draw_lives
from discreet.robust.designs.planning import STEPS
from discreet.robust.intervals.laws import ThreeNoises
from discreet.robust.intervals.proportions import NoisyShares
from discreet.robust.intervals.quantile_ends import CountedPieces, list_piece_edges
from discreet.robust.intervals.quantile_operation import DRAW
from discreet.robust.intervals.sums import ValueScale, ValueSums
from discreet.robust.survival.life_tables import NoisyLifeTable

CHUNK = 4_000_000

TIMES = 10
"""Intervals of a life table."""


@dataclass(frozen=True)
class Population:
    """Values with public bounds: how people's values are drawn, and the inverse of their distribution."""

    name: str
    lower: float
    upper: float
    draw: Callable[[np.random.Generator, tuple[int, int]], Any]
    invert: Callable[[Floats], Any]

    @property
    def scale(self) -> ValueScale:
        """The public grid."""
        return ValueScale((self.lower + self.upper) / 2, (self.upper - self.lower) / 2 / STEPS, -STEPS, STEPS)

    def to_steps(self, values: Floats) -> Floats:
        """Return values as the curator holds them: clamped, in whole steps from the middle."""
        scaled = (values - self.scale.center) / self.scale.step
        return np.clip(np.floor(scaled + 0.5), -STEPS, STEPS)

    def find_moments(self) -> tuple[float, float]:
        """Return the mean and the deviation of clamped values, in steps, by a sum over two million quantiles."""
        places = (np.arange(2_000_000) + 0.5) / 2_000_000
        steps = self.to_steps(self.invert(places))
        return float(steps.mean()), float(steps.std())


def make_populations() -> tuple[Population, ...]:
    """Return the four kinds of data that the goals name, and rare events."""
    heavy, log, events = stats.t(2), stats.lognorm(1.0, scale=np.exp(3)), stats.poisson(3)
    return (
        Population("normal", 0, 100, lambda r, s: r.normal(50, 10, s), stats.norm(50, 10).ppf),
        Population("lognormal", 0, 500, lambda r, s: r.lognormal(3, 1, s), log.ppf),
        Population("heavy-tailed", 0, 100, lambda r, s: 50 + 10 * r.standard_t(2, s), lambda u: 50 + 10 * heavy.ppf(u)),
        Population("discrete", 0, 20, lambda r, s: r.poisson(3, s).astype(float), events.ppf),
        Population("one in fifty", 0, 1, lambda r, s: (r.random(s) < 0.02) * 1.0, lambda u: (u > 0.98) * 1.0),
    )


def draw_sums(population: Population, people: int, runs: int, rng: np.random.Generator) -> Floats:
    """Return sums and sums of squares in steps: two rows, a column for each run."""
    found = np.empty((2, runs))
    width = max(1, CHUNK // people)
    for first in range(0, runs, width):
        size = min(width, runs - first)
        steps = population.to_steps(population.draw(rng, (size, people)))
        found[0, first : first + size] = steps.sum(axis=1)
        found[1, first : first + size] = np.einsum("ij,ij->i", steps, steps)
    return found


def add_noise(sums: Floats, people: int, noises: ThreeNoises, scale: ValueScale, rng: np.random.Generator) -> ValueSums:
    """Return sums with noise, for each run its own."""
    runs = sums.shape[1]
    drawn = [np.round(rng.laplace(0, noise.scale, runs)) for noise in noises if isinstance(noise, Laplace)]
    return ValueSums(people + drawn[0], sums[0] + drawn[1], sums[1] + drawn[2], noises, scale)


def draw_shares(share: float, people: int, runs: int, epsilon: float, rng: np.random.Generator) -> NoisyShares:
    """Return noisy counts of people with and without something that this share of all has."""
    yes = rng.binomial(people, share, runs)
    noise = Laplace(1 / epsilon)
    drawn = np.round(rng.laplace(0, noise.scale, (2, runs)))
    return NoisyShares(yes + drawn[0], people - yes + drawn[1], noise)


def count_pieces(
    population: Population, people: int, share: Fraction, epsilon: float, rng: np.random.Generator
) -> tuple[CountedPieces, Floats]:
    """Return noisy counts of people around a point that is drawn near a quantile, and all points in order."""
    points = 2 * STEPS + 1
    steps = np.sort(population.to_steps(population.draw(rng, (1, people)))[0] + STEPS).astype(np.int64)
    draw = Quantile(share, points, float(DRAW) * epsilon, 1, Fraction(0))
    edges = list_piece_edges(draw.release(Cells(*np.unique(steps, return_counts=True))).value, points)
    noise = Laplace(1 / (float(1 - DRAW) * epsilon))
    exact = np.diff([0, *np.searchsorted(steps, edges), people])
    counts = tuple(int(each) for each in exact + np.round(rng.laplace(0, noise.scale, len(exact))))
    return CountedPieces(points, edges, counts, noise.scale), steps.astype(float)


def draw_life_tables(
    hazard: float, leaving: float, people: int, runs: int, epsilon: float, rng: np.random.Generator
) -> NoisyLifeTable:
    """Return noisy life tables of ten intervals."""
    return draw_lives(hazard, leaving, TIMES, people, runs, Laplace(1 / epsilon), rng)
