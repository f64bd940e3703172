"""Samples of people for coverage and size: their exact sums, drawn once, and noise of the curator's own law."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import stats

from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.robust.designs.planning import STEPS
from discreet.robust.intervals.laws import ThreeNoises
from discreet.robust.intervals.proportions import NoisyShares
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

    @lru_cache  # noqa: B019  (there are a few populations, for the whole run)
    def find_moments(self) -> tuple[float, float]:
        """Return the mean and the deviation of clamped values, in steps, by a sum over two million quantiles."""
        places = (np.arange(2_000_000) + 0.5) / 2_000_000
        steps = self.to_steps(self.invert(places))
        return float(steps.mean()), float(steps.std())

    def draw_steps(
        self, people: int, runs: int, rng: np.random.Generator, values: int = CHUNK
    ) -> Iterator[tuple[slice, Floats]]:
        """Return samples in parts of so many values: which runs these are, and a row of clamped values for each."""
        width = max(1, values // people)
        for first in range(0, runs, width):
            size = min(width, runs - first)
            yield slice(first, first + size), self.to_steps(self.draw(rng, (size, people)))


@lru_cache
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


def draw_laplace(scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Return discrete Laplace noise, the curator's law: the difference of two geometric numbers."""
    chance = -np.expm1(-1 / scale)
    return (rng.geometric(chance, shape) - rng.geometric(chance, shape)).astype(float)


def draw_sums(population: Population, people: int, runs: int, rng: np.random.Generator) -> Floats:
    """Return sums and sums of squares in steps: two rows, a column for each run."""
    found = np.empty((2, runs))
    for rows, steps in population.draw_steps(people, runs, rng):
        found[0, rows] = steps.sum(axis=1)
        found[1, rows] = np.einsum("ij,ij->i", steps, steps)
    return found


def add_noise(sums: Floats, people: int, noises: ThreeNoises, scale: ValueScale, rng: np.random.Generator) -> ValueSums:
    """Return sums with noise, for each run its own."""
    runs = sums.shape[1]
    drawn = [draw_laplace(noise.scale, (runs,), rng) for noise in noises if isinstance(noise, Laplace)]
    return ValueSums(people + drawn[0], sums[0] + drawn[1], sums[1] + drawn[2], noises, scale)


def draw_shares(share: float, people: int, runs: int, epsilon: float, rng: np.random.Generator) -> NoisyShares:
    """Return noisy counts of people with and without something that this share of all has."""
    yes = rng.binomial(people, share, runs)
    noise = Laplace(1 / epsilon)
    drawn = draw_laplace(noise.scale, (2, runs), rng)
    return NoisyShares(yes + drawn[0], people - yes + drawn[1], noise)


def draw_cells(people: int, shares: Floats, runs: int, noise: Laplace, rng: np.random.Generator) -> Floats:
    """Return noisy tables of people who fall into cells by these shares."""
    drawn = rng.multinomial(people, shares.ravel(), runs).reshape(runs, *shares.shape)
    return drawn + draw_laplace(noise.scale, drawn.shape, rng)


def draw_life_tables(
    hazard: float, leaving: float, people: int, runs: int, epsilon: float, rng: np.random.Generator
) -> NoisyLifeTable:
    """Return noisy life tables of ten intervals: in each a share has the event, and a share of the rest leaves."""
    shares, left = [], 1.0
    for _ in range(TIMES):
        shares += [left * hazard, left * (1 - hazard) * leaving]
        left *= (1 - hazard) * (1 - leaving)
    noise = Laplace(1 / epsilon)
    cells = draw_cells(people, np.array([*shares, left]), runs, noise, rng)
    return NoisyLifeTable(cells[:, 0:-1:2], cells[:, 1:-1:2], cells[:, -1], noise)


BINS = 5


@lru_cache
def list_bins() -> tuple[tuple[str, Floats], ...]:
    """Return the shares of each kind of data in bins: equal parts of its bounds, and about as many people in each."""
    return tuple(
        (f"{population.name}, {'even' if even else 'equally wide'} bins", _find_bin_shares(population, even))
        for population in make_populations()[:4]
        for even in (False, True)
    )


def _find_bin_shares(population: Population, even: bool) -> Floats:
    values = np.clip(population.invert((np.arange(200_000) + 0.5) / 200_000), population.lower, population.upper)
    places = np.arange(1, BINS) / BINS
    cuts = np.quantile(values, places) if even else population.lower + places * (population.upper - population.lower)
    counts = np.bincount(np.searchsorted(cuts, values, side="left"), minlength=BINS)
    found: Floats = counts / counts.sum()
    return found
