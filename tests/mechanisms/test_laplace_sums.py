"""Sums of Laplace noises: the bound holds against the exact law, and is not far above it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.mechanisms.laplace_sums import bound_sum, find_sum_law
from support import laws


def _law(scale: float, terms: tuple[tuple[int, int], ...], reach: int) -> NDArray[np.float64]:
    """Return the law of the sum on -size .. size by convolution of whole numbers, term by term."""
    one, found = laws.laplace(scale, 1e-15).floats(reach), np.ones(1)
    for factor, count in terms:
        spread = np.zeros(2 * reach * factor + 1)
        spread[::factor] = one
        for _ in range(count):
            found = np.convolve(found, spread)
    return found


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.5])
@pytest.mark.parametrize("terms", [((1, 1),), ((1, 6),), ((1, 2), (3, 3)), ((9, 1), (1, 4))])
@pytest.mark.parametrize("miss", [0.2, 0.025, 1e-4])
def test_theorem_the_bound_is_passed_no_oftener_than_stated(
    scale: float, terms: tuple[tuple[int, int], ...], miss: float
) -> None:
    law = _law(scale, terms, math.ceil(36 * scale) + 2)
    middle, z = len(law) // 2, bound_sum(scale, terms, miss)
    assert law[middle + math.floor(z) + 1 :].sum() <= miss
    spread = scale * math.sqrt(2 * sum(factor**2 * count for factor, count in terms))
    nearer = max(0, math.floor(z - 0.3 * spread - 1.5 * max(factor for factor, _ in terms)))
    assert nearer == 0 or law[middle + nearer :].sum() > miss, "a nearer bound would be passed oftener"


def test_terms_of_one_factor_are_one_and_tiny_misses_have_no_bound() -> None:
    assert bound_sum(5.0, ((1, 3), (1, 4)), 0.05) == bound_sum(5.0, ((1, 7),), 0.05)
    assert bound_sum(5.0, ((0, 3), (2, 0)), 0.05) == 0
    assert bound_sum(5.0, ((1, 3),), 1e-12) == math.inf


def test_theorem_a_rounded_law_is_never_below_the_exact_one() -> None:
    terms = ((1, 2), (3, 3))
    exact, found = _law(1.0, terms, 38), find_sum_law(1.0, terms)
    beyond = np.cumsum(found.shares[::-1])[::-1]
    middle = len(exact) // 2
    for at in range(-40, 41):
        least = int(np.searchsorted(found.values, at))
        assert exact[middle + at :].sum() <= beyond[least] + 1e-10 <= exact[middle + at - 2 :].sum() + 0.02
    assert abs(found.shares.sum() - 1) < 1e-9
