"""Fieller's interval: how far a noisy ratio may be from the truth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.curator.estimates.fieller import bound_explained, bound_mean, bound_tail
from discreet.mechanisms import Gaussian, Laplace
from discreet.noise.bits import replayed
from discreet.plan.grid import ClampedGrid
from support.sampling import ALARM, GeneratorBits

NOISES = [Laplace(7.3), Laplace(0.4), Gaussian(7.3), Gaussian(0.4)]
GRID = ClampedGrid(Fraction(50), Fraction(1, 2), -100, 100)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_tails_are_those_of_the_noise(noise: Laplace | Gaussian) -> None:
    rounds = 20_000
    with replayed(GeneratorBits(4)):
        drawn = np.array(noise.release(np.zeros(rounds, dtype=np.int64)))
    for at in (-9.5, -1.0, 0.0, 0.3, 1.0, 4.0, 12.7):
        tail = float(bound_tail(noise, np.array([at]))[0])
        count = int(np.sum(drawn >= at))
        assert min(stats.binom.cdf(count, rounds, tail), stats.binom.sf(count - 1, rounds, tail)) > ALARM


@pytest.mark.parametrize("first", NOISES, ids=repr)
@pytest.mark.parametrize("second", NOISES, ids=repr)
@pytest.mark.parametrize("factor", [0.0, -3.0, 20.0])
def test_the_bound_on_both_noises_is_above_what_happens_and_close(
    first: Laplace | Gaussian, second: Laplace | Gaussian, factor: float
) -> None:
    rounds = 20_000
    with replayed(GeneratorBits(5)):
        one, two = (np.array(noise.release(np.zeros(rounds, dtype=np.int64))) for noise in (first, second))
    moved = np.abs(one - factor * two)
    for distance in (1.0, 6.0, 20.0, 100.0):
        bound, count = bound_explained(first, second, factor, distance), int(np.sum(moved >= distance))
        assert stats.binom.sf(count - 1, rounds, bound) > ALARM
        if min(_width(first), _width(second)) > 5 and distance >= 20:  # a step more or less hardly matters there
            assert bound <= count / rounds + 0.1


def _width(noise: Laplace | Gaussian) -> float:
    return noise.sigma if isinstance(noise, Gaussian) else noise.scale


def test_the_interval_is_inside_the_bounds_and_holds_the_estimate() -> None:
    low, high = bound_mean(2000, 100, Laplace(50.0), Laplace(1.0), GRID, 0.05)
    assert 0 <= low < 50 + 2000 / 100 / 2 < high <= 100


@pytest.mark.parametrize("count", [-50, 0, 1, 3])
def test_a_count_lost_in_noise_tells_nothing(count: int) -> None:
    assert bound_mean(10, count, Laplace(500.0), Laplace(50.0), GRID, 0.05) == (0.0, 100.0)
