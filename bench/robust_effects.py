"""Coverage of effect sizes from counts of people in bins: superiority, signs, largest gaps and Cohen's w."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.robust.testing.contingency import bound_fit_effect
from discreet.robust.testing.rank_effects import bound_gap, bound_signs, bound_superiority
from discreet.robust.testing.ranks import check_groups, is_sure
from robust_line import EPSILONS, MISS, PEOPLE, CoverageLine, MeasureCase, count_covered, covers, measure_surely
from robust_samples import draw_cells, list_bins
from robust_tables import FITS

PARTS = (0.2, 0.3, 0.5)
SIMULATED = 199
"""Simulations of the reach of each gap, and of each w."""


def list_effects() -> dict[str, MeasureCase]:
    """Return every effect, by kind of data and kind of bins; and those of cells."""
    return {data: partial(measure_effects, data, shares) for data, shares in list_bins()} | {"cells": measure_fits}


def measure_effects(data: str, shares: Floats, runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure every effect of groups of which the last has more people in higher bins."""
    for people, epsilon in product(PEOPLE, EPSILONS):
        yield from measure_surely(partial(measure_at, data, shares, people, epsilon, rng), runs, epsilon)


def measure_at(
    data: str, shares: Floats, people: int, epsilon: float, rng: np.random.Generator, runs: int
) -> Iterator[CoverageLine]:
    """Measure them at one price."""
    tilted, noise, of = tilt(shares), Laplace(1 / epsilon), (data, people, epsilon)
    sizes = [int(people * part) for part in PARTS]
    drawn = [draw_cells(size, own, runs, noise, rng) for size, own in zip(sizes, (shares, shares, tilted), strict=True)]
    yield from measure_groups(of, np.stack(drawn, axis=1), shares, tilted, noise)
    around = tilt(np.concatenate([shares, shares[:1], shares[::-1]]))
    yield measure_signs(of, draw_cells(people, around, runs, noise, rng), around, noise)


def tilt(shares: Floats) -> Floats:
    """Return shares that are up to a third larger in higher bins, and smaller in lower ones."""
    tilted = shares * np.linspace(2 / 3, 4 / 3, len(shares))
    found: Floats = tilted / tilted.sum()
    return found


def measure_groups(
    of: tuple[str, int, float], groups: Floats, shares: Floats, tilted: Floats, noise: Laplace
) -> Iterator[CoverageLine]:
    """Measure the first group beside the last, beside all others, and the last beside public shares."""
    unsure, pair = ~check_groups(groups, noise), groups[:, [0, 2]]
    above = float((shares * (tilted.cumsum() - tilted / 2)).sum())
    _, low, high = bound_superiority(groups[:, 0], groups[:, 2], noise, MISS)
    yield count_covered("superiority", *of, covers(low, high, above) | ~check_groups(pair, noise))
    second, third = PARTS[1] / (PARTS[1] + PARTS[2]), PARTS[2] / (PARTS[1] + PARTS[2])
    others = second * shares + third * tilted
    above = float((shares * (others.cumsum() - others / 2)).sum())
    _, low, high = bound_superiority(groups[:, 0], groups[:, 1:].sum(axis=1), noise, MISS, (1, 2))
    yield count_covered("superiority over two groups", *of, covers(low, high, above) | unsure)
    gap = float(np.abs(shares.cumsum() - tilted.cumsum()).max())
    _, low, high = bound_gap(pair, None, noise, MISS, SIMULATED)
    yield count_covered("largest gap", *of, covers(low, high, gap) | ~check_groups(pair, noise))
    one = groups[:, 2:]
    _, low, high = bound_gap(one, shares, noise, MISS, SIMULATED)
    yield count_covered("largest gap to public shares", *of, covers(low, high, gap) | ~is_sure(one[:, 0], noise))


def measure_signs(of: tuple[str, int, float], cells: Floats, around: Floats, noise: Laplace) -> CoverageLine:
    """Measure the share above 0 minus that below."""
    half = len(around) // 2
    truth = float(around[-half:].sum() - around[:half].sum())
    _, low, high = bound_signs(cells, noise, MISS)
    return count_covered("signs", *of, covers(low, high, truth) | ~is_sure(np.delete(cells, half, axis=-1), noise))


def measure_fits(runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure Cohen's w of shares that are as they are said to be, and of others."""
    for name, people, epsilon in product(FITS, PEOPLE, EPSILONS):
        yield from measure_surely(partial(measure_fit, name, people, epsilon, rng), runs, epsilon)


def measure_fit(name: str, people: int, epsilon: float, rng: np.random.Generator, runs: int) -> Iterator[CoverageLine]:
    """Measure both at one price."""
    shares, noise = np.array(FITS[name]), Laplace(1 / epsilon)
    for true in (shares, tilt(shares)):
        truth = float(np.linalg.norm((true - shares) / np.sqrt(shares)))
        cells = draw_cells(people, true, runs, noise, rng)
        _, low, high = bound_fit_effect(cells, FITS[name], noise, MISS, SIMULATED)
        yield count_covered(f"Cohen's w of {truth:.2g}", name, people, epsilon, covers(low, high, truth))
