"""Coverage of the intervals that are for the noise alone: about the people of a sample, not of a population.

The wing's own operations run at a desk that holds generated values instead of a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from discreet.base.cells import Cells
from discreet.base.grid import Floats
from discreet.curator.door.clipping import Clip, Norm, clip_vectors
from discreet.curator.door.unit_functions import BatchFunction, PieceCounts
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.plan.grid import ClampedGrid
from discreet.privacy.charges import Charge
from discreet.robust.designs.planning import STEPS
from discreet.robust.estimators.clipped_sums import bound_clipped_mean, bound_clipped_sum
from discreet.robust.estimators.clips import ONCE, SPLITS, ClippedOperation
from discreet.robust.estimators.coinpress import NORMAL, CoinPress
from discreet.robust.estimators.estimators import FINE, SHARE_OF_COUNTS
from robust_line import MISS, PEOPLE, CoverageLine, MeasureCase, count_covered, name_case
from robust_samples import Population, draw_laplace, make_populations

EPSILON = Fraction(1)
RHO = Fraction(1, 2)
DELTA = Fraction(1, 10**6)
TRIM = Fraction(1, 10)
SAFE = 10
"""A proposal is so many deviations over the number of people."""

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

    def sum(self, plan: Any, function: BatchFunction, clip: Clip, noise: Laplace | Gaussian) -> tuple[int, ...]:
        """Return noisy sums of a function of each person, clipped, in steps."""
        self.exact, self.step = sum_exactly(self.values, function, clip, noise), float(clip.step)
        self.told = tuple(int(each) for each in self.exact + self._draw(noise, self.exact.shape))
        return self.told

    def count_rows(self, plan: Any, noise: Laplace | Gaussian) -> int:
        """Return the noisy number of people."""
        return len(self.values) + int(self._draw(noise, (1,))[0])

    def _draw(self, noise: Laplace | Gaussian, shape: tuple[int, ...]) -> Floats:
        if isinstance(noise, Laplace):
            return draw_laplace(noise.scale, shape, self.rng)
        return np.round(self.rng.normal(0.0, noise.sigma, shape))


def sum_exactly(values: Floats, function: BatchFunction, clip: Clip, noise: Laplace | Gaussian) -> Floats:
    """Return what a desk adds up before its noise, in steps, of people with one row each.

    Where each person adds 1 to one of some counts, and the clip lets them, these are counted without a vector for each.
    """
    if isinstance(function, PieceCounts) and clip == ONCE:
        pieces = np.searchsorted(function.edges, values[:, 0], side="right")
        return np.asarray(np.bincount(pieces, minlength=function.dimension), dtype=float)
    norm = Norm.L2 if isinstance(noise, Gaussian) else Norm.L1
    return np.asarray(clip_vectors(function.map_rows(values), clip, norm).sum(axis=0), dtype=float)


def make_plan(population: Population) -> Any:
    """Return what operations read of a plan: neighbours, rows of a person, and the grid of its one column."""
    step = Fraction(population.upper - population.lower) / (2 * STEPS)
    grid = ClampedGrid(Fraction(population.lower + population.upper) / 2, step, -STEPS, STEPS)
    return SimpleNamespace(factor=1, rows=1, columns=(SimpleNamespace(grid=grid),))


def list_noise() -> dict[str, MeasureCase]:
    """Return intervals for the noise alone, by their name, kind of data and number of people."""
    return {
        f"{name}, {name_case(each.name, people)}": partial(measure_noise, name, each, people)
        for name, each, people in product(COVERS, make_populations()[:4], PEOPLE)
    }


def measure_noise(
    name: str, population: Population, people: int, runs: int, rng: np.random.Generator
) -> Iterator[CoverageLine]:
    """Measure one of them against the same people's own number; what was refused has no interval."""
    cover, plan, covered = COVERS[name], make_plan(population), []
    for _, samples in population.draw_steps(people, runs, rng):
        told = [cover(population, plan, steps, rng) for steps in samples]
        covered += [each for each in told if each is not None]
    yield count_covered(name, f"{population.name}, the noise alone", people, float(EPSILON), np.array(covered))


def cover_clipped(kind: str, population: Population, plan: Any, steps: Floats, rng: np.random.Generator) -> bool:
    """Say whether the interval holds the sum, or the mean, of values clamped to the clip that was found."""
    values = population.scale.to_value(steps)
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


def cover_median(population: Population, plan: Any, steps: Floats, rng: np.random.Generator) -> bool:
    """Say whether the interval of a drawn median holds a median of these people."""
    points = (steps + STEPS).astype(np.int64)
    made = Quantile(HALF, 2 * STEPS + 1, float(EPSILON), 1, sides=SHARE_OF_COUNTS)
    low, high = made.release(Cells(*np.unique(points, return_counts=True))).interval(1 - MISS)
    ordered = np.sort(points)
    return bool(low <= ordered[(len(points) - 1) // 2] and ordered[len(points) // 2] <= high)


def cover_proposed(population: Population, plan: Any, steps: Floats, rng: np.random.Generator) -> bool | None:
    """Say whether the interval holds the trimmed mean of these people; nothing where it is refused."""
    points = steps.astype(np.int64)
    fineness = max(1, FINE // (2 * STEPS))
    proposal = math.ceil(SAFE * population.find_moments()[1] / len(points) * fineness)
    made = ProposeTestRelease.calibrate(float(EPSILON), float(DELTA), proposal)
    statistic = TrimmedMean(TRIM, -STEPS, STEPS, 1, fineness)
    told = made.release(statistic, points)
    return None if told is None else abs(told - statistic.value(points)) <= made.interval(1 - MISS) + 1


def cover_coinpress(population: Population, plan: Any, steps: Floats, rng: np.random.Generator) -> bool:
    """Say whether the interval holds the mean of these people, clipped to the last ball; their deviation is public."""
    values = population.scale.to_value(steps)
    deviation = population.find_moments()[1] * population.scale.step
    ends = (population.lower / deviation, population.upper / deviation)
    operation = CoinPress(plan, ((ends[0] + ends[1]) / 2,), (ends[1] - ends[0]) / 2, 3, RHO)
    held = ArrayDesk(values[:, None] / deviation, rng)
    desk: Any = held
    found = operation.finish(operation.run(desk))
    moved = held.told[0] * held.step / found["count"]
    truth = found["center"][0] - moved + held.exact[0] * held.step / len(values)
    return bool(abs(found["center"][0] - truth) <= NORMAL * found["wide"])


COVERS: dict[str, Callable[[Population, Any, Floats, np.random.Generator], bool | None]] = {
    "CoinPress, clipped": cover_coinpress,
    "clipped sum": partial(cover_clipped, "sum"),
    "clipped mean": partial(cover_clipped, "mean"),
    "drawn median": cover_median,
    "trimmed mean, propose-test-release": cover_proposed,
}
"""Each says of one sample whether its interval holds what it is about, or that there is none."""
