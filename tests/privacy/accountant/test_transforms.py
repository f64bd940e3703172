"""Convolutions on a grid: against numpy's direct ones, with the error they state."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.privacy.accountant.transforms import Tilted, compose_powers, merge


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
    found = compose_powers([(Tilted(first, masses, 0.25, 0.0, 0.0), count)])
    assert_close(found, count * first, direct([masses] * count))
    assert found.log_scale == 0.25 * count


def test_a_power_of_one_is_the_law_itself() -> None:
    law = Tilted(3, bump(9, 1), 0.0, 0.0, 0.0)
    assert compose_powers([(law, 1)]) is law


@pytest.mark.parametrize("count", [100, 30_000])
def test_a_window_leaves_out_no_more_than_it_says(count: int) -> None:
    masses = np.array([0.3, 0.0, 0.7])
    found = compose_powers([(Tilted(-1, masses, 0.0), count)])
    lies = np.arange(count + 1)
    choose = np.array([math.lgamma(count + 1) - math.lgamma(n + 1) - math.lgamma(count - n + 1) for n in lies])
    truth = np.zeros(2 * count + 1)
    truth[::2] = np.exp(choose + lies * math.log(0.7) + (count - lies) * math.log(0.3))
    off = spread(found, -count, len(truth)) - truth
    assert float(np.abs(off).max()) <= found.error + found.outside + 1e-11 * float(truth.max())
    assert len(found.masses) < len(truth) or count == 100


def test_errors_of_the_law_grow_with_the_power() -> None:
    law = Tilted(0, bump(50, 4), 0.0, 1e-9, 0.0)
    assert compose_powers([(law, 10)]).error >= 10 * law.error


@pytest.mark.parametrize("lengths", [[3], [1, 1], [5, 9, 2], [700, 40, 40, 40, 513], [10] * 33, [2000, 3000]])
def test_merging_is_convolving_all(lengths: list[int]) -> None:
    masses = [bump(length, 10 + number) for number, length in enumerate(lengths)]
    laws = [Tilted(number - 2, part, 0.5, 1e-14, 1e-16) for number, part in enumerate(masses)]
    found = merge(list(laws))
    assert_close(found, sum(law.first for law in laws), direct(masses))
    assert found.log_scale == pytest.approx(0.5 * len(laws))
    assert found.error >= 1e-14 * len(laws) * 0.99
    assert found.outside >= 1e-16 * len(laws) * 0.99


def test_rare_large_values_do_not_blow_up_the_window() -> None:
    """One mass far out, of next to no weight: the window is a few deviations wide, not the whole range."""
    masses = np.zeros(10_000)
    masses[:3], masses[-1] = [0.25, 0.5, 0.25], 1e-25
    found = compose_powers([(Tilted(0, masses, 0.0, 0.0, 0.0), 300)])
    assert len(found.masses) <= 200_000
    assert found.outside <= 1e-9


def test_relative_errors_add_up_over_all_releases() -> None:
    laws = [(Tilted(0, bump(60, seed), 0.0, relative=1e-12), 2000 * seed) for seed in (1, 2)]
    assert compose_powers(laws).relative == pytest.approx(6000e-12)


@pytest.mark.parametrize("count", [400, 1000])
def test_laws_in_one_window_are_the_convolution_of_their_powers(count: int) -> None:
    parts = [(bump(50, 5), count), (bump(70, 6), 2 * count), (bump(9, 7), 1)]
    found = compose_powers([(Tilted(place, masses, 0.1), times) for place, (masses, times) in enumerate(parts)])
    powers = [compose_powers([(Tilted(0, masses, 0.0), times)]) for masses, times in parts]
    first = sum(place * times + law.first for place, (law, (_, times)) in enumerate(zip(powers, parts, strict=True)))
    truth = direct([law.masses for law in powers])
    off = spread(found, first, len(truth)) - truth
    assert len(found.masses) < len(truth)
    assert float(np.sqrt(off @ off)) <= found.error + 1e-9
    assert found.log_scale == pytest.approx(0.1 * (3 * count + 1))
