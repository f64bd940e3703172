"""Variances: intervals from the joint noise hold the truth, and are not much wider than the noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.curator.estimates.moments import bound_noise, bound_variance
from discreet.mechanisms import Gaussian, Laplace
from discreet.plan.grid import ClampedGrid
from support import laws
from support.sampling import ALARM

GRID = ClampedGrid(Fraction(0), Fraction(1), -50, 50)
SHAPES: dict[str, Callable[[np.random.Generator], Any]] = {
    "middle": lambda draw: draw.integers(-9, 10, 4_000),
    "at an end": lambda draw: np.full(4_000, 50),
    "both ends": lambda draw: draw.choice([-50, 50], 4_000),
    "few": lambda draw: draw.integers(-50, 51, 12),
}


@pytest.mark.many
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("gaussian", [False, True])
def test_intervals_of_variances_cover_the_truth(shape: str, gaussian: bool) -> None:
    values = SHAPES[shape](np.random.default_rng(8))
    exact = [len(values), int(values.sum()), int((values**2).sum())]
    noises = [(Gaussian if gaussian else Laplace)(10.0 * 50**power) for power in range(3)]
    missed = 0
    for _ in range(200):
        noisy = [int(noise.release(value)) for noise, value in zip(noises, exact, strict=True)]
        low, high = bound_variance(noisy, noises, GRID, 0.05)
        assert 0 <= low <= high <= 2500
        missed += not low - 1e-9 <= float(np.var(values)) <= high + 1e-9
    assert laws.binomial_excess_p(missed, 200, 0.05) > ALARM


def test_an_interval_is_about_as_wide_as_its_noise() -> None:
    values = np.random.default_rng(9).integers(-9, 10, 20_000)
    exact = [len(values), int(values.sum()), int((values**2).sum())]
    noises = [Laplace(10.0 * 50**power) for power in range(3)]
    noisy = [[int(n.release(value)) for n, value in zip(noises, exact, strict=True)] for _ in range(60)]
    widths = [high - low for low, high in (bound_variance(each, noises, GRID, 0.05) for each in noisy)]
    assert np.median(widths) < 8 * 10 * 50**2 / 20_000, "the noise of the squares alone is six scales from end to end"


def test_larger_factors_reach_farther() -> None:
    pairs: list[list[Laplace | Gaussian]] = [[Laplace(5.0), Laplace(8.0)], [Gaussian(5.0), Gaussian(8.0)]]
    pairs.append([Laplace(5.0), Gaussian(8.0)])
    for noises in pairs:
        near, far = (bound_noise(noises, (1.0, size), 0.05) for size in (2.0, 3.0))
        assert near < far
        assert bound_noise(noises, (1.0, -2.0), 0.05) == near
