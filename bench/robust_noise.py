"""Coverage of the intervals that are for the noise alone: about the people of a sample, not of a population.

The wing's own operations run at a desk that holds generated values instead of a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from discreet.base.cells import Cells
from discreet.base.grid import Floats
from discreet.curator.door.clipping import Clip, Norm, clip_vectors
from discreet.curator.door.unit_functions import UnitFunction, apply_function
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.plan.grid import ClampedGrid
from discreet.privacy.charges import Charge
from discreet.robust.designs.planning import STEPS
from discreet.robust.estimators.clipped_sums import bound_clipped_mean, bound_clipped_sum
from discreet.robust.estimators.clips import SPLITS, ClippedOperation
from discreet.robust.estimators.coinpress import NORMAL, CoinPress
from discreet.robust.estimators.estimators import SHARE_OF_COUNTS
from robust_line import MISS, PEOPLE, CoverageLine, MeasureCase, spare
from robust_samples import Population, draw_laplace, make_populations

EPSILON = Fraction(1)
RHO = Fraction(1, 2)
FEWER = 10
"""One run here stands for so many of other intervals: each is computed alone."""

HALF = Fraction(1, 2)


@dataclass
class ArrayDesk:
    """Sums and counts of generated people with noise of the curator's law, where an operation expects a desk."""

    values: Floats
    """A row for each person."""
    rng: np.random.Generator
    exact: Floats = field(init=False)
    """The last sums without their noise, in steps, and the step."""
    step: float = field(init=False)
    told: tuple[int, ...] = ()
    """The same with noise."""

    def sum(self, plan: Any, function: UnitFunction, clip: Clip, noise: Laplace | Gaussian) -> tuple[int, ...]:
        """Return noisy sums of a function of each person, clipped, in steps."""
        offsets = np.arange(len(self.values) + 1)
        vectors = apply_function(function, function.dimension, self.values, offsets)
        norm = Norm.L2 if isinstance(noise, Gaussian) else Norm.L1
        self.exact, self.step = clip_vectors(vectors, clip, norm).sum(axis=0).astype(float), float(clip.step)
        self.told = tuple(int(each) for each in self.exact + self._draw(noise, self.exact.shape))
        return self.told

    def count_rows(self, plan: Any, noise: Laplace | Gaussian) -> int:
        """Return the noisy number of people."""
        return len(self.values) + int(self._draw(noise, (1,))[0])

    def _draw(self, noise: Laplace | Gaussian, shape: tuple[int, ...]) -> Floats:
        if isinstance(noise, Laplace):
            return draw_laplace(noise.scale, shape, self.rng)
        return np.round(self.rng.normal(0.0, noise.sigma, shape))


def make_plan(population: Population) -> Any:
    """Return what operations read of a plan: neighbours, rows of a person, and the grid of its one column."""
    step = Fraction(population.upper - population.lower) / (2 * STEPS)
    grid = ClampedGrid(Fraction(population.lower + population.upper) / 2, step, -STEPS, STEPS)
    return SimpleNamespace(factor=1, rows=1, columns=(SimpleNamespace(grid=grid),))


def list_noise() -> dict[str, MeasureCase]:
    """Return intervals for the noise alone, by kind of data."""
    return {each.name: partial(measure_noise, each) for each in make_populations()[:4]}


def measure_noise(population: Population, runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure clipped sums and means, drawn medians and CoinPress, each against the same people's own number."""
    many = spare(runs, FEWER)
    plan = make_plan(population)
    for people in PEOPLE:
        covered = dict.fromkeys(("clipped sum", "clipped mean", "drawn median", "CoinPress, clipped"), 0)
        for _ in range(many):
            ((_, steps),) = population.draw_steps(people, 1, rng)
            values = population.scale.to_value(steps[0])
            covered["clipped sum"] += cover_clipped("sum", plan, values, rng)
            covered["clipped mean"] += cover_clipped("mean", plan, values, rng)
            covered["drawn median"] += cover_median((steps[0] + STEPS).astype(np.int64))
            covered["CoinPress, clipped"] += cover_coinpress(population, plan, values, rng)
        for name, count in covered.items():
            of = f"{population.name}, the noise alone"
            yield CoverageLine(name, of, people, float(EPSILON), count / many, many)


def cover_clipped(kind: str, plan: Any, values: Floats, rng: np.random.Generator) -> bool:
    """Say whether the interval holds the sum, or the mean, of values clamped to the clip that was found."""
    parts = [EPSILON * part for part in SPLITS[kind]]
    counted = Laplace(float(1 / parts[2])) if kind == "mean" else None
    operation = ClippedOperation(plan, Laplace(float(1 / parts[0])), parts[1], counted, Charge(EPSILON, EPSILON))
    desk: Any = ArrayDesk(values[:, None], rng)
    found = operation.finish(operation.run(desk))
    lowest = -float(found.clip) if operation.sizes.has_negative else 0.0
    held = np.clip(values, lowest, float(found.clip))
    bound, truth = (bound_clipped_sum, held.sum()) if kind == "sum" else (bound_clipped_mean, held.mean())
    _, low, high = bound(found, lowest, MISS)
    return bool(low <= truth <= high)


def cover_median(points: Any) -> bool:
    """Say whether the interval of a drawn median holds a median of these people."""
    made = Quantile(HALF, 2 * STEPS + 1, float(EPSILON), 1, sides=SHARE_OF_COUNTS)
    low, high = made.release(Cells(*np.unique(points, return_counts=True))).interval(1 - MISS)
    ordered = np.sort(points)
    return bool(low <= ordered[(len(points) - 1) // 2] and ordered[len(points) // 2] <= high)


def cover_coinpress(population: Population, plan: Any, values: Floats, rng: np.random.Generator) -> bool:
    """Say whether the interval holds the mean of these people, clipped to the last ball; their deviation is public."""
    deviation = population.find_moments()[1] * population.scale.step
    ends = (population.lower / deviation, population.upper / deviation)
    operation = CoinPress(plan, ((ends[0] + ends[1]) / 2,), (ends[1] - ends[0]) / 2, 3, RHO)
    held = ArrayDesk(values[:, None] / deviation, rng)
    desk: Any = held
    found = operation.finish(operation.run(desk))
    moved = held.told[0] * held.step / found["count"]
    truth = found["center"][0] - moved + held.exact[0] * held.step / len(values)
    return bool(abs(found["center"][0] - truth) <= NORMAL * found["wide"])
