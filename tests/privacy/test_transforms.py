"""Convolutions on a grid: against numpy's direct ones, with the error they state."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
import pytest

from discreet.privacy.pairs import Floats
from discreet.privacy.transforms import Tilted, dense_delta, merge, power, sparse_delta


def bump(length: int, seed: int) -> Floats:
    """Return masses that add up to 1."""
    drawn = np.random.default_rng(seed).random(length) ** 3
    masses: Floats = drawn / drawn.sum()
    return masses


def smooth(length: int, width: float) -> Floats:
    places = np.arange(length) - length / 2
    heights = np.exp(-((places / width) ** 2) / 2)
    masses: Floats = heights / heights.sum()
    return masses


def spread(law: Tilted, first: int, length: int) -> Floats:
    """Return the law's masses at first .. first + length - 1, zero where it has none."""
    full = np.zeros(length)
    start = law.first - first
    low, high = max(start, 0), min(start + len(law.masses), length)
    full[low:high] = law.masses[low - start : high - start]
    return full


def direct(masses: list[Floats]) -> Floats:
    return reduce(np.convolve, masses)


def assert_close(law: Tilted, first: int, truth: Floats) -> None:
    """The masses differ by at most the error stated, in the 2-norm, beside what lies outside."""
    off = spread(law, first, len(truth)) - truth
    assert float(np.sqrt(off @ off)) <= law.error + law.outside + 1e-15


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("length", [1, 2, 5, 64, 301])
@pytest.mark.parametrize("first", [-150, 0, 11])
def test_a_power_is_the_loop_of_convolutions(count: int, length: int, first: int) -> None:
    masses = bump(length, length)
    found = power(Tilted(first, masses, 0.25, 0.0, 0.0), count, alone=False)
    assert_close(found, count * first, direct([masses] * count))
    assert found.log_scale == 0.25 * count


def test_a_power_of_one_is_the_law_itself() -> None:
    law = Tilted(3, bump(9, 1), 0.0, 0.0, 0.0)
    assert power(law, 1, alone=True) is law


@pytest.mark.parametrize("count", [100, 3000])
def test_a_window_leaves_out_no_more_than_it_says(count: int) -> None:
    masses = np.array([0.3, 0.0, 0.7])
    found = power(Tilted(-1, masses, 0.0, 0.0, 0.0), count, alone=False)
    lies = np.arange(count + 1)
    choose = np.array([math.lgamma(count + 1) - math.lgamma(n + 1) - math.lgamma(count - n + 1) for n in lies])
    truth = np.zeros(2 * count + 1)
    truth[::2] = np.exp(choose + lies * math.log(0.7) + (count - lies) * math.log(0.3))
    off = spread(found, -count, len(truth)) - truth
    assert float(np.abs(off).max()) <= found.error + found.outside + 1e-11 * float(truth.max())
    assert len(found.masses) < len(truth) or count == 100


def test_errors_of_the_law_grow_with_the_power() -> None:
    law = Tilted(0, bump(50, 4), 0.0, 1e-9, 0.0)
    assert power(law, 10, alone=False).error >= 10 * law.error


@pytest.mark.parametrize("lengths", [[3], [1, 1], [5, 9, 2], [700, 40, 40, 40, 513], [10] * 33, [2000, 3000]])
def test_merging_is_convolving_all(lengths: list[int]) -> None:
    masses = [bump(length, 10 + number) for number, length in enumerate(lengths)]
    laws = [Tilted(number - 2, part, 0.5, 1e-14, 1e-16) for number, part in enumerate(masses)]
    found = merge(list(laws))
    assert_close(found, sum(law.first for law in laws), direct(masses))
    assert found.log_scale == pytest.approx(0.5 * len(laws))
    assert found.error >= 1e-14 * len(laws) * 0.99
    assert found.outside >= 1e-16 * len(laws) * 0.99


@pytest.mark.parametrize("tilt", [0.01, 0.7, 5.0])
@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.123, 0.5, 2.0, 9.0])
def test_dense_delta_is_the_sum(tilt: float, epsilon: float) -> None:
    law, step = Tilted(-20, bump(90, 3), 0.0, 0.0, 0.0), 0.05
    losses = step * (law.first + np.arange(len(law.masses)))
    ahead = losses > epsilon
    weights = np.exp(-tilt * (losses[ahead] - epsilon)) * -np.expm1(epsilon - losses[ahead])
    value, size = dense_delta(law, tilt, step)(epsilon)
    assert abs(value - float(law.masses[ahead] @ weights)) <= 1e-15 * size + 1e-18


@pytest.mark.parametrize("tilt", [0.01, 0.7, 5.0])
@pytest.mark.parametrize("epsilon", [-30.0, -5.0, 0.0, 0.123, 4.0, 11.0, 25.7, 40.0])
def test_the_sum_from_frequencies_is_the_sum_over_masses(tilt: float, epsilon: float) -> None:
    size, step, start = 1000, 0.05, -480
    masses = smooth(size, 60.0)
    repeated = np.roll(masses, start % size)
    spectrum = np.fft.rfft(repeated)[:100]
    one, scale = sparse_delta(spectrum, size, start)(tilt, step)(epsilon)
    other, _ = dense_delta(Tilted(start, masses, 0.0, 0.0, 0.0), tilt, step)(epsilon)
    assert abs(one - other) <= 1e-13 * max(scale, 1.0)


def test_a_smooth_power_is_kept_as_frequencies_when_alone() -> None:
    law = Tilted(-2000, smooth(4000, 150.0), 0.0, 0.0, 0.0)
    alone, listed = power(law, 400, alone=True), power(law, 400, alone=False)
    assert alone.evaluate is not None
    assert len(alone.masses) == 0
    for epsilon in (-1.0, 0.0, 0.5, 3.0):
        one, _ = alone.evaluate(2.0, 1e-3)(epsilon)
        other, _ = dense_delta(listed, 2.0, 1e-3)(epsilon)
        assert one == pytest.approx(other, abs=1e-12)


def test_rare_large_values_do_not_blow_up_the_window() -> None:
    """One mass far out, of next to no weight: the window is a few deviations wide, not the whole range."""
    masses = np.zeros(10_000)
    masses[:3], masses[-1] = [0.25, 0.5, 0.25], 1e-25
    found = power(Tilted(0, masses, 0.0, 0.0, 0.0), 300, alone=False)
    assert len(found.masses) <= 200_000
    assert found.outside <= 1e-9
