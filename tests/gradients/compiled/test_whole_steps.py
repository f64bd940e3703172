"""The grid of integers proves that nothing wraps."""

from __future__ import annotations

import math

import pytest

from discreet.base.errors import ParameterError
from discreet.gradients.compiled.whole_steps import COARSEST, choose_whole_steps


@pytest.mark.parametrize("coordinates", [1, 2, 1000, 10**5, 2 * 10**6, 11 * 10**6])
@pytest.mark.parametrize("slots", [1, 512, 1 << 16])
def test_sums_of_squares_fit_64_bits_and_sums_fit_float64(coordinates: int, slots: int) -> None:
    grid = choose_whole_steps(1.0, coordinates, slots)
    assert coordinates * (grid.steps**2 + 1) < 2**63
    assert slots * grid.steps < 2**53
    assert grid.steps >= COARSEST * math.sqrt(coordinates)
    assert grid.steps & (grid.steps - 1) == 0
    assert grid.root**2 <= grid.steps
    assert grid.length * grid.steps == 1.0


def test_a_model_that_is_too_large_is_refused() -> None:
    with pytest.raises(ParameterError, match="million"):
        choose_whole_steps(1.0, 10**8, 64)
