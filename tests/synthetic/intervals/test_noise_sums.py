"""Sums of noises: the bound of their law, against the law itself where it can be written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.mechanisms import DiscreteGaussian, Gaussian, Laplace
from discreet.query.draws import VectorNoise
from discreet.synthetic.intervals.noise_sums import NoiseTerm, bound_noises

HALF = 4000


def write_law(noise: VectorNoise, factor: int) -> Floats:
    """Return the probabilities of factor * noise at -HALF to HALF."""
    at = np.arange(-HALF, HALF + 1)
    weights = (
        np.exp(-np.abs(at) / noise.scale)
        if isinstance(noise, Laplace)
        else np.exp(-(at**2.0) / (2 * float(noise.sigma) ** 2))
    )
    law = np.zeros(2 * HALF + 1)
    for place, weight in zip(at, weights / weights.sum(), strict=True):
        if abs(place * factor) <= HALF:
            law[place * factor + HALF] += weight
    return law


def add_up(terms: list[NoiseTerm]) -> Floats:
    """Return the law of a sum, by convolution."""
    law = np.zeros(2 * HALF + 1)
    law[HALF] = 1.0
    for factor, noise, count in terms:
        for _ in range(count):
            law = np.convolve(law, write_law(noise, factor))[HALF : 3 * HALF + 1]
    return law


@pytest.mark.many
@pytest.mark.parametrize(
    "terms",
    [
        [(1, Laplace(3.0), 2)],
        [(1, Laplace(0.2), 5)],
        [(1, Laplace(7.5), 12)],
        [(1, DiscreteGaussian(4.0), 6)],
        [(1, DiscreteGaussian(0.3), 3)],
        [(3, Laplace(2.0), 2), (5, Laplace(1.0), 3)],
        [(2, Laplace(6.0), 2), (1, DiscreteGaussian(9.0), 2)],
        [(16, DiscreteGaussian(1.5), 2), (1, Laplace(10.0), 1)],
    ],
)
@pytest.mark.parametrize("miss", [0.3, 0.05, 1e-5])
def test_the_bound_is_the_least_that_the_law_allows(terms: list[NoiseTerm], miss: float) -> None:
    law = add_up(terms)
    found = bound_noises(terms, miss)
    beyond = 1 - law[HALF - found : HALF + found + 1].sum()
    assert beyond <= miss * (1 + 1e-6)
    least = next(k for k in range(HALF) if 1 - law[HALF - k : HALF + k + 1].sum() <= miss * (1 - 2e-4))
    assert found <= least + 1


def test_one_noise_has_its_mechanisms_own_bound() -> None:
    for noise in (Laplace(12.5), DiscreteGaussian(3.25), Gaussian(8.0)):
        assert bound_noises([(3, noise, 1)], 0.05) == 3 * noise.interval(0.95)
    assert bound_noises([(0, Laplace(2.0), 4), (1, Laplace(2.0), 0)], 0.05) == 0


@pytest.mark.parametrize(("scale", "count"), [(1e6, 2), (1e6, 100), (40.0, 10**6), (1e4, 10**5)])
def test_wide_and_long_sums_are_near_the_normal_law(scale: float, count: int) -> None:
    deviation = scale * math.sqrt(2 * count)
    factor = bound_noises([(1, Laplace(scale), count)], 0.05) / deviation
    assert 1.94 < factor < (2.1 if count == 2 else 1.98)


def test_what_is_out_of_reach_is_bounded_draw_by_draw() -> None:
    noise = Laplace(5.0)
    assert bound_noises([(1, noise, 3)], 1e-12) == 3 * noise.interval(1 - 1e-12 / 3)
    rounded = Gaussian(5.0)
    assert bound_noises([(1, rounded, 3)], 0.03) == 3 * rounded.interval(1 - 0.03 / 3)
    wide = [(16, Laplace(1e6), 1), (15, Laplace(1e6), 1)]
    assert bound_noises(wide, 0.05) == 31 * Laplace(1e6).interval(1 - 0.05 / 2)
