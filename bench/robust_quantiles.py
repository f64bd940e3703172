"""Coverage of quantiles of a population, beside intervals from order statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from scipy import stats

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.mechanisms import Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.robust.designs.planning import STEPS
from discreet.robust.intervals.quantile_ends import CountedPieces, bound_population_quantiles, list_piece_edges
from discreet.robust.intervals.quantile_operation import DRAW
from robust_line import EPSILONS, MISS, PEOPLE, CoverageLine, MeasureCase, count_runs, name_case
from robust_samples import Population, draw_laplace, make_populations

QUANTILES = (Fraction(1, 2), Fraction(9, 10))
POINTS = 2 * STEPS + 1
VALUES = 500_000
"""Values of people in samples that are drawn from together."""

TOGETHER = 200
"""Runs with as many pieces that are bounded together."""

NEVER = 30.0
"""Scales behind, beside the logarithm of all points, at which a point is not drawn: one draw in e^30."""


@dataclass(frozen=True)
class SortedSamples:
    """Samples in order, a row for each run, and which ranks are below each value and at it or below, in its row."""

    points: Ints
    first: Ints
    after: Ints

    @classmethod
    def of(cls, points: Ints) -> SortedSamples:
        """Sort each row."""
        ordered = np.sort(points, axis=1)
        runs, people = ordered.shape
        places = np.arange(people, dtype=np.int32)
        changes = ordered[:, 1:] != ordered[:, :-1]
        ends = np.ones((runs, 1), dtype=bool)
        first = np.where(np.hstack([ends, changes]), places, np.int32(0))
        after = np.where(np.hstack([changes, ends]), places + np.int32(1), np.int32(people))
        first = np.maximum.accumulate(first, axis=1)
        after = np.minimum.accumulate(after[:, ::-1], axis=1)[:, ::-1]
        return cls(ordered, first, after)


@dataclass
class QuantileTally:
    """One quantile at one price: how often it was covered, and how wide its intervals were in all."""

    share: Fraction
    epsilon: float
    truth: float
    ranks: tuple[int, int]
    """Of the order statistics that the same sample without noise would have for ends."""
    covered: int = 0
    runs: int = 0
    wide: float = 0.0
    plain: float = 0.0
    draw: Quantile = field(init=False)
    noise: Laplace = field(init=False)
    waiting: dict[int, list[CountedPieces]] = field(default_factory=dict)
    """Runs that are not bounded yet, by how many pieces they have."""

    def __post_init__(self) -> None:
        self.draw = Quantile(self.share, POINTS, float(DRAW) * self.epsilon, 1, Fraction(0))
        self.noise = Laplace(1 / (float(1 - DRAW) * self.epsilon))

    def add(self, samples: SortedSamples, rng: np.random.Generator) -> None:
        """Draw and count in each sample; bound when many are waiting."""
        for row, near in zip(samples.points, draw_near(samples, self.draw, rng).tolist(), strict=True):
            edges = list_piece_edges(near, POINTS)
            exact = np.diff(np.searchsorted(row, np.array(edges, dtype=row.dtype)), prepend=0, append=len(row))
            counts = exact + draw_laplace(self.noise.scale, exact.shape, rng)
            pieces = CountedPieces(POINTS, edges, tuple(counts.astype(int).tolist()), self.noise.scale)
            alike = self.waiting.setdefault(len(edges), [])
            alike.append(pieces)
            if len(alike) == TOGETHER:
                self.bound(self.waiting.pop(len(edges)))
        self.plain += float((samples.points[:, self.ranks[1]] - samples.points[:, self.ranks[0]]).sum())

    def bound(self, found: list[CountedPieces]) -> None:
        """Bound runs that have as many pieces."""
        for ends in bound_population_quantiles(found, self.share, MISS):
            self.covered += ends.low <= self.truth <= ends.high
            self.runs += 1
            self.wide += ends.high - ends.low

    def finish(self, data: str, people: int) -> CoverageLine:
        """Bound what is waiting, and return the line."""
        for alike in self.waiting.values():
            self.bound(alike)
        width = self.wide / self.plain if self.plain else math.nan
        name, covered = f"quantile {float(self.share):g}", self.covered / self.runs
        return CoverageLine(name, data, people, self.epsilon, covered, self.runs, False, width)


def list_quantiles() -> dict[str, MeasureCase]:
    """Return quantiles by kind of data and number of people."""
    return {
        name_case(each.name, people): partial(measure_quantiles, each, people)
        for each, people in product(make_populations()[:4], PEOPLE)
    }


def measure_quantiles(
    population: Population, people: int, runs: int, rng: np.random.Generator
) -> Iterator[CoverageLine]:
    """Measure each at each price; a sample serves all of them."""
    tallies = []
    for share in QUANTILES:
        truth = float(population.to_steps(np.array(population.invert(np.array(float(share)))))) + STEPS
        low, high = stats.binom.ppf([MISS / 2, 1 - MISS / 2], people, float(share)).astype(int).tolist()
        tallies += [QuantileTally(share, epsilon, truth, (low, high)) for epsilon in EPSILONS]
    for rows, steps in population.draw_steps(people, runs, rng, VALUES):
        samples = SortedSamples.of((steps + STEPS).astype(np.int32))
        for tally in tallies:
            if rows.start < count_runs(runs, tally.epsilon):
                tally.add(samples, rng)
    for tally in tallies:
        yield tally.finish(population.name, people)


def draw_near(samples: SortedSamples, draw: Quantile, rng: np.random.Generator) -> Ints:
    """Return a point near the quantile of each sample, by the law of `Quantile.release`, in floats.

    Points whose ranks are so far from the target that they win once in e^30 draws are left out.
    """
    people, factor, scale = samples.points.shape[1], 2 * draw.share.denominator, float(draw.main.scale)
    target = 2 * draw.share.numerator * people
    reach = (scale * (math.log(draw.points) + NEVER) + draw.core) / factor
    start, stop = max(0, math.floor(target / factor - reach)), min(people, math.ceil(target / factor + reach))
    points = samples.points[:, start:stop]
    ahead = _lead_values(samples, start, stop, target, draw, rng)
    before = samples.points[:, start - 1 : start] if start else np.full((len(points), 1), -1)
    after = samples.points[:, stop : stop + 1] if stop < people else np.full((len(points), 1), draw.points)
    gaps = np.hstack([before, points]) + 1
    widths = np.hstack([points, after]) - gaps
    away = np.abs(factor * np.arange(start, stop + 1) - target) / scale
    lead = np.where(widths > 0, greatest(np.maximum(widths, 1), rng) - away, -np.inf)
    own, gap, runs = np.argmax(ahead, axis=1), np.argmax(lead, axis=1), np.arange(len(points))
    inside = gaps[runs, gap] + rng.integers(0, np.maximum(widths[runs, gap], 1))
    found: Ints = np.where(ahead[runs, own] > lead[runs, gap], points[runs, own], inside)
    return found


def _lead_values(
    samples: SortedSamples, start: int, stop: int, target: int, draw: Quantile, rng: np.random.Generator
) -> Floats:
    """Return how far ahead the points are that have values, one for all that lie at it; others are never drawn."""
    factor, scale = 2 * draw.share.denominator, float(draw.main.scale)
    first, after = samples.first[:, start:stop], samples.after[:, start:stop]
    half = np.minimum(factor * (after - first) // 2, min(draw.core, factor * samples.points.shape[1]))
    away = np.maximum(np.maximum(factor * first + half - target, target - factor * after + half), 0)
    fresh = first == np.arange(start, stop)
    fresh[:, 0] = True
    return np.where(fresh, rng.standard_exponential(first.shape) - away / scale, -np.inf)


def greatest(widths: Ints, rng: np.random.Generator) -> Floats:
    """Return the greatest of so many exponential numbers, for each."""
    found: Floats = -np.log(-np.expm1(-rng.standard_exponential(widths.shape) / widths))
    return found
