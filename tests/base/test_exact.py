"""Exact numbers as text: one number, one text, and back."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.exact import read_exact, to_exact, write_exact

amounts = st.fractions(min_value=0) | st.floats(min_value=0, allow_nan=False, allow_infinity=True)


@given(amounts)
def test_a_number_comes_back_from_its_text_unchanged(value: Exact) -> None:
    assert read_exact(write_exact(value)) == value


@given(amounts, amounts)
def test_texts_are_equal_exactly_when_numbers_are(a: Exact, b: Exact) -> None:
    assert (write_exact(a) == write_exact(b)) is (a == b)


@given(amounts)
def test_floats_are_taken_exactly(value: Exact) -> None:
    taken = to_exact("epsilon", value)
    assert taken == value
    assert isinstance(taken, Fraction) or taken == math.inf


@pytest.mark.parametrize("text", ["", "2/4", "1/0", "01", "-0", "1.5", "1e3", "nan", "-inf", " 1", "1/1", "\u0661"])
def test_a_text_that_is_never_written_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="number"):
        read_exact(text)


@pytest.mark.parametrize("value", [-1, -0.5, math.nan, -math.inf, True, "1", None])
def test_what_is_no_amount_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        to_exact("epsilon", value)


def test_there_is_no_text_for_what_is_no_number() -> None:
    with pytest.raises(ParameterError):
        write_exact(math.nan)
