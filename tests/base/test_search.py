"""Searching finds the least point at which a monotone condition holds."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.search import LARGEST, SMALLEST, least_float, least_int


@given(st.floats(min_value=1e-299, max_value=1e299))
def test_the_two_floats_lie_on_either_side_of_the_step(step: float) -> None:
    low, high = least_float(lambda x: x >= step)
    assert low < step <= high
    assert high - low <= high * 2.0**-50


@given(st.fractions(min_value=Fraction(1, 1000), max_value=1000))
def test_the_condition_is_compared_exactly(step: Fraction) -> None:
    low, high = least_float(lambda x: Fraction(x) >= step)
    assert Fraction(low) < step <= Fraction(high)


def test_a_condition_that_holds_at_0_needs_nothing() -> None:
    assert least_float(lambda x: True) == (0.0, 0.0)


def test_a_condition_that_holds_just_above_0_gives_a_tiny_float() -> None:
    low, high = least_float(lambda x: x > 0)
    assert low == 0
    assert 0 < high < SMALLEST


def test_a_condition_that_never_holds_gives_the_limit() -> None:
    assert least_float(lambda x: False) == (math.inf, math.inf)
    assert least_float(lambda x: False, limit=10.0) == (10.0, 10.0)


@pytest.mark.parametrize("step", [3.2, 3.5, 4.0, 5.0, 1e300])
def test_nothing_beyond_the_limit_is_ever_returned(step: float) -> None:
    assert least_float(lambda x: x >= step, limit=3.0) == (3.0, 3.0)


@pytest.mark.parametrize("step", [1e-20, 0.3, 1.0, 2.0, 2.9, 3.0])
def test_a_step_below_the_limit_is_found(step: float) -> None:
    low, high = least_float(lambda x: x >= step, limit=3.0)
    assert low < step <= high <= 3.0


def test_a_step_beyond_the_largest_number_tried_is_infinite() -> None:
    assert least_float(lambda x: x > LARGEST * 1e5) == (math.inf, math.inf)


@given(st.integers(min_value=0, max_value=10**6), st.integers(min_value=-10, max_value=10**6))
def test_the_least_whole_number_is_found_from_any_start(step: int, start: int) -> None:
    assert least_int(lambda n: n >= step, start) == step


@pytest.mark.parametrize("start", [0, 1, 3, 10, 14, 15, 16, 17, 100, 10**30])
def test_every_start_finds_the_same(start: int) -> None:
    assert least_int(lambda n: n * n >= 200, start) == 15


def test_huge_whole_numbers_are_found_in_few_steps() -> None:
    asked: list[int] = []

    def good(n: int) -> bool:
        asked.append(n)
        return n >= 10**100

    assert least_int(good, start=0) == 10**100
    assert len(asked) < 1_000


def test_the_condition_is_never_asked_below_0() -> None:
    asked: list[int] = []

    def good(n: int) -> bool:
        asked.append(n)
        return True

    assert least_int(good, start=1_000) == 0
    assert min(asked) >= 0
