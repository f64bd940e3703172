"""Coverage of quantiles of a population, beside intervals from order statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

import numpy as np
from scipy import stats

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.mechanisms import Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.robust.designs.planning import STEPS
from discreet.robust.intervals.quantile_ends import CountedPieces, bound_population_quantile, list_piece_edges
from discreet.robust.intervals.quantile_operation import DRAW
from robust_line import EPSILONS, MISS, PEOPLE, CoverageLine, MeasureCase, spare
from robust_samples import Population, draw_laplace, make_populations

QUANTILES = (Fraction(1, 2), Fraction(9, 10))
POINTS = 2 * STEPS + 1
FEWER = 5
"""One run here stands for so many of other intervals: each is computed alone."""

NEVER = 45.0
"""Scales behind, beside the logarithm of all points, at which a point is not drawn: one draw in e^45."""


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

    def __post_init__(self) -> None:
        self.draw = Quantile(self.share, POINTS, float(DRAW) * self.epsilon, 1, Fraction(0))
        self.noise = Laplace(1 / (float(1 - DRAW) * self.epsilon))

    def add(self, points: Ints, rng: np.random.Generator) -> None:
        """Draw, count and bound, of one sample in order."""
        edges = list_piece_edges(draw_near(points, self.draw, rng), POINTS)
        exact = np.diff(np.searchsorted(points, edges), prepend=0, append=len(points))
        counts = exact + draw_laplace(self.noise.scale, exact.shape, rng)
        pieces = CountedPieces(POINTS, edges, tuple(counts.astype(int).tolist()), self.noise.scale)
        ends = bound_population_quantile(pieces, self.share, MISS)
        self.covered += ends.low <= self.truth <= ends.high
        self.runs += 1
        self.wide += ends.high - ends.low
        self.plain += int(points[self.ranks[1]] - points[self.ranks[0]])


def list_quantiles() -> dict[str, MeasureCase]:
    """Return quantiles by kind of data."""
    return {each.name: partial(measure_quantiles, each) for each in make_populations()[:4]}


def measure_quantiles(population: Population, runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure each at each price; a sample serves all of them."""
    many = spare(runs, FEWER)
    for people in PEOPLE:
        tallies = []
        for share in QUANTILES:
            truth = float(population.to_steps(np.array(population.invert(np.array(float(share)))))) + STEPS
            low, high = stats.binom.ppf([MISS / 2, 1 - MISS / 2], people, float(share)).astype(int).tolist()
            tallies += [QuantileTally(share, epsilon, truth, (low, high)) for epsilon in EPSILONS]
        for _, steps in population.draw_steps(people, many, rng):
            points = np.sort((steps + STEPS).astype(np.int32), axis=1)
            for row in points:
                for tally in tallies:
                    tally.add(row, rng)
        for tally in tallies:
            name, covered = f"quantile {float(tally.share):g}", tally.covered / tally.runs
            width = tally.wide / tally.plain if tally.plain else math.nan
            yield CoverageLine(name, population.name, people, tally.epsilon, covered, tally.runs, False, width)


def draw_near(points: Ints, draw: Quantile, rng: np.random.Generator) -> int:
    """Return a point near the quantile of points in order, by the law of `Quantile.release`, in floats.

    Points whose ranks are so far from the target that they win once in e^45 draws are left out.
    """
    people, factor, scale = len(points), 2 * draw.share.denominator, float(draw.main.scale)
    target = 2 * draw.share.numerator * people
    reach = (scale * (math.log(draw.points) + NEVER) + draw.core) / factor
    first, last = (int(np.clip(target / factor + side * reach, 0, people - 1)) for side in (-1, 1))
    first = int(np.searchsorted(points, points[first], side="left"))
    last = int(np.searchsorted(points, points[last], side="right"))
    window = points[first:last].astype(np.int64)
    starts = np.flatnonzero(np.concatenate([[True], window[1:] != window[:-1]]))
    at, below = window[starts], factor * (first + np.concatenate([starts, [len(window)]]))
    before = int(points[first - 1]) if first else -1
    after = int(points[last]) if last < people else draw.points
    gaps = np.concatenate([[before], at]) + 1
    widths = np.concatenate([np.concatenate([at, [after]]) - gaps, np.ones_like(at)])
    half = np.minimum(np.diff(below) // 2, min(draw.core, factor * people))
    low = np.concatenate([below, below[:-1] + half])
    high = np.concatenate([below, below[1:] - half])
    away = np.maximum(np.maximum(low - target, target - high), 0)
    full = widths > 0
    lead = greatest(widths[full], rng) - away[full] / scale
    chosen = int(np.flatnonzero(full)[int(np.argmax(lead))])
    return int(np.concatenate([gaps, at])[chosen] + rng.integers(widths[chosen]))


def greatest(widths: Ints, rng: np.random.Generator) -> Floats:
    """Return the greatest of so many exponential numbers, for each."""
    found: Floats = -np.log(-np.expm1(-rng.standard_exponential(len(widths)) / widths))
    return found
