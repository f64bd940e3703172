"""Tests by ranks: how often they reject what is true, and how many people they need beside the public test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.robust.designs.planning import RUNS, StudyDesign
from discreet.robust.designs.table_designs import TableDesign
from discreet.robust.intervals.laws import Booleans
from discreet.robust.testing.absolute_ranks import ADD_REMOVE_SENSITIVITY, REPLACE_SENSITIVITY, measure_absolute_ranks
from discreet.robust.testing.contingency import DRAWS
from discreet.robust.testing.ranks import explain_curve, explain_equal_curves, explain_equal_ranks, explain_symmetry
from robust_line import (
    ALL_FEWER,
    EPSILONS,
    MISS,
    PEOPLE,
    SIMULATED,
    CoverageLine,
    MeasureCase,
    count_rejected,
    measure_surely,
    spare,
)
from robust_samples import draw_cells, list_bins

PARTS = 5
BINS = (3, 4, 5)
"""Bins with about as many people in each: which number needs the fewest people is a public question."""

SEEDS = 10
"""Seeds that each power is simulated with: it errs by a fifth of a point, and the people needed by one or two."""

POWER = 0.95
MOST_PEOPLE = 1.9
MEANS = (0.0, 0.5, 1.0)


def list_ranks() -> dict[str, MeasureCase]:
    """Return the sizes of every test by ranks, by kind of data and kind of bins."""
    return {data: partial(measure_ranks, data, shares) for data, shares in list_bins()}


def measure_ranks(data: str, shares: Floats, runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure all of them where people fall into bins by these shares."""
    for people, epsilon in product(PEOPLE, EPSILONS):
        yield from measure_surely(partial(measure_at, data, shares, people, epsilon, rng), runs, epsilon)
    if data == "normal, even bins":
        for people in PEOPLE:
            cells = draw_cells(people, np.outer((0.2, 0.3, 0.5), shares), spare(runs, ALL_FEWER), Laplace(1.0), rng)
            found, _ = explain_equal_ranks(cells, Laplace(1.0))
            yield count_rejected("Kruskal-Wallis with 9,999 simulations", data, people, 1.0, found <= MISS)


def measure_at(
    data: str, shares: Floats, people: int, epsilon: float, rng: np.random.Generator, runs: int
) -> Iterator[CoverageLine]:
    """Measure them at one price."""
    for name, found in explain_all(people, shares, Laplace(1 / epsilon), runs, rng):
        yield count_rejected(name, data, people, epsilon, found <= MISS)


def explain_all(
    people: int, shares: Floats, noise: Laplace, runs: int, rng: np.random.Generator
) -> Iterator[tuple[str, Floats]]:
    """Return the p-values of each test where its null is true."""
    three = draw_cells(people, np.outer((0.2, 0.3, 0.5), shares), runs, noise, rng)
    yield "Kruskal-Wallis", explain_equal_ranks(three, noise, SIMULATED)[0]
    two = draw_cells(people, np.outer((0.3, 0.7), shares), runs, noise, rng)
    yield "Mann-Whitney", explain_equal_ranks(two, noise, SIMULATED)[0]
    yield "Kolmogorov-Smirnov", explain_equal_curves(two, noise, SIMULATED)[0]
    held = np.maximum(shares, 1e-6) / np.maximum(shares, 1e-6).sum()
    one = draw_cells(people, held, runs, noise, rng)
    yield "Kolmogorov", explain_curve(one, tuple(held.tolist()), noise, SIMULATED)[0]
    around = np.concatenate([shares, shares[:1], shares[::-1]])
    yield "Wilcoxon", explain_symmetry(draw_cells(people, around / around.sum(), runs, noise, rng), noise, SIMULATED)[0]


@dataclass(frozen=True)
class RankedDesign:
    """A test on the ranks themselves of three normal groups: public, or the absolute form with noise of this scale."""

    scale: float | None = None
    size: float = 0.05
    differs: bool = True
    words: str = "ranks"

    def reject(self, people: int, rng: np.random.Generator) -> Booleans:
        """Return which samples are rejected."""
        groups = np.arange(people) % len(MEANS)
        nulls = self.measure(rng.standard_normal((DRAWS, people)), groups, rng)
        own = self.measure(rng.normal(np.asarray(MEANS)[groups], 1.0, (RUNS, people)), groups, rng)
        found: Booleans = own > np.quantile(nulls, 1 - self.size)
        return found

    def measure(self, values: Floats, groups: Any, rng: np.random.Generator) -> Floats:
        """Return the statistic of each row."""
        ranks: Floats = 1.0 + values.argsort(axis=-1).argsort(axis=-1).astype(float)
        if self.scale is not None:
            return measure_absolute_ranks(ranks, groups) + rng.laplace(0.0, self.scale, len(ranks))
        centred = ranks - (values.shape[-1] + 1) / 2
        parts = [centred[:, groups == each] for each in range(len(MEANS))]
        found: Floats = sum((part.sum(axis=-1) ** 2 / part.shape[-1] for part in parts), np.zeros(len(values)))
        return found


def list_designs() -> dict[str, StudyDesign]:
    """Return what is compared, by what it is called: the public test first, at epsilon 1 the others."""
    middle = stats.norm(float(np.mean(MEANS)), 1.0)
    even = {bins: middle.ppf(np.arange(1, bins) / bins).tolist() for bins in BINS}
    wide = np.linspace(-3.5, 4.5, PARTS + 1)[1:-1].tolist()
    return {
        "public": RankedDesign(),
        **{f"{bins} even bins": TableDesign.of_normal(MEANS, 1.0, even[bins], 1.0) for bins in BINS},
        f"{PARTS} equal parts of wide bounds": TableDesign.of_normal(MEANS, 1.0, wide, 1.0),
        **{
            f"{bins} even bins, replace neighbours": TableDesign.of_normal(MEANS, 1.0, even[bins], 0.5) for bins in BINS
        },
        "absolute form, replace neighbours, public sizes": RankedDesign(REPLACE_SENSITIVITY),
        "absolute form, a tenth for noisy sizes, which are taken for true": RankedDesign(ADD_REMOVE_SENSITIVITY / 0.9),
    }


def show_people_needed(runs: int, rng: np.random.Generator) -> bool:
    """Print how many people each way needs, and say whether even bins need few enough; `runs` are the design's own."""
    print(f"three normal groups half a deviation apart, epsilon 1, power {POWER:.0%}\n")
    print("| Kruskal-Wallis | people needed | over the public test's |")
    print("|---|---|---|")
    needed: dict[str, int] = {}
    for name, design in list_designs().items():
        needed[name] = find_people(design)
        print(f"| {name} | {needed[name]} | {needed[name] / needed['public']:.2f} |", flush=True)
    print(f"\ngoal: {MOST_PEOPLE} for even bins, of either kind of neighbours")
    return all(people <= MOST_PEOPLE * needed["public"] for name, people in needed.items() if "even bins" in name)


def find_people(design: StudyDesign) -> int:
    """Return how many people a design needs, to within one; more exactly than `people_needed` tells."""
    low, high = 2, 64
    while find_power(design, high) < POWER:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if find_power(design, middle) >= POWER else (middle, high)
    return high


def find_power(design: StudyDesign, people: int) -> float:
    """Return how often a design is found, over several seeds."""
    return float(np.mean([design.reject(people, np.random.default_rng(seed)).mean() for seed in range(SEEDS)]))
