"""Tests on noisy counts of people in cells: does a table fit public shares, are two columns independent?

The statistic is a sum of squared distances from what is expected, each over the variance that sampling and noise give
it. Its law under the null is simulated: people are drawn by the null, noise is added as the curator adds it, and the
statistic is computed in the same way (Gaboardi, Lim, Rogers, Vadhan 2016). With B simulations, (1 + how many are as
far) / (1 + B) is a valid p-value, however few they are. How many people there are is not known: the number is taken
from the upper end of its interval, where distances are largest, and what that interval may miss is added to the
p-value. Simulations are computed from what was recorded, with a public seed: the same record has the same p-value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.curator.estimates.totals import bound_total
from discreet.mechanisms import Laplace
from discreet.robust.intervals.laws import SumNoise

DRAWS = 9_999
"""Simulations of one p-value."""

COUNT_MISS = 0.0005
"""What the interval of the number of people may miss; it is a part of every p-value here."""

SEED = 2009
"""Of simulations, which look at nothing private."""

AT_ONCE = 1 << 20
"""Simulated counts that are held at once."""

ExpectedCells = Callable[[Floats], Floats]
"""From noisy tables of cells to those that a null makes of them."""

EffectEnds = tuple[Floats, Floats, Floats]
"""An estimate, and the low and the high end of its interval."""

CellMeasure = Callable[[Floats, SumNoise], Floats]
"""From noisy tables of cells to how far each is from a null."""


def find_variance(noise: SumNoise) -> float:
    """Return the variance of a noise, at least."""
    return 2 * noise.scale**2 if isinstance(noise, Laplace) else noise.sigma**2 + 1 / 12


def draw_noise(noise: SumNoise, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Return simulated noise: for post-processing only, never for what is released."""
    if isinstance(noise, Laplace):
        return np.round(rng.laplace(0.0, noise.scale, shape))
    return np.round(rng.normal(0.0, noise.sigma, shape))


def bound_people(cells: Floats, noise: SumNoise, miss: float = COUNT_MISS) -> Floats:
    """Return the most people that there can be in all cells (the last axis), rounded up to three digits; at least 1."""
    most = cells.sum(axis=-1) + bound_total(noise, cells.shape[-1], 2 * miss)
    held = np.maximum(np.ceil(most), 1.0)
    step = 10.0 ** np.maximum(np.floor(np.log10(held)) - 2, 0)
    found: Floats = np.ceil(held / step) * step
    return found


def explain_fit(cells: Floats, shares: tuple[float, ...], noise: SumNoise, draws: int = DRAWS) -> Floats:
    """Return the p-value of public shares, for each row of cells."""
    most = bound_people(cells, noise)
    found = np.empty(len(cells))
    for count in np.unique(most):
        rows = most == count
        nulls = _simulate_fit(shares, int(count), noise, draws)
        far = len(nulls) - np.searchsorted(nulls, measure_fit(cells[rows], shares, float(count), noise), side="left")
        found[rows] = (1 + far) / (1 + len(nulls))
    return np.minimum(found + COUNT_MISS, 1.0)


def measure_fit(cells: Floats, shares: tuple[float, ...], count: float, noise: SumNoise) -> Floats:
    """Return how far cells are from public shares, in variances of sampling and noise for so many people."""
    expected = np.asarray(shares)
    away = cells - cells.sum(axis=-1, keepdims=True) * expected
    found: Floats = (away**2 / (count * expected + find_variance(noise))).sum(axis=-1)
    return found


@lru_cache(maxsize=512)
def _simulate_fit(shares: tuple[float, ...], count: int, noise: SumNoise, draws: int) -> Floats:
    rng = np.random.default_rng(SEED)
    cells = rng.multinomial(count, shares, draws) + draw_noise(noise, (draws, len(shares)), rng)
    return np.sort(measure_fit(cells, shares, float(count), noise))


def explain_tables(
    cells: Floats, noise: SumNoise, expect: ExpectedCells, measure: CellMeasure, draws: int = DRAWS
) -> Floats:
    """Return the p-value of a null, for each table of cells (all axes but the first).

    `expect` returns how many people cells would have if the null held, and `measure` how far they are from that; both
    look at noisy cells alone. What is estimated for them is estimated again in every simulation.
    """
    rng = np.random.default_rng(SEED)
    runs, size = len(cells), math.prod(cells.shape[1:])
    most = bound_people(cells.reshape(runs, size), noise).astype(np.int64)
    own, found = measure(cells, noise), np.empty(runs)
    expected = expect(cells)
    shares = expected / expected.reshape(runs, size).sum(axis=-1).reshape(-1, *[1] * (cells.ndim - 1))
    for rows in split_runs(runs, draws * size):
        nulls = simulate_null(shares[rows], most[rows], noise, measure, draws, rng)
        found[rows] = (1 + (nulls >= own[rows, None]).sum(axis=-1)) / (1 + draws)
    return np.minimum(found + COUNT_MISS, 1.0)


