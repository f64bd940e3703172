"""A grid sends every real number to floor(x / step + 1/2), without rounding error and without ever raising on data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.base.grid import Grid, declared
from discreet.base.wide import LIMIT

finite = st.floats(allow_nan=False, allow_infinity=False)
float_steps = st.sampled_from([1e-100, 1e-9, 0.01, 0.1, 0.3, 0.5, 1.0, 3.0, 1e6, 2.5e15, 1e100])
steps = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6).filter(lambda s: s > 0)
half_way = st.builds(lambda k: k + 0.5, st.integers(-(2**40), 2**40)) | st.integers(-1000, 1000).map(lambda k: k / 20)


def rule(x: float | int | Fraction, step: Fraction) -> int:
    """The definition, in exact arithmetic."""
    return max(-LIMIT, min(LIMIT, math.floor(Fraction(x) / step + Fraction(1, 2))))


@given(finite | half_way, float_steps)
@example(1.25, 0.5)
@example(0.285, 0.01)
@example(1.0000000000000002, 1.0)
@example(0.49999999999999994, 1.0)
@example(4503599627370497.5, 1.0)
@example(float(2**61), 1.0)
@example(-5e-324, 1e100)
@example(1.7976931348623157e308, 1e-100)
def test_a_float_follows_the_exact_rule(x: float, step: float) -> None:
    assert Grid(step).snap(x) == rule(x, Fraction(repr(step)))


@given(st.lists(finite | half_way, min_size=1, max_size=20), float_steps | steps)
@example([1.25, -1.25, 0.75, 2.0**53, 2.0**61, 1e300, -1e300, 5e-324], 0.5)
def test_an_array_of_floats_follows_the_exact_rule(xs: list[float], step: Any) -> None:
    grid = Grid(step)
    found = grid.snap(np.array(xs))
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.int64
    assert found.tolist() == [rule(x, grid.step) for x in xs]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20), float_steps | steps)
@example([2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63)], Fraction(2))
def test_an_array_of_integers_follows_the_exact_rule(xs: list[int], step: Any) -> None:
    grid = Grid(step)
    found = grid.snap(np.array(xs, dtype=np.int64))
    assert np.asarray(found).tolist() == [rule(x, grid.step) for x in xs]


@given(st.integers() | st.integers(-(10**400), 10**400), steps)
@example(2**53 + 1, Fraction(1))
@example(2**63 + 1, Fraction(2))
@example(2**64 + 3, Fraction(2**10))
@example(10**400, Fraction(1))
@example(-(10**400), Fraction(1))
def test_a_lone_integer_of_any_size_follows_the_exact_rule(x: int, step: Fraction) -> None:
    assert Grid(step).snap(x) == rule(x, step)


@given(st.lists(finite | half_way | st.integers() | st.fractions(), min_size=1, max_size=10), steps)
@example([2**53 + 1, 0.5, Fraction(1, 2), 10**400, True], Fraction(1))
def test_an_object_array_of_numbers_follows_the_exact_rule(xs: list[Any], step: Fraction) -> None:
    entries = np.empty(len(xs), dtype=object)
    entries[:] = xs
    found = Grid(step).snap(entries)
    assert np.asarray(found).tolist() == [rule(x, step) for x in xs]


@pytest.mark.parametrize("xs", [[2**53 + 1, 0.5], [2**63 + 1025, -1], [2**62 + 1, Fraction(1, 2)], [2**53 + 1, 2**70]])
def test_a_list_of_mixed_numbers_follows_the_exact_rule(xs: list[Any]) -> None:
    step = Fraction(2)
    assert np.asarray(Grid(step).snap(xs)).tolist() == [rule(x, step) for x in xs]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.uint8, np.uint64, np.bool_])
def test_every_machine_type_follows_the_exact_rule(kind: Any) -> None:
    xs = np.array([0, 1, 1, 0, 1]).astype(kind)
    assert np.asarray(Grid(Fraction(2, 3)).snap(xs)).tolist() == [0, 2, 2, 0, 2]
    assert Grid(0.5).snap(kind(1)) == 2


def test_unsigned_integers_beyond_int64_saturate() -> None:
    assert np.asarray(Grid(1).snap(np.array([2**64 - 1, 3], dtype=np.uint64))).tolist() == [LIMIT, 3]


@given(finite, finite, steps)
@example(0.25, 0.75, Fraction(1, 2))
@example(1e308, -1e308, Fraction(1))
def test_two_reals_land_at_most_their_distance_in_steps_apart(x: float, y: float, step: Fraction) -> None:
    """With D the distance, at most ceil(D / step)."""
    grid = Grid(step)
    apart = abs(int(grid.snap(x)) - int(grid.snap(y)))
    assert apart <= math.ceil(abs(Fraction(x) - Fraction(y)) / step)


@given(st.lists(finite, min_size=2, max_size=20), steps)
def test_snapping_keeps_the_order(xs: list[float], step: Fraction) -> None:
    points = np.asarray(Grid(step).snap(np.array(sorted(xs)))).tolist()
    assert points == sorted(points)


NAN_CASES: list[Any] = [math.nan, np.array([math.nan]), np.array([math.nan], dtype=object), np.float32("nan")]


@pytest.mark.parametrize("value", NAN_CASES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    ("missing", "point"), [(0.0, 0), (7.0, 14), (0.25, 1), (-0.25, 0), (2.0**60 + 2**10, 2**61), (1e300, LIMIT)]
)
def test_nan_becomes_the_public_missing_value(value: Any, missing: float, point: int) -> None:
    found = Grid(0.5, missing=missing).snap(value)
    assert np.asarray(found).ravel().tolist() == [point]


@pytest.mark.parametrize("step", [1e-100, 0.5, 1e100])
def test_infinities_saturate(step: float) -> None:
    ends = [math.inf, -math.inf]
    for value in (ends, np.array(ends), np.array(ends, dtype=np.float32), np.array(ends, dtype=object)):
        assert np.asarray(Grid(step).snap(value)).tolist() == [LIMIT, -LIMIT]
    assert Grid(step).snap(math.inf) == LIMIT


def test_none_is_missing_as_nan_is() -> None:
    for value in ([None, 1.0], np.array([None, 1.0], dtype=object), [Decimal("NaN"), 1], [Decimal("sNaN"), 1]):
        assert np.asarray(Grid(0.5, missing=0.75).snap(value)).tolist() == [2, 2]
    assert Grid(0.5, missing=3).snap(None) == 6
    masked = np.ma.MaskedArray([1.0, 8.0], mask=[False, True])
    assert np.asarray(Grid(0.5, missing=3).snap(masked)).tolist() == [2, 6]


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=3), min_size=1, max_size=10), steps)
@example([Decimal("0.285"), Decimal("-0.005"), Decimal(2**53 + 1)], Fraction(1, 100))
def test_decimals_follow_the_exact_rule(xs: list[Decimal], step: Fraction) -> None:
    assert np.asarray(Grid(step).snap(xs)).tolist() == [rule(Fraction(x), step) for x in xs]


def test_floats_longer_than_64_bits_are_refused_by_type_whatever_they_hold() -> None:
    if np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("long floats are ordinary floats here")
    for text in ("0.25", "1e400", "nan"):
        long = np.longdouble(text)
        for value in (np.array([long]), long, np.array([long], dtype=object), [long]):
            with pytest.raises(ParameterError, match="value must be real numbers"):
                Grid(0.5).snap(value)


@pytest.mark.parametrize("step", [0.1, 0.01, 1e-9, 0.3, 2.5])
def test_a_float_step_means_its_decimal(step: float) -> None:
    assert Grid(step).step == Fraction(repr(step))
    assert Grid(step) == Grid(Fraction(repr(step)))


def test_an_integer_or_fraction_step_is_itself() -> None:
    assert Grid(3).step == 3
    assert Grid(Fraction(1, 3)).step == Fraction(1, 3)


@given(st.integers(-(2**45), 2**45), float_steps | steps)
def test_value_and_snap_are_inverse(point: int, step: Any) -> None:
    grid = Grid(step)
    assert grid.snap(grid.value(point)) == point
    assert np.asarray(grid.snap(grid.value(np.array([point])))).tolist() == [point]


def test_values_of_single_points_are_the_nearest_floats() -> None:
    assert [Grid(0.01).value(point) for point in (7, -29, 100)] == [0.07, -0.29, 1.0]
    assert Grid(1).value(10**400) == math.inf
    assert Grid(1).value(-(10**400)) == -math.inf


def test_values_of_arrays_keep_their_shape() -> None:
    narrow = np.array([[1, 2], [3, -4]])
    expected = [[0.5, 1.0], [1.5, -2.0]]
    for points in (narrow, narrow.astype(object)):
        found = Grid(0.5).value(points)
        assert isinstance(found, np.ndarray)
        assert found.dtype == np.float64
        assert found.tolist() == expected


@pytest.mark.parametrize("step", [Fraction(10**119 + 1, 10**119), Fraction(7**100, 3**180)])
def test_values_of_arrays_know_steps_of_many_digits(step: Fraction) -> None:
    grid = Grid(step)
    found = np.asarray(grid.value(np.array([1, 2])))
    assert found.tolist() == pytest.approx([float(grid.step), 2 * float(grid.step)], rel=1e-15)


def test_shapes_and_scalars_are_kept() -> None:
    assert type(Grid(1).snap(2.5)) is int
    assert type(Grid(1).snap(np.float64(2.5))) is int
    assert np.shape(Grid(1).snap(np.zeros((2, 0, 3)))) == (2, 0, 3)
    assert np.shape(Grid(1).snap([[1.5, 2.5]])) == (1, 2)


BAD_DATA: list[Sequence[Any] | Any] = [
    "123456",
    ["123456"],
    [1j],
    np.array(["123456"], dtype=object),
    b"123456",
]


@pytest.mark.parametrize("data", BAD_DATA, ids=repr)
def test_what_is_no_real_number_is_refused_by_type_without_a_quote(data: Any) -> None:
    with pytest.raises(ParameterError, match="value must be real numbers") as refusal:
        Grid(1).snap(data)
    assert "123456" not in str(refusal.value)


@pytest.mark.parametrize("step", [0, -1, math.nan, 1e-101, 1e101, True, "1", None, Fraction(10**121, 10**121 + 1)])
def test_a_bad_step_is_refused(step: Any) -> None:
    with pytest.raises(ParameterError, match="step"):
        Grid(step)


@pytest.mark.parametrize("missing", [math.nan, math.inf, True, "0", None])
def test_a_bad_missing_value_is_refused(missing: Any) -> None:
    with pytest.raises(ParameterError, match="missing"):
        Grid(1, missing=missing)


def test_a_declared_grid_is_a_grid_or_nothing() -> None:
    assert declared(None) is None
    assert declared(Grid(0.5)) == Grid(0.5)
    for bare in (0.5, 1, "0.5", Grid):
        with pytest.raises(ParameterError, match=r"grid must be a Grid, such as Grid\(0.01\)"):
            declared(bare)


def test_a_grid_is_an_immutable_value() -> None:
    assert hash(Grid(0.5, 1.0)) == hash(Grid(Fraction(1, 2), 1))
    with pytest.raises(AttributeError):
        Grid(1).step = Fraction(2)  # type: ignore[misc]
