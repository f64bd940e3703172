"""Sensitivities: by hand, against generated neighbours, and never rounded down."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.mechanisms import Grid, sensitivity
from discreet.privacy import Neighbours

people = st.lists(st.integers(-20, 20), min_size=1, max_size=8)


def test_counts_and_histograms() -> None:
    assert sensitivity.counting() == sensitivity.counting("replace") == 1
    assert sensitivity.histogram_l1() == 1
    assert sensitivity.histogram_l1("replace") == 2
    assert sensitivity.histogram_l2() == 1.0
    assert 0 <= Fraction(sensitivity.histogram_l2("replace")) ** 2 - 2 < Fraction(1, 10**14)
    assert sensitivity.distance_to_set() == 1


@pytest.mark.parametrize(
    ("lower", "upper", "relation", "expected"),
    [
        (-3, 10, "add-remove", 10),
        (-30, 10, "add-remove", 30),
        (-3, 10, "replace", 13),
        (5, 9, "add-remove", 9),
        (5, 9, "replace", 4),
        (0.5, 1.25, "replace", Fraction(3, 4)),
    ],
)
def test_bounded_sum_by_hand(lower: float, upper: float, relation: str, expected: float) -> None:
    assert sensitivity.bounded_sum(lower, upper, relation) == expected


@given(people, st.integers(-20, 20), st.integers(0, 7))
@settings(max_examples=100, deadline=None)
def test_bounded_sum_on_generated_neighbours(data: list[int], other: int, at: int) -> None:
    at %= len(data)
    low, high = min([*data, other]), max([*data, other])
    removed, replaced = data[:at] + data[at + 1 :], [*data[:at], other, *data[at + 1 :]]
    if low < high:
        assert abs(sum(data) - sum(removed)) <= sensitivity.bounded_sum(low, high)
        assert abs(sum(data) - sum(replaced)) <= sensitivity.bounded_sum(low, high, "replace")


@given(people, st.integers(-20, 20), st.integers(0, 7))
@settings(max_examples=100, deadline=None)
def test_histogram_on_generated_neighbours(data: list[int], other: int, at: int) -> None:
    at %= len(data)
    cells = sorted({*data, other})

    def histogram(rows: list[int]) -> list[int]:
        return [rows.count(cell) for cell in cells]

    def moved(rows: list[int]) -> list[int]:
        return [abs(a - b) for a, b in zip(histogram(data), histogram(rows), strict=True)]

    removed, replaced = data[:at] + data[at + 1 :], [*data[:at], other, *data[at + 1 :]]
    assert sum(moved(removed)) <= sensitivity.histogram_l1()
    assert sum(moved(replaced)) <= sensitivity.histogram_l1(Neighbours.REPLACE)
    assert math.hypot(*moved(replaced)) <= sensitivity.histogram_l2(Neighbours.REPLACE)


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-3, 3)), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_the_largest_of_several_queries_moves_no_further_than_they_do(queries: list[tuple[int, int]]) -> None:
    here, there = [value for value, _ in queries], [value + move for value, move in queries]
    reach = sensitivity.maximum([max(abs(move), 1) for _, move in queries])
    assert abs(max(here) - max(there)) <= reach


def test_vectors_add_up_rounded_up() -> None:
    assert sensitivity.l1([1, 2, 4]) == 7
    assert isinstance(sensitivity.l1([1, 2]), int)
    tenths = sum((Fraction(0.1) for _ in range(3)), Fraction(0))
    assert 0 <= Fraction(sensitivity.l1([0.1] * 3)) - tenths < Fraction(1, 10**15)
    assert sensitivity.l2([3, 4]) == 5.0


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_the_l2_sensitivity_is_never_rounded_down(each: list[float]) -> None:
    exact = sum((Fraction(one) ** 2 for one in each), Fraction(0))
    found = Fraction(sensitivity.l2(each)) ** 2
    assert exact <= found <= exact * (1 + Fraction(1, 2**50))


def test_on_a_grid_by_hand() -> None:
    assert sensitivity.on_grid_l1(50, Grid(0.01)) == 5000
    assert sensitivity.on_grid_l1(0.015, Grid(0.01), dim=3) == 4
    assert sensitivity.on_grid_l2(0.015, Grid(0.01)) == 2.0
    assert sensitivity.on_grid_l2(3, Grid(0.5), dim=4) == 8.0


@given(st.floats(1e-3, 1e6), st.floats(1e-3, 10), st.integers(1, 9))
@settings(max_examples=100, deadline=None)
def test_on_a_grid_the_textbook_bound_is_never_exceeded(reach: float, step: float, dim: int) -> None:
    grid = Grid(step)
    textbook = Fraction(reach) / grid.step
    assert textbook <= sensitivity.on_grid_l1(reach, grid, dim) < textbook + dim
    assert sensitivity.on_grid_l2(reach, grid, dim) <= float(textbook) + math.sqrt(dim) + 1e-9 * float(textbook)


@pytest.mark.parametrize("steps", [2**53 + 1, 2**60 + 3, 10**17 + 1])
def test_on_a_grid_huge_numbers_of_steps_are_rounded_up(steps: int) -> None:
    assert Fraction(sensitivity.on_grid_l2(steps, Grid(1))) >= steps
    assert sensitivity.on_grid_l1(steps, Grid(1)) == steps


@given(st.floats(-1e3, 1e3), st.floats(0.01, 50), st.floats(-1, 1), st.sampled_from([0.01, 0.3, 1.0, 7.0]))
@settings(max_examples=200, deadline=None)
def test_reals_apart_land_no_further_apart_than_stated(here: float, reach: float, share: float, step: float) -> None:
    grid, there = Grid(step), here + share * reach
    apart = abs(Fraction(there) - Fraction(here))
    if 0 < apart <= Fraction(reach):
        moved: int = abs(int(grid.snap(here)) - int(grid.snap(there)))
        assert moved <= sensitivity.on_grid_l1(reach, grid)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "1", None, True])
def test_senseless_sensitivities_are_refused(value: float) -> None:
    calls: list[Callable[[list[float]], object]] = [sensitivity.l1, sensitivity.l2, sensitivity.maximum]
    for call in calls:
        with pytest.raises(ParameterError, match=r"^sensitivity must be"):
            call([1, value])
    for on_grid in (sensitivity.on_grid_l1, sensitivity.on_grid_l2):
        with pytest.raises(ParameterError, match=r"^sensitivity must be"):
            on_grid(value, Grid(1))


def test_no_queries_have_no_sensitivity() -> None:
    with pytest.raises(ParameterError, match="sensitivities must be at least one number"):
        sensitivity.l1([])


@pytest.mark.parametrize(("lower", "upper", "name"), [(3, 2, "upper"), (math.nan, 1, "lower"), (0, math.inf, "upper")])
def test_senseless_bounds_are_refused(lower: float, upper: float, name: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        sensitivity.bounded_sum(lower, upper)


def test_unknown_neighbours_are_refused() -> None:
    for call in (sensitivity.counting, sensitivity.histogram_l1, sensitivity.histogram_l2):
        with pytest.raises(ParameterError, match=r"^neighbours must be"):
            call("cousins")
