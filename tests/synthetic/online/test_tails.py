"""Sums of noises: bounds hold where the law is known exactly, are nearly tight, and reach probabilities of 1e-60."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from discreet.mechanisms import Gaussian, Laplace
from discreet.synthetic.online.tails import bound_equal_sum, bound_weighted_sum


def exact_tail(scale: float, count: int, most: int = 400) -> np.ndarray:
    """Return Pr[sum of discrete Laplace noises > k] for k = 0, 1, ..., by convolution."""
    places = np.arange(-most, most + 1)
    law = np.exp(-np.abs(places) / scale)
    law /= law.sum()
    total = np.ones(1)
    for _ in range(count):
        total = np.convolve(total, law)
    middle = len(total) // 2
    return np.cumsum(total[::-1])[::-1][middle + 1 :]


@pytest.mark.parametrize("scale", [0.4, 1.0, 6.0])
@pytest.mark.parametrize("count", [1, 3, 12])
@pytest.mark.parametrize("miss", [0.3, 0.05, 1e-3, 1e-7])
def test_bounds_of_equal_noises_hold_and_are_nearly_tight(scale: float, count: int, miss: float) -> None:
    tail = exact_tail(scale, count)
    found = bound_equal_sum(Laplace(scale), count, math.log(miss))
    assert 2 * tail[found] <= miss
    least = int(np.flatnonzero(2 * tail <= miss)[0])
    assert found <= 1.1 * least + 0.03 * count * scale + 2 * scale + 1


@pytest.mark.parametrize("count", [1, 20, 130])
@pytest.mark.parametrize("miss", [0.05, 1e-6, 1e-60])
def test_gaussian_sums_reach_as_far_as_a_gaussian_of_their_variance(count: int, miss: float) -> None:
    found = bound_equal_sum(Gaussian(50.0), count, math.log(miss))
    true = float(norm.isf(miss / 2)) * 50 * math.sqrt(count)
    assert true - 1 <= found <= 1.15 * true + 10


def test_deep_tails_stay_below_chernoffs_bound() -> None:
    scale, count, log_miss = 100.0, 64, -140.0
    rates = np.linspace(0.01, 0.99, 999) / scale
    chernoff = ((math.log(2) - log_miss + 0.25) - count * np.log1p(-((rates * scale) ** 2))) / rates
    found = bound_equal_sum(Laplace(scale), count, log_miss)
    assert 0.9 * chernoff.min() < found < 1.02 * chernoff.min()


def test_more_noises_and_smaller_probabilities_reach_further() -> None:
    widths = [bound_equal_sum(Laplace(10.0), count, -12.0) for count in (1, 2, 5, 17, 40, 41, 100, 1000)]
    assert widths == sorted(widths)
    widths = [bound_equal_sum(Laplace(10.0), 30, -log) for log in (1.0, 3.0, 10.0, 40.0, 300.0)]
    assert widths == sorted(set(widths))


def test_weighted_sums_of_both_kinds_hold_in_draws() -> None:
    rng = np.random.default_rng(5)
    terms = ((0.5, Laplace(40.0)), (-1.5, Laplace(10.0)), (0.25, Gaussian(100.0)))
    draws = sum(
        factor * (rng.laplace(0, noise.scale, 200_000) if isinstance(noise, Laplace) else rng.normal(0, 100.0, 200_000))
        for factor, noise in terms
    )
    width = bound_weighted_sum(terms, 0.01)
    assert np.mean(np.abs(draws) > width) <= 0.01
    assert np.mean(np.abs(draws) > 0.6 * width) > 0.01
