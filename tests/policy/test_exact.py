"""Numbers are exactly as written, on the way in and on the way out."""

from __future__ import annotations

import doctest
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.policy import exact

DECIMALS = st.builds(lambda digits, places: Fraction(digits, 10**places), st.integers(), st.integers(0, 100))


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(exact).failed == 0


@given(DECIMALS)
def test_a_decimal_comes_back_from_its_text(number: Fraction) -> None:
    assert exact.fraction(exact.parse_number(exact.write_number(number))) == number


@given(st.fractions())
def test_every_number_has_one_text(number: Fraction) -> None:
    assert Fraction(exact.write_number(number)) == number


@pytest.mark.parametrize(
    "value", [True, "1", None, 1.5, Decimal("nan"), Decimal("-inf"), Decimal("1e120"), Decimal("1e-121"), 10**120]
)
def test_what_is_no_ordinary_number_is_none(value: object) -> None:
    assert exact.fraction(value) is None


@pytest.mark.parametrize("text", ["1e99999999999999999999", "1e999999999", "0e999999999", "-1e-999999999"])
def test_absurd_exponents_cost_no_time(text: str) -> None:
    assert exact.fraction(exact.parse_number(text)) is None


def test_underscores_are_allowed_as_in_toml() -> None:
    assert exact.fraction(exact.parse_number("1_000.000_1")) == Fraction(10000001, 10000)


@given(st.integers(1, 10**30))
def test_a_limit_is_told_rounded_down(size: int) -> None:
    limit = Fraction(1, 100) / size
    told = Fraction(exact.round_below(limit))
    assert limit * Fraction(9, 10) < told <= limit
