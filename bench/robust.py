"""What robust statistics must show: `python bench/robust.py [runs]`.

Intervals: how often each covers, over many runs on each kind of data, and how wide it is beside that of the same sample
without noise (ratio 1). The functions are those that run on what the curator recorded; the samples and their noise are
generated (`robust_samples.py`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from scipy import stats

from discreet.base.grid import Floats
from discreet.mechanisms import Laplace
from discreet.robust.designs.planning import STEPS, list_noises
from discreet.robust.intervals.means import (
    NUISANCE,
    MeanEnds,
    bound_difference,
    bound_mean,
    explain_difference,
    explain_mean,
)
from discreet.robust.intervals.proportions import (
    bound_share,
    bound_share_difference,
    explain_share,
    explain_share_difference,
)
from discreet.robust.intervals.quantile_ends import bound_population_quantile
from discreet.robust.survival.life_tables import bound_survival, explain_equal_survival
from discreet.robust.testing.analysis import explain_equal_means
from discreet.robust.testing.contingency import draw_noise, explain_fit, explain_independence
from robust_mechanisms import show_calibrations, show_medians, show_unbounded
from robust_ranks import show_people_needed, size_ranks
from robust_regression import cover_functions
from robust_samples import (
    TIMES,
    Population,
    add_noise,
    count_pieces,
    draw_life_tables,
    draw_shares,
    draw_sums,
    make_populations,
)

PEOPLE = (1_000, 10_000)
EPSILONS = (0.1, 1.0, 10.0)
SHARES = (0.5, 0.1, 0.01)
HAZARDS = (0.1, 0.01)
MISS = 0.05
LEAST_COVERED = 0.94
MOST_REJECTED = 0.06
NORMAL = 1.959964
QUANTILES = (Fraction(1, 2), Fraction(9, 10))
FEWER = 10
"""How many runs of other intervals one of a quantile, or of a regression, stands for."""
SIMULATED = 199
"""Simulations of each p-value of a table, or of several means: valid however few they are."""

Line = tuple[str, int, float, float, float]
"""What, how many people, epsilon, the share covered, and the width over that without noise."""


def cover(ends: MeanEnds, truth: float) -> float:
    """Return how often the truth lies inside."""
    return float(np.mean((ends.low <= truth) & (truth <= ends.high)))


def widen(ends: MeanEnds, plain: float) -> float:
    """Return the mean width over that of an interval without noise."""
    return float(np.mean(ends.high - ends.low) / (2 * NORMAL * plain))


def cover_means(runs: int, rng: np.random.Generator) -> Iterator[Line]:
    """Measure intervals of means and of differences of means."""
    for population in make_populations():
        mean, deviation = population.find_moments()
        for people in PEOPLE:
            halves = [draw_sums(population, people // 2, runs, rng) for _ in range(2)]
            for epsilon in EPSILONS:
                yield from cover_one(population, halves, people, epsilon, (mean, deviation), rng)


def cover_one(
    population: Population,
    halves: list[Floats],
    people: int,
    epsilon: float,
    moments: tuple[float, float],
    rng: np.random.Generator,
) -> Iterator[Line]:
    """Measure both at one epsilon: the mean of all, and the difference between the halves."""
    noises, scale, (mean, deviation) = list_noises(epsilon, STEPS), population.scale, moments
    whole = bound_mean(add_noise(halves[0] + halves[1], people, noises, scale, rng), MISS)
    plain = deviation / np.sqrt(people)
    yield f"mean, {population.name}", people, epsilon, cover(whole, mean), widen(whole, plain)
    each = [add_noise(half, people // 2, noises, scale, rng) for half in halves]
    _, between = bound_difference(each[0], each[1], MISS)
    yield f"difference of means, {population.name}", people, epsilon, cover(between, 0.0), widen(between, 2 * plain)


def cover_quantiles(runs: int, rng: np.random.Generator) -> Iterator[Line]:
    """Measure intervals of quantiles beside those of order statistics, over fewer runs: each is computed alone."""
    for population in make_populations():
        for share in QUANTILES:
            truth = float(population.to_steps(np.array(population.invert(np.array(float(share)))))) + STEPS
            for people in PEOPLE:
                ranks = stats.binom.ppf([MISS / 2, 1 - MISS / 2], people, float(share)).astype(int)
                for epsilon in EPSILONS:
                    covered, wide, plain = 0, 0.0, 0.0
                    for _ in range(max(runs // FEWER, 1)):
                        counts, steps = count_pieces(population, people, share, epsilon, rng)
                        ends = bound_population_quantile(counts, share, MISS)
                        covered += ends.low <= truth <= ends.high
                        wide, plain = wide + ends.high - ends.low, plain + steps[ranks[1]] - steps[ranks[0]]
                    many, width = max(runs // FEWER, 1), wide / plain if plain else 1 + wide
                    yield f"quantile {float(share):g}, {population.name}", people, epsilon, covered / many, width


def cover_shares(runs: int, rng: np.random.Generator) -> Iterator[Line]:
    """Measure intervals of shares and of differences of shares."""
    for share in SHARES:
        for people in PEOPLE:
            for epsilon in EPSILONS:
                ends = bound_share(draw_shares(share, people, runs, epsilon, rng), MISS)
                plain = np.sqrt(share * (1 - share) / people)
                yield f"share {share:g}", people, epsilon, cover(ends, share), widen(ends, plain)
                pair = [draw_shares(each, people // 2, runs, epsilon, rng) for each in (share, share / 2)]
                _, between = bound_share_difference(pair[0], pair[1], MISS)
                spread = np.sqrt(sum(each * (1 - each) / (people // 2) for each in (share, share / 2)))
                covered = cover(between, share / 2)
                yield f"difference of shares {share:g}", people, epsilon, covered, widen(between, spread)


def cover_survival(runs: int, rng: np.random.Generator) -> Iterator[Line]:
    """Measure intervals of survival curves: of all times that are told, the least covered."""
    for hazard in HAZARDS:
        for people in PEOPLE:
            for epsilon in EPSILONS:
                _, low, high = bound_survival(draw_life_tables(hazard, 0.05, people, runs, epsilon, rng), MISS)
                truth = (1 - hazard) ** np.arange(1, TIMES + 1)
                covered = np.mean((low <= truth) & (truth <= high), axis=0)
                _, plain_low, plain_high = bound_survival(draw_life_tables(hazard, 0.05, people, runs, 1e3, rng), MISS)
                width = float(np.mean(high - low) / np.mean(plain_high - plain_low))
                yield f"survival, hazard {hazard:g}", people, epsilon, float(covered.min()), width


def cover_resampled(runs: int, rng: np.random.Generator) -> Iterator[Line]:
    """Measure functions of means from noisy resamples, over fewer runs: each is computed alone."""
    yield from cover_functions(max(runs // FEWER, 1), rng)


def show_coverage(runs: int, rng: np.random.Generator) -> bool:
    """Print every line and say whether all are as good as asked."""
    print("| interval | people | epsilon | covered | width over that without noise | |")
    print("|---|---|---|---|---|---|")
    least = 1.0
    for measure in (cover_means, cover_quantiles, cover_shares, cover_survival, cover_resampled):
        for what, people, epsilon, covered, width in measure(runs, rng):
            least = min(least, covered)
            met = "met" if covered >= LEAST_COVERED else "MISSED"
            print(f"| {what} | {people:,} | {epsilon:g} | {covered:.2%} | {width:.2f} | {met} |", flush=True)
    print(f"\nleast coverage {least:.2%}; goal {LEAST_COVERED:.0%} at nominal {1 - MISS:.0%}")
    return least >= LEAST_COVERED


Size = tuple[str, int, float, float]
"""What is tested, how many people, epsilon, and the share rejected though the null is true."""


def size_means(runs: int, rng: np.random.Generator) -> Iterator[Size]:
    """Measure t tests of one and two groups, and the analysis of variance of three."""
    parts = (0.2, 0.3, 0.5)
    for population in make_populations():
        mean = np.full(runs, population.find_moments()[0])
        for people in PEOPLE:
            counts = [int(people * part) for part in parts]
            exact = [draw_sums(population, count, runs, rng) for count in counts]
            for epsilon in EPSILONS:
                noises, scale = list_noises(epsilon, STEPS), population.scale
                whole = add_noise(exact[0] + exact[1] + exact[2], people, noises, scale, rng)
                each = [add_noise(own, n, noises, scale, rng) for own, n in zip(exact, counts, strict=True)]
                of = f", {population.name}", people, epsilon
                yield f"t{of[0]}", *of[1:], reject(explain_mean(whole, mean, MISS * NUISANCE))
                two = explain_difference(each[0], each[2], 0.0, MISS * NUISANCE)
                yield f"t of two groups{of[0]}", *of[1:], reject(two)
                three, _ = explain_equal_means(each, MISS * NUISANCE, SIMULATED)
                yield f"analysis of variance{of[0]}", *of[1:], reject(three)


def size_counts(runs: int, rng: np.random.Generator) -> Iterator[Size]:
    """Measure tests of shares and of tables."""
    for people in PEOPLE:
        for epsilon in EPSILONS:
            noise = Laplace(1 / epsilon)
            for share in SHARES:
                one, two = (
                    draw_shares(share, each, runs, epsilon, rng) for each in (people // 3, people - people // 3)
                )
                yield (
                    f"share {share:g}",
                    people,
                    epsilon,
                    reject(explain_share(two, np.full(runs, share), MISS * NUISANCE)),
                )
                between = explain_share_difference(one, two, MISS * NUISANCE)
                yield f"two shares {share:g}", people, epsilon, reject(between)
            for shares in ((0.2, 0.3, 0.5), (0.01, 0.04, 0.15, 0.8)):
                cells = rng.multinomial(people, shares, runs) + draw_noise(noise, (runs, len(shares)), rng)
                found = explain_fit(cells, shares, noise)
                yield f"fit of {len(shares)} cells", people, epsilon, float(np.mean(found <= MISS))
            for down, across in (((0.5, 0.5), (0.2, 0.3, 0.5)), ((0.1, 0.9), (0.05, 0.95))):
                table = np.outer(down, across)
                drawn = rng.multinomial(people, table.ravel(), runs).reshape(runs, *table.shape)
                found = explain_independence(drawn + draw_noise(noise, drawn.shape, rng), noise, SIMULATED)
                yield f"independence of {table.size} cells", people, epsilon, float(np.mean(found <= MISS))


def size_survival(runs: int, rng: np.random.Generator) -> Iterator[Size]:
    """Measure the log-rank test of groups of which one is seen for longer."""
    for hazard in HAZARDS:
        for people in PEOPLE:
            for epsilon in EPSILONS:
                parts = ((people * 3 // 5, 0.05), (people * 2 // 5, 0.2))
                first, second = (draw_life_tables(hazard, leaving, each, runs, epsilon, rng) for each, leaving in parts)
                p_values, _ = explain_equal_survival(first, second)
                yield f"log-rank, hazard {hazard:g}", people, epsilon, float(np.mean(p_values <= MISS))


def reject(explained: Floats) -> float:
    """Return how often a test of size 5 % rejects."""
    return float(np.mean(explained <= MISS * (1 - NUISANCE)))


def show_sizes(runs: int, rng: np.random.Generator) -> bool:
    """Print every line and say whether all are as good as asked."""
    print("| test | people | epsilon | rejected though true | |")
    print("|---|---|---|---|---|")
    most = 0.0
    for measure in (size_means, size_counts, size_survival, size_ranks):
        for what, people, epsilon, rejected in measure(runs, rng):
            most = max(most, rejected)
            met = "met" if rejected <= MOST_REJECTED else "MISSED"
            print(f"| {what} | {people:,} | {epsilon:g} | {rejected:.2%} | {met} |", flush=True)
    print(f"\nlargest size {most:.2%}; goal {MOST_REJECTED:.0%} at nominal {MISS:.0%}")
    return most <= MOST_REJECTED


SECTIONS: dict[str, Callable[[int, np.random.Generator], bool] | None] = {
    "median of lognormal incomes: the advised mechanism beside the others": show_medians,
    "thresholds and calibrations against the exact joint supremum": show_calibrations,
    "coverage of every interval, nominal 95 %": show_coverage,
    "size of every test, nominal 5 %": show_sizes,
    "Kruskal-Wallis: people needed over the public test's": show_people_needed,
    "unbounded mean beside a bounded mean with bounds 100 times too wide": show_unbounded,
}
"""The rows of what must be shown; None where nothing measures it yet."""


def main() -> None:
    """Print every section."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng = np.random.default_rng(20)
    for title, show in SECTIONS.items():
        print(f"\n## {title}\n")
        if show is None:
            print("not measured yet")
            continue
        start = time.perf_counter()
        met = show(runs, rng)
        print(f"{'met' if met else 'MISSED'}, {runs:,} runs, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
