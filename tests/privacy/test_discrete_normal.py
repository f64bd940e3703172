"""Tails of the discrete Gaussian, summed and by Euler-Maclaurin, against sums made another way."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb, fmpq

from discreet.base.rounding import precision
from discreet.privacy import discrete_normal
from discreet.privacy.discrete_normal import compute_upper_tail
from support import laws
from support.laws import ball, exactly


@exactly
def _summed_tail(sigma: float, start: int) -> arb:
    """Add the probabilities from `start` on, one by one."""
    noise = laws.discrete_gaussian(sigma, 1e-60)
    inside = sum((noise.at(x) for x in range(start, noise.reach + 1)), arb(0))
    return inside + noise.outside.union(arb(0))


@exactly
def _far(value: arb, truth: arb) -> float:
    """Return how far apart two balls can be, relative to the truth."""
    return float((value - truth).abs_upper() / truth.abs_lower())


def _tail(sigma: float, start: int) -> arb:
    with precision():
        return compute_upper_tail(sigma, start)


@pytest.mark.parametrize("sigma", [0.2, 0.5, 1.0, 2.5, 7.0, 15.9, 16.0, 16.1, 40.0])
@pytest.mark.parametrize("at", [0.1, 1.0, 3.0, 6.0])
def test_a_tail_is_the_sum_of_its_terms(sigma: float, at: float) -> None:
    start = max(1, round(at * sigma))
    found, truth = _tail(sigma, start), _summed_tail(sigma, start)
    assert found.overlaps(truth)
    assert _far(found, truth) <= 1e-13


@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 0.05])
def test_tiny_sigmas_leave_nearly_nothing_outside_zero(sigma: float) -> None:
    first = exactly(lambda: (-ball(1 / (2 * Fraction(sigma) ** 2))).exp())()
    assert _far(_tail(sigma, 1), first) <= 1e-20


@pytest.mark.parametrize("sigma", [16.0, 20.0, 64.0])
@pytest.mark.parametrize("at", [0.5, 2.0, 5.0, 9.0])
def test_both_ways_agree_where_they_overlap(sigma: float, at: float) -> None:
    start = round(at * sigma)
    with precision():
        summed = discrete_normal._sum_from(sigma, start)
        expanded = discrete_normal._sum_by_euler_maclaurin(sigma, start)
    assert summed.overlaps(expanded)
    assert _far(expanded, summed) <= 1e-13


@pytest.mark.parametrize("sigma", [1e3, 1e6, 1e9, 1e15])
@pytest.mark.parametrize("at", [Fraction(1, 10), Fraction(1), Fraction(5), Fraction(11)])
def test_huge_sigmas_are_nearly_the_normal_tail(sigma: float, at: Fraction) -> None:
    start = int(at * Fraction(sigma))
    with precision():
        edge = ball(start - Fraction(1, 2)) / ball(sigma)
        normal = (edge / arb(2).sqrt()).erfc() / 2
        density = (-(edge**2) / 2).exp() / (2 * arb.pi()).sqrt()
        # The first correction of the midpoint rule: f'(a) / 24 in the units of the sum.
        corrected = normal - edge * density / (24 * ball(sigma) ** 2)
    assert _far(_tail(sigma, start), corrected) <= max(1e-13, 100 / sigma**4)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0, 16.0, 100.0, 1e12])
def test_a_tail_from_below_zero_is_the_rest_of_the_other_side(sigma: float) -> None:
    with precision():
        assert (compute_upper_tail(sigma, 0) + compute_upper_tail(sigma, 1)).overlaps(arb(1))
        assert (compute_upper_tail(sigma, -4) + compute_upper_tail(sigma, 5)).overlaps(arb(1))
        assert compute_upper_tail(sigma, 0) > arb(fmpq(1, 2))


@pytest.mark.parametrize("sigma", [0.7, 3.0])
def test_a_tail_from_below_zero_is_the_sum_of_its_terms(sigma: float) -> None:
    assert _tail(sigma, -2).overlaps(_summed_tail(sigma, -2))


@pytest.mark.parametrize("sigma", [2.0, 15.999, 16.0, 50.0])
def test_tails_fall(sigma: float) -> None:
    tails = [_tail(sigma, start) for start in range(-20, 21)]
    assert all(later < earlier for earlier, later in pairwise(tails))


def test_more_bits_make_the_ball_narrower() -> None:
    with precision(128):
        wide = compute_upper_tail(5.0, 3)
    with precision(256):
        narrow = compute_upper_tail(5.0, 3)
    assert wide.overlaps(narrow)
    assert narrow.rel_accuracy_bits() > wide.rel_accuracy_bits() + 100
