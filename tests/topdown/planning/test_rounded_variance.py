"""The variance of rounded Gaussian noise is that of its exact distribution."""

from __future__ import annotations

import math

import pytest

from discreet.topdown.planning.rounded_variance import compute_rounded_variance


def add_up(sigma: float) -> float:
    """Return the second moment, value by value: 2 k^2 Pr[round(x) = k] over all k > 0."""
    steps = range(1, math.ceil(40 * sigma) + 3)
    tails = [0.5 * math.erfc((k - 0.5) / (sigma * math.sqrt(2))) for k in range(1, len(steps) + 2)]
    return 2 * math.fsum(k * k * (tails[k - 1] - tails[k]) for k in steps)


@pytest.mark.parametrize("sigma", [0.05, 0.1, 0.2, 0.3, 0.3999, 0.4, 0.45, 0.5, 0.7, 1.0, 2.5, 2.999, 3.0, 17.0, 40.0])
def test_it_is_the_sum_over_all_values(sigma: float) -> None:
    assert compute_rounded_variance(sigma) == pytest.approx(add_up(sigma), rel=1e-9)


def test_rounding_adds_a_twelfth_to_large_noise_and_takes_small_noise_away() -> None:
    assert compute_rounded_variance(100.0) == pytest.approx(10_000 + 1 / 12, abs=1e-9)
    assert compute_rounded_variance(1e-6) == 0
    assert compute_rounded_variance(0.1) < 0.01


def test_it_rises_with_sigma() -> None:
    values = [compute_rounded_variance(0.01 * step) for step in range(8, 300)]
    assert values == sorted(values)
    assert len(set(values)) == len(values)
