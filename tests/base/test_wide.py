"""Integers never wrap: Python ints are exact, int64 arrays saturate in the open."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.base.wide import LIMIT, integers, is_wide, wide_add, wide_array

int64s = st.integers(-(2**63), 2**63 - 1)
held = st.integers(-LIMIT, LIMIT)


def clamp(x: int, limit: int = LIMIT) -> int:
    return max(-limit, min(limit, x))


@pytest.mark.parametrize("value", [5, 10**400, -3, True, np.int8(5), np.uint64(2**64 - 1)])
def test_a_lone_integer_becomes_a_python_int(value: Any) -> None:
    found = integers("value", value)
    assert type(found) is int
    assert found == int(value)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.bool_])
def test_machine_integers_become_int64_whatever_they_hold(kind: Any) -> None:
    for shape in [(0,), (3,), (2, 2), ()]:
        found = integers("value", np.zeros(shape, dtype=kind))
        assert isinstance(found, np.ndarray | np.int64)
        assert found.dtype == np.int64
        assert found.shape == shape


@pytest.mark.parametrize(
    "value",
    [
        [],
        [1, 2],
        (1, 2),
        [[1], [2]],
        [2**70, 1],
        np.array([1], dtype=object),
        np.array([1], dtype=np.uint64),
        np.array([2**64 - 1], dtype=np.uint64),
        [np.int8(1), True],
    ],
    ids=repr,
)
def test_lists_unsigned_and_object_arrays_become_python_ints_whatever_they_hold(value: Any) -> None:
    found = integers("value", value)
    assert isinstance(found, np.ndarray)
    assert found.dtype == object
    entries: list[Any] = list(found.flat)
    assert all(type(entry) is int for entry in entries)
    assert found.shape == np.shape(value)


@given(st.lists(int64s, max_size=20))
def test_int64_arrays_saturate_at_the_limit(values: list[int]) -> None:
    found = integers("value", np.array(values, dtype=np.int64))
    assert np.asarray(found).tolist() == [clamp(value) for value in values]


@given(st.lists(st.integers(-(10**50), 10**50), max_size=20))
def test_python_ints_are_kept_whole(values: list[int]) -> None:
    found = integers("value", values)
    assert np.asarray(found).tolist() == values


def test_booleans_count_as_0_and_1() -> None:
    for value in (np.array([True, False]), [True, False], np.array([True, False], dtype=object), [np.True_, np.False_]):
        assert np.asarray(integers("value", value)).tolist() == [1, 0]


def test_what_is_missing_counts_as_0() -> None:
    masked = np.ma.MaskedArray([7, 8, 9], mask=[False, True, False])
    for value, expected in (([None, 5], [0, 5]), (np.array([5, None], dtype=object), [5, 0]), (masked, [7, 0, 9])):
        assert np.asarray(integers("value", value)).tolist() == expected


def test_lists_of_unequal_length_are_refused_without_a_quote() -> None:
    for value in ([[123456], [1, 2]], [np.zeros((2, 2)), np.zeros((2, 3))]):
        with pytest.raises(ParameterError) as refusal:
            integers("value", value)
        assert "123456" not in str(refusal.value)


def test_the_given_array_is_not_changed() -> None:
    given_array = np.array([2**62, 1])
    integers("value", given_array)
    assert given_array.tolist() == [2**62, 1]


BAD: list[Any] = [
    123456.5,
    [123456.5],
    [1, 123456.5],
    np.array([123456.0]),
    np.float32(123456.0),
    "123456",
    ["123456"],
    None,
    [math.nan],
    Fraction(123456, 7),
    [Fraction(123456, 1), Decimal(123456)],
    np.array(["123456"]),
    np.array([123456], dtype="datetime64[s]"),
    np.array([123456], dtype="timedelta64[s]"),
    np.array([123456j]),
    {"a": 123456},
    b"123456",
]


@pytest.mark.parametrize("value", BAD, ids=lambda value: type(value).__name__)
def test_what_is_no_integer_is_refused_without_a_quote(value: Any) -> None:
    with pytest.raises(ParameterError, match="value must be integers") as refusal:
        integers("value", value)
    assert refusal.value.name == "value"
    assert "123456" not in str(refusal.value)


def test_a_refusal_does_not_depend_on_the_values() -> None:
    messages = set()
    for value in (1.0, 1e300, math.nan, math.inf, 0.0):
        with pytest.raises(ParameterError) as refusal:
            integers("value", np.array([value]))
        messages.add(str(refusal.value))
    assert len(messages) == 1


@given(st.lists(st.tuples(held, int64s), max_size=20))
def test_int64_sums_saturate_and_never_wrap(pairs: list[tuple[int, int]]) -> None:
    value = np.array([pair[0] for pair in pairs], dtype=np.int64)
    noise = np.array([pair[1] for pair in pairs], dtype=np.int64)
    found = wide_add(value, noise)
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.int64
    assert found.tolist() == [clamp(a + b) for a, b in pairs]


@given(held, st.integers(-(10**30), 10**30))
def test_a_saturated_draw_gives_what_the_unbounded_draw_would(value: int, draw: int) -> None:
    saturated = np.array([clamp(draw, 2**63 - 1)])
    assert np.asarray(wide_add(np.array([value]), saturated)).tolist() == [clamp(value + draw)]


@given(st.integers(), int64s)
def test_a_lone_integer_is_added_exactly(value: int, draw: int) -> None:
    found = wide_add(value, np.array(draw))
    assert type(found) is int
    assert found == value + draw


@given(st.lists(st.tuples(st.integers(-(10**50), 10**50), st.integers(-(10**50), 10**50)), max_size=10))
def test_wide_arrays_are_added_exactly(pairs: list[tuple[int, int]]) -> None:
    value = wide_array([pair[0] for pair in pairs], (len(pairs),))
    noise = wide_array([pair[1] for pair in pairs], (len(pairs),))
    found = wide_add(value, noise)
    assert isinstance(found, np.ndarray)
    assert found.dtype == object
    assert found.tolist() == [a + b for a, b in pairs]


def test_wide_values_take_int64_noise_without_wrapping() -> None:
    found = wide_add(wide_array([2**63, 10**30], (2,)), np.array([2**63 - 1, -(2**63) + 1]))
    assert np.asarray(found).tolist() == [2**64 - 1, 10**30 - 2**63 + 1]


def test_shapes_are_kept() -> None:
    assert np.shape(wide_add(np.zeros((2, 3), dtype=np.int64), np.ones((2, 3), dtype=np.int64))) == (2, 3)
    assert np.shape(wide_add(wide_array([1, 2], (2, 1)), np.ones((2, 1), dtype=np.int64))) == (2, 1)
    lone = wide_add(wide_array([5], ()), np.array(1))
    assert isinstance(lone, np.ndarray)
    assert (lone.shape, lone.item()) == ((), 6)


def test_wide_are_python_ints_and_object_arrays() -> None:
    assert is_wide(5)
    assert is_wide(wide_array([5], (1,)))
    assert not is_wide(np.array([5]))


def test_a_wide_array_holds_the_very_ints() -> None:
    found = wide_array([10**40, -1, 0, 2], (2, 2))
    assert found.tolist() == [[10**40, -1], [0, 2]]
    assert wide_array([], (0, 3)).shape == (0, 3)
