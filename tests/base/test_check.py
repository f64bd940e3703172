"""Parameters come back in one exact form, or are refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base import check
from discreet.base.errors import ParameterError

NOT_NUMBERS: list[Any] = [
    True,
    False,
    np.True_,
    "1",
    b"1",
    None,
    1j,
    [1],
    (1,),
    np.array([1.0]),
    {},
    np.longdouble(1),
]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float32("nan"), np.float64("inf"), Decimal("NaN"), Decimal("-Infinity")]


def refusal(call: Callable[[], object]) -> ParameterError:
    with pytest.raises(ParameterError) as found:
        call()
    return found.value


@pytest.mark.parametrize("value", [*NOT_NUMBERS, *NOT_FINITE], ids=repr)
def test_what_is_no_finite_real_number_is_refused(value: Any) -> None:
    assert refusal(lambda: check.real("scale", value)).name == "scale"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_returned_as_it_is(value: float) -> None:
    assert check.real("x", value) == value
    assert type(check.real("x", value)) is float


@given(st.fractions() | st.integers())
def test_a_rational_number_is_returned_without_rounding(value: Fraction | int) -> None:
    found = check.real("x", value)
    assert Fraction(found) == value
    assert isinstance(found, float) == (Fraction(float(value)) == value)


@pytest.mark.parametrize("value", [2**53 + 1, -(10**300), Fraction(1, 3), Fraction(1, 10**400)])
def test_numbers_that_no_float_equals_stay_fractions(value: Any) -> None:
    found = check.real("x", value)
    assert type(found) is Fraction
    assert found == value


@pytest.mark.parametrize("value", [np.float32(0.1), np.float16(3), np.int8(-5), np.uint64(2**64 - 1), np.float64(0.1)])
def test_numpy_numbers_keep_their_exact_value(value: Any) -> None:
    assert Fraction(check.real("x", value)) == Fraction(value.item())


@pytest.mark.parametrize(
    "value",
    [10**400, -(10**400), Fraction(10**400, 3), Decimal("1e400")],
    ids=["1e400", "-1e400", "1e400 / 3", "a decimal"],
)
def test_numbers_beyond_every_float_are_refused(value: Any) -> None:
    assert refusal(lambda: check.real("x", value)).name == "x"


@pytest.mark.parametrize("text", ["0.1", "0.5", "-3", "1e-400"])
def test_a_decimal_is_the_number_it_says(text: str) -> None:
    assert Fraction(check.real("x", Decimal(text))) == Fraction(text)


def test_open_bounds_exclude_themselves_and_closed_bounds_do_not() -> None:
    assert refusal(lambda: check.real("x", 0, above=0)).allowed == "a finite number > 0"
    assert refusal(lambda: check.real("x", 1.0, below=1)).allowed == "a finite number < 1"
    assert check.real("x", 0, least=0) == 0
    assert check.real("x", 1, most=1) == 1


def test_bounds_are_compared_without_rounding() -> None:
    assert check.real("x", Fraction(1, 10**400), above=0) > 0
    assert refusal(lambda: check.real("x", 1 + Fraction(1, 10**400), most=1)).name == "x"
    assert refusal(lambda: check.real("x", Fraction(-1, 10**400), least=0)).name == "x"
    assert check.real("x", 1 - Fraction(1, 10**400), below=1) < 1


def test_a_refusal_says_all_bounds() -> None:
    error = refusal(lambda: check.real("rate", 7, above=0, most=1))
    assert str(error) == "rate must be a finite number > 0 and <= 1; got 7"
    assert "a whole number >= 1 and <= 9" in str(refusal(lambda: check.integer("n", 0, least=1, most=9)))


@pytest.mark.parametrize("value", [*NOT_NUMBERS, *NOT_FINITE, 1.0, 1.5, np.float64(2), Fraction(7, 2)], ids=repr)
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    assert refusal(lambda: check.integer("n", value)).name == "n"


@pytest.mark.parametrize("value", [0, -7, 10**400, np.int8(3), np.uint64(2**64 - 1)])
def test_a_whole_number_becomes_a_python_int(value: Any) -> None:
    assert type(check.integer("n", value)) is int
    assert check.integer("n", value) == value


def test_the_bounds_of_a_whole_number_are_included() -> None:
    assert check.integer("n", 1, least=1, most=3) == 1
    assert check.integer("n", 3, least=1, most=3) == 3
    for value in (0, 4):
        assert refusal(lambda value=value: check.integer("n", value, least=1, most=3)).name == "n"  # type: ignore[misc]


def test_a_positive_number_is_above_zero() -> None:
    assert check.positive("epsilon", 5e-324) == 5e-324
    for value in (0, -0.0, -1):
        with pytest.raises(ParameterError, match="epsilon"):
            check.positive("epsilon", value)


def test_a_delta_may_be_0_and_not_1() -> None:
    assert check.delta("delta", 0) == 0
    assert check.delta("delta", 1 - 2.0**-53) < 1
    for value in (1, 1.5, -1e-300):
        with pytest.raises(ParameterError, match="delta"):
            check.delta("delta", value)


def test_a_confidence_lies_strictly_between_0_and_1() -> None:
    assert check.confidence(0.95) == 0.95
    for value in (0, 1, 95, -0.5, math.nan):
        with pytest.raises(ParameterError, match="confidence"):
            check.confidence(value)


def test_a_choice_is_one_of_the_words_allowed() -> None:
    assert check.choice("kind", "a", ("a", "b")) == "a"
    for value in ("c", "A", None, 1, ["a"]):
        with pytest.raises(ParameterError, match="one of 'a', 'b'"):
            check.choice("kind", value, ("a", "b"))


def test_a_flag_is_true_or_false_and_nothing_else() -> None:
    assert check.flag("monotone", True) is True
    assert check.flag("monotone", False) is False
    for value in (0, 1, "yes", None, np.True_):
        assert refusal(lambda value=value: check.flag("monotone", value)).name == "monotone"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("value", "shape"), [(0, (0,)), (5, (5,)), ((), ()), ((2, 3), (2, 3)), (np.int64(4), (4,)), ((np.int8(1),), (1,))]
)
def test_a_shape_is_a_tuple_of_python_ints(value: Any, shape: tuple[int, ...]) -> None:
    found = check.shape("size", value)
    assert found == shape
    assert all(type(part) is int for part in found)


@pytest.mark.parametrize("value", [-1, 1.0, True, "3", None, [3], (2, -1), (1.5,), (True,), ((1,),), np.array([2])])
def test_what_is_no_shape_is_refused(value: Any) -> None:
    assert refusal(lambda: check.shape("size", value)).name == "size"
