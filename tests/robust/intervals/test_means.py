"""Intervals of means and shares cover sampling and noise together, on every kind of data and however few people."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.mechanisms import Gaussian, Laplace
from discreet.robust.intervals.laws import SumNoise, ThreeNoises
from discreet.robust.intervals.means import MeanEnds, bound_difference, bound_mean, explain_difference, explain_mean
from discreet.robust.intervals.proportions import NoisyShares, bound_share, bound_share_difference, explain_share
from discreet.robust.intervals.sums import ValueScale, ValueSums

RUNS = 1_000
REACH = 5_000
SCALE = ValueScale(50.0, 0.01, -REACH, REACH)
ALLOWED = 0.94 - 4 * np.sqrt(0.05 * 0.95 / RUNS)
"""The least share covered that a true 94 % leaves possible."""

Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

KINDS: dict[str, Draw] = {
    "normal": lambda rng, size: rng.normal(50, 10, size),
    "lognormal": lambda rng, size: rng.lognormal(3, 0.7, size),
    "heavy-tailed": lambda rng, size: 50 + 10 * rng.standard_t(2, size),
    "discrete": lambda rng, size: rng.poisson(3, size).astype(float),
    "constant": lambda rng, size: np.full(size, 80.0),
    "at a bound": lambda rng, size: np.full(size, 1000.0),
}


def list_laplace(epsilon: float) -> ThreeNoises:
    return Laplace(4 / epsilon), Laplace(2.5 * REACH / epsilon), Laplace(2.7 * REACH**2 / epsilon)


def to_steps(values: Floats) -> Floats:
    return np.clip(np.floor((values - SCALE.center) / SCALE.step + 0.5), -REACH, REACH)


@cache
def find_truth(kind: str) -> float:
    return float(to_steps(KINDS[kind](np.random.default_rng(1), (1_000, 1_000))).mean())


def measure(kind: str, people: int, noises: ThreeNoises, seed: int) -> tuple[ValueSums, float]:
    """Return noisy sums of runs, and the mean of the clamped values of the population, in steps."""
    rng = np.random.default_rng(seed)
    steps = to_steps(KINDS[kind](rng, (RUNS, people)))
    truth = find_truth(kind)
    exact = [np.full(RUNS, float(people)), steps.sum(axis=1), (steps**2).sum(axis=1)]
    noisy = [each + draw_noise(rng, noise) for each, noise in zip(exact, noises, strict=True)]
    return ValueSums(noisy[0], noisy[1], noisy[2], noises, SCALE), truth


def draw_noise(rng: np.random.Generator, noise: SumNoise) -> Floats:
    drawn = rng.laplace(0, noise.scale, RUNS) if isinstance(noise, Laplace) else rng.normal(0, noise.sigma, RUNS)
    return np.round(drawn)


def cover(ends: MeanEnds, truth: float) -> float:
    return float(np.mean((ends.low <= truth) & (truth <= ends.high)))


@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("people", "epsilon"), [(1000, 1.0), (300, 0.1), (20, 1.0), (1, 10.0)])
def test_the_interval_of_a_mean_covers(kind: str, people: int, epsilon: float) -> None:
    sums, truth = measure(kind, people, list_laplace(epsilon), 2)
    ends = bound_mean(sums, 0.05)
    assert cover(ends, truth) >= ALLOWED
    assert np.all((ends.low >= SCALE.lower) & (ends.low <= ends.high) & (ends.high <= SCALE.upper))


def test_gaussian_noise_is_covered_as_well() -> None:
    noises: ThreeNoises = (Gaussian(5.0), Gaussian(5.0 * REACH), Gaussian(5.0 * REACH**2))
    sums, truth = measure("normal", 1000, noises, 3)
    assert ALLOWED <= cover(bound_mean(sums, 0.05), truth) <= 0.995


def test_noise_counts_in_the_width_and_few_people_are_too_few() -> None:
    widths = []
    for epsilon in (0.1, 1.0, 10.0):
        ends = bound_mean(measure("normal", 500, list_laplace(epsilon), 4)[0], 0.05)
        widths.append(float(np.mean(ends.high - ends.low)))
    plain = 2 * 1.96 * 1_000 / np.sqrt(500)
    assert widths[0] > 3 * widths[1] > 3.5 * widths[2] > 3.5 * plain
    nobody, _ = measure("normal", 0, list_laplace(0.1), 5)
    assert not bound_mean(nobody, 0.05).enough.mean() > 0.1


@pytest.mark.many
@pytest.mark.parametrize("kind", ["normal", "lognormal", "constant"])
@pytest.mark.parametrize(("people", "epsilon"), [(1000, 1.0), (300, 0.1), (20, 1.0)])
def test_the_interval_of_a_difference_covers(kind: str, people: int, epsilon: float) -> None:
    first, mean = measure(kind, people, list_laplace(epsilon), 6)
    second, other = measure("heavy-tailed", people // 2, list_laplace(epsilon), 7)
    estimate, ends = bound_difference(first, second, 0.05)
    assert cover(ends, mean - other) >= ALLOWED
    assert np.all((ends.low <= estimate) & (estimate <= ends.high))
    whole = ends.high - ends.low == 2 * (SCALE.upper - SCALE.lower)
    assert np.all(whole[~ends.enough])


def test_p_values_of_true_means_are_seldom_small() -> None:
    sums, truth = measure("lognormal", 1000, list_laplace(1.0), 8)
    assert np.mean(explain_mean(sums, np.full(RUNS, truth), 0.005) + 0.005 <= 0.05) <= 0.06
    other, _ = measure("lognormal", 1000, list_laplace(1.0), 9)
    assert np.mean(explain_difference(sums, other, 0.0, 0.005) + 0.005 <= 0.05) <= 0.06
    far = explain_mean(sums, np.full(RUNS, truth + 1_500), 0.005)
    assert np.mean(far + 0.005 <= 0.05) > 0.9


@pytest.mark.many
@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.0])
@pytest.mark.parametrize(("people", "epsilon"), [(1000, 1.0), (1000, 0.1), (30, 1.0), (1, 1.0), (0, 1.0)])
def test_the_intervals_of_shares_cover(share: float, people: int, epsilon: float) -> None:
    rng = np.random.default_rng(10)
    noise = Laplace(1 / epsilon)

    def draw() -> NoisyShares:
        yes = rng.binomial(people, share, RUNS)
        drawn = np.round(rng.laplace(0, noise.scale, (2, RUNS)))
        return NoisyShares(yes + drawn[0], people - yes + drawn[1], noise)

    counts = draw()
    ends = bound_share(counts, 0.05)
    assert cover(ends, share) >= ALLOWED
    assert np.all((ends.low >= 0) & (ends.low <= ends.high) & (ends.high <= 1))
    _, between = bound_share_difference(counts, draw(), 0.05)
    assert cover(between, 0.0) >= ALLOWED
    assert np.mean(explain_share(counts, np.full(RUNS, share), 0.005) + 0.005 <= 0.05) <= 0.06


def test_the_sum_of_squares_is_bounded_with_the_noise_of_all_three_sums() -> None:
    """Numbers that stay the same allow more spread the wider their noise is."""
    sums = [
        ValueSums(np.array([1_000.0]), np.array([0.0]), np.array([1e6]), list_laplace(epsilon), SCALE)
        for epsilon in (100.0, 1.0, 0.1)
    ]
    bounds = [float(each.bound_squares(np.array([100.0]), 0.01)[0]) for each in sums]
    assert 1e6 + 100**2 * 1_000 < bounds[0] < bounds[1] < bounds[2]


def test_a_group_whose_count_may_be_off_by_half_is_not_compared() -> None:
    for people, enough in ((5.0, False), (1_000.0, True)):
        group = ValueSums(np.array([people]), np.array([0.0]), np.array([1e6]), list_laplace(1.0), SCALE)
        large = ValueSums(np.array([1e5]), np.array([0.0]), np.array([1e8]), list_laplace(1.0), SCALE)
        _, ends = bound_difference(group, large, 0.05)
        assert bool(ends.enough[0]) is enough
