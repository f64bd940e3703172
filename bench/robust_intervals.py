"""Coverage of means, shares and survival curves and of their differences, and sizes of their tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.designs.planning import STEPS, list_noises
from discreet.robust.intervals.means import MeanEnds, bound_difference, bound_mean
from discreet.robust.intervals.proportions import bound_share, bound_share_difference
from discreet.robust.intervals.sums import ValueSums
from discreet.robust.survival.life_tables import NoisyLifeTable, bound_survival, explain_equal_survival
from discreet.robust.testing.decisions import (
    reject_equal_means,
    reject_equal_pair,
    reject_equal_shares,
    reject_mean,
    reject_share,
)
from discreet.robust.testing.effects import bound_standardised
from robust_line import (
    EPSILONS,
    MISS,
    NORMAL,
    PEOPLE,
    CoverageLine,
    MeasureCase,
    count_covered,
    count_rejected,
    covers,
    measure_surely,
)
from robust_samples import (
    TIMES,
    Population,
    add_noise,
    draw_life_tables,
    draw_shares,
    draw_sums,
    make_populations,
)

PARTS = (0.2, 0.3, 0.5)
"""Sizes of three groups."""

SHARES = (0.5, 0.1, 0.01)
HAZARDS = (0.1, 0.01)

SIMULATED = 199
"""Simulations of each p-value of several means: 4.5 % or less is as probable as with thousands."""


def widen(ends: MeanEnds, plain: float) -> float:
    """Return the mean width over that of an interval without noise."""
    return float(np.mean(ends.high - ends.low) / (2 * NORMAL * plain))


def list_means() -> dict[str, MeasureCase]:
    """Return means, differences, Cohen's d, t tests of one and two groups and analysis of variance, by kind of data."""
    return {each.name: partial(measure_means, each) for each in make_populations()}


def measure_means(population: Population, runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure all of one population in three groups."""
    for people in PEOPLE:
        counts = [int(people * part) for part in PARTS]
        drawn = [draw_sums(population, count, runs, rng) for count in counts]
        for epsilon in EPSILONS:
            yield from measure_surely(partial(measure_at, population, drawn, counts, epsilon, rng), runs, epsilon)


def measure_at(
    population: Population,
    drawn: list[Floats],
    counts: list[int],
    epsilon: float,
    rng: np.random.Generator,
    runs: int,
) -> Iterator[CoverageLine]:
    """Measure them at one price."""
    exact, people = [each[:, :runs] for each in drawn], sum(counts)
    noises, scale = list_noises(epsilon, STEPS), population.scale
    whole = add_noise(exact[0] + exact[1] + exact[2], people, noises, scale, rng)
    groups = [add_noise(own, n, noises, scale, rng) for own, n in zip(exact, counts, strict=True)]
    yield from measure_one(population, whole, people, epsilon)
    yield from measure_groups(population, groups, people, epsilon)


def measure_one(population: Population, whole: ValueSums, people: int, epsilon: float) -> Iterator[CoverageLine]:
    """Measure the mean of everybody."""
    (mean, deviation), of = population.find_moments(), (population.name, people, epsilon)
    ends = bound_mean(whole, MISS)
    plain = deviation / np.sqrt(people)
    yield count_covered("mean", *of, covers(ends.low, ends.high, mean), widen(ends, plain))
    yield count_rejected("t test", *of, reject_mean(whole, np.full_like(whole.count, mean), MISS))


def measure_groups(
    population: Population, groups: list[ValueSums], people: int, epsilon: float
) -> Iterator[CoverageLine]:
    """Measure groups of one population; for the size of a difference the last one is mirrored in the bounds' middle."""
    (mean, deviation), of = population.find_moments(), (population.name, people, epsilon)
    first, last = groups[0], groups[-1]
    plain = deviation * np.sqrt(1 / PARTS[0] + 1 / PARTS[-1]) / np.sqrt(people)
    turned = ValueSums(last.count, -last.total, last.squares, last.noises, last.scale)
    _, ends = bound_difference(first, turned, MISS)
    yield count_covered(
        "difference of means", *of, covers(ends.low, ends.high, 2 * mean) | ~ends.enough, widen(ends, plain)
    )
    _, ends = bound_standardised(first, turned, MISS)
    size = 2 * mean / deviation
    yield count_covered(f"Cohen's d of {size:.2g}", *of, covers(ends.low, ends.high, size) | ~ends.enough)
    yield count_rejected("t test of two groups", *of, reject_equal_pair(first, last, MISS))
    yield count_rejected("analysis of variance", *of, reject_equal_means(groups, MISS, SIMULATED))


def list_shares() -> dict[str, MeasureCase]:
    """Return shares, their differences, and tests of both, by share."""
    return {f"share {share:g}": partial(measure_shares, share) for share in SHARES}


def measure_shares(share: float, runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure all of one share; in the difference the other one is half of it."""
    for people, epsilon in product(PEOPLE, EPSILONS):
        of = (f"share {share:g}", people, epsilon)
        one = draw_shares(share, people, runs, epsilon, rng)
        ends = bound_share(one, MISS)
        wide = widen(ends, float(np.sqrt(share * (1 - share) / people)))
        yield count_covered("share", *of, covers(ends.low, ends.high, share), wide)
        yield count_rejected("test of a share", *of, reject_share(one, np.full(runs, share), MISS))
        third = people // 3
        first, second, half = (
            draw_shares(each, size, runs, epsilon, rng)
            for each, size in ((share, third), (share, people - third), (share / 2, people - third))
        )
        _, ends = bound_share_difference(first, half, MISS)
        yield count_covered("difference of shares", *of, covers(ends.low, ends.high, share / 2) | ~ends.enough)
        yield count_rejected("test of equal shares", *of, reject_equal_shares(first, second, MISS))


def list_survival() -> dict[str, MeasureCase]:
    """Return survival curves, of all times the one that is covered least, and log-rank tests, by hazard."""
    return {f"hazard {hazard:g}": partial(measure_survival, hazard) for hazard in HAZARDS}


def measure_survival(hazard: float, runs: int, rng: np.random.Generator) -> Iterator[CoverageLine]:
    """Measure both; in the test one group is seen for longer."""
    for people, epsilon in product(PEOPLE, EPSILONS):
        of = (f"hazard {hazard:g}", people, epsilon)
        yield measure_curve(of, hazard, draw_life_tables(hazard, 0.05, people, runs, epsilon, rng))
        parts = ((people * 3 // 5, 0.05), (people * 2 // 5, 0.2))
        first, second = (draw_life_tables(hazard, leaving, each, runs, epsilon, rng) for each, leaving in parts)
        yield count_rejected("log-rank test", *of, explain_equal_survival(first, second)[0] <= MISS)


def measure_curve(of: tuple[str, int, float], hazard: float, table: NoisyLifeTable) -> CoverageLine:
    """Return the line of the time that is covered least."""
    _, low, high = bound_survival(table, MISS)
    truth = (1 - hazard) ** np.arange(1, TIMES + 1)
    covered = np.asarray((low <= truth) & (truth <= high))
    return count_covered("survival", *of, covered[:, int(np.argmin(covered.mean(axis=0)))])
