"""Grids: a number becomes a whole number of steps, never further than the reach."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.plan.grid import ClampedGrid


@pytest.mark.parametrize(("ends", "reach"), [((0, 5), 5), ((-7, 3), 7), ((-2, -1), 2), ((0, 0), 0)])
def test_the_reach_is_the_further_end(ends: tuple[int, int], reach: int) -> None:
    assert ClampedGrid(Fraction(0), Fraction(1, 4), *ends).reach == reach


def test_a_grid_is_a_value() -> None:
    assert ClampedGrid(Fraction(1), Fraction(1), 0, 1) == ClampedGrid(Fraction(1), Fraction(1), 0, 1)
    assert len({ClampedGrid(Fraction(1), Fraction(1), 0, 1), ClampedGrid(Fraction(1), Fraction(2), 0, 1)}) == 2
