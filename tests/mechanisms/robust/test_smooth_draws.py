"""Noise of a private scale: every rounded draw is the one that infinitely many bits give."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq
from numpy.typing import NDArray
from scipy import special, stats

from discreet.mechanisms.robust.smooth_bounds import SmoothBound
from discreet.mechanisms.robust.smooth_draws import add_laplace, add_log_normal, add_student
from discreet.noise.bits import replayed
from support.sampling import ALARM, ScriptedBits, as_words, binary_digits, chi_square_p

CENTER = Fraction(7, 3)
SCALE = SmoothBound(Fraction(40), Fraction(1, 2), 3)
SIGMA = 0.5
Floats = NDArray[np.float64]
Cdf = Callable[[Floats], Floats]


def _log_normal_cdf(z: Floats) -> Floats:
    """Return the CDF of X e^(sigma Y) by Gauss and Hermite."""
    nodes, weights = special.roots_hermitenorm(80)
    tail = np.exp(-np.abs(z)[:, None] * np.exp(-SIGMA * nodes)[None, :]) @ weights / weights.sum() / 2
    share: Floats = np.where(z < 0, tail, 1 - tail)
    return share


LAWS: dict[str, tuple[Callable[[SmoothBound], int], Cdf]] = {
    "laplace": (lambda scale: add_laplace(CENTER, scale), stats.laplace.cdf),
    "student": (lambda scale: add_student(CENTER, scale, 3), stats.t(3).cdf),
    "even student": (lambda scale: add_student(CENTER, scale, 4), stats.t(4).cdf),
    "cauchy": (lambda scale: add_student(CENTER, scale, 1), stats.t(1).cdf),
    "log normal": (lambda scale: add_log_normal(CENTER, scale, SIGMA), _log_normal_cdf),
}


def _fit(draws: list[int], cdf: Cdf, scale: float) -> float:
    edges = np.arange(-20, 26).astype(np.float64)
    below = cdf(((edges + 0.5 - float(CENTER)) / scale).astype(np.float64))
    cells = np.searchsorted(edges, np.array([float(draw) for draw in draws]))
    return chi_square_p(np.bincount(cells, minlength=len(edges) + 1), np.diff([0, *below, 1]))


@pytest.mark.many
@pytest.mark.parametrize("name", LAWS)
def test_sampler_draws_this_law_and_not_that_of_a_scale_off(name: str) -> None:
    draw, cdf = LAWS[name]
    draws = [draw(SCALE) for _ in range(2_500)]
    assert _fit(draws, cdf, 5.0) > ALARM
    assert _fit(draws, cdf, 5.0 * 1.35) < ALARM
    assert _fit(draws, cdf, 5.0 / 1.35) < ALARM


@pytest.mark.parametrize("extensions", [0, 1, 3])
@pytest.mark.parametrize("whole", [3, 20, 100])
def test_uniforms_on_either_side_of_a_boundary_give_neighbours(whole: int, extensions: int) -> None:
    """At this u the sum is a whole number and a half: the draw is that number just below it, one less above it."""
    steps = (whole - Fraction(1, 2) - CENTER) / 5
    edge = binary_digits(lambda: (-arb(fmpq(steps.numerator, steps.denominator))).exp(), 64 * (extensions + 1))
    for side, told in ((-1, whole), (1, whole - 1)):
        source = ScriptedBits([0, *as_words(edge + side, extensions), *[2**63] * 4])
        with replayed(source):
            assert add_laplace(CENTER, SCALE) == told
        assert source.taken >= extensions + 2


def test_a_scale_too_small_for_floats_still_decides_a_tie() -> None:
    """The center is half way between two numbers: the sign of noise of size 2^-5000 decides."""
    scale = SmoothBound(Fraction(1), Fraction(1, 2), 5000)
    for word, told in ((0, 1), (2**63, 0)):
        with replayed(ScriptedBits([word, 2**62, *[2**62] * 3])):
            assert add_laplace(Fraction(1, 2), scale) == told


def test_huge_centers_keep_all_their_digits() -> None:
    center = 10**40 + 7
    told = [add_student(Fraction(center), SCALE, 3) - center for _ in range(50)]
    assert all(abs(each) < 10**4 for each in told)
    assert len(set(told)) > 10


def test_a_uniform_of_zeros_waits_for_more_bits() -> None:
    with replayed(ScriptedBits([0, 0, 0, 2**60, 2**60, 2**60])):
        assert add_laplace(Fraction(0), SCALE) > 5 * 88