def split_runs(runs: int, numbers: int) -> Iterator[slice]:
    """Return runs in parts that take a bounded number of numbers at once, if each takes so many."""
    width = max(1, AT_ONCE // max(numbers, 1))
    return (slice(first, first + width) for first in range(0, runs, width))


def simulate_null(
    shares: Floats, counts: Ints, noise: SumNoise, measure: CellMeasure, draws: int, rng: np.random.Generator
) -> Floats:
    """Return how far noisy tables are from a null that holds: a row for each run, a column for each simulation.

    A run has shares of cells (all axes but the first), and so many people who are drawn by these.
    """
    drawn = draw_people(shares.reshape(len(shares), -1), counts, draws, rng).reshape(-1, draws, *shares.shape[1:])
    return measure(drawn + draw_noise(noise, drawn.shape, rng), noise)


def draw_people(shares: Floats, counts: Ints, draws: int, rng: np.random.Generator) -> Ints:
    """Return simulated numbers of people by cell, so many times for each row of shares and number of people."""
    found: Ints = rng.multinomial(counts[:, None], shares[:, None, :], (len(shares), draws))
    return found


def explain_independence(cells: Floats, noise: SumNoise, draws: int = DRAWS) -> Floats:
    """Return the p-value of independence, for each table of cells (the last two axes)."""
    return explain_tables(cells, noise, expect_independence, measure_independence, draws)


def expect_independence(cells: Floats) -> Floats:
    """Return how many people each cell would have if rows and columns were independent, by noisy margins above 0."""
    total = np.maximum(cells.sum(axis=(-2, -1), keepdims=True), 1.0)
    down = np.maximum(cells.sum(axis=-1, keepdims=True), 0.5)
    across = np.maximum(cells.sum(axis=-2, keepdims=True), 0.5)
    found: Floats = down * across / total
    return found


def measure_independence(cells: Floats, noise: SumNoise) -> Floats:
    """Return how far tables are from independence, in variances of sampling and noise."""
    expected = expect_independence(cells)
    found: Floats = ((cells - expected) ** 2 / (expected + find_variance(noise))).sum(axis=(-2, -1))
    return found


def bound_fit_effect(
    cells: Floats, shares: tuple[float, ...], noise: SumNoise, miss: float, draws: int = DRAWS
) -> EffectEnds:
    """Return Cohen's w of cells against public shares, estimated, and an interval, for each row of cells.

    w is the length of the vector (p - share) / sqrt(share). What is estimated differs from it by an error vector, so
    that its length differs by that vector's length at most (the triangle inequality); how long that is, is simulated at
    the estimated shares.
    """
    expected = np.asarray(shares)
    count = np.maximum(cells.sum(axis=-1, keepdims=True), 1.0)
    root = np.sqrt(expected)
    length = np.linalg.norm((cells / count - expected) / root, axis=-1)
    held = np.maximum(cells, 0.5)
    likely = held / held.sum(axis=-1, keepdims=True)
    people = np.maximum(count[:, 0].astype(np.int64), 1)
    rng = np.random.default_rng(SEED)
    reach, square = np.empty(len(cells)), np.empty(len(cells))
    for rows in split_runs(len(cells), draws * cells.shape[-1]):
        usual = likely[rows, None, :]
        drawn = draw_people(likely[rows], people[rows], draws, rng)
        errors = drawn - people[rows, None, None] * usual + draw_noise(noise, drawn.shape, rng)
        errors = errors - errors.sum(axis=-1, keepdims=True) * usual
        lengths = np.linalg.norm(errors / count[rows, None] / root, axis=-1)
        reach[rows], square[rows] = np.quantile(lengths, 1 - miss, axis=-1), np.mean(lengths**2, axis=-1)
    unbiased = np.sqrt(np.maximum(length**2 - square, 0.0))
    return unbiased, np.maximum(length - reach, 0.0), length + reach
