"""Numbers are shown with the digits that their intervals justify, and intervals never too narrow."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers.fields import Number
from discreet.answers.numbers import format_interval, format_percent, format_price, format_value, to_float


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "true"),
        (1234567, "1,234,567"),
        (-(10**30), "-1" + ",000" * 10),
        (Decimal("1234.50"), "1,234.50"),
        (Decimal("1E+3"), "1,000"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (0.1 + 0.2, "0.3"),
        ("text", "text"),
        (date(2020, 1, 2), "2020-01-02"),
        (datetime(2020, 1, 2, 3, 4, 5), "2020-01-02 03:04:05Z"),
    ],
)
def test_values_as_people_read_them(value: object, text: str) -> None:
    assert format_value(value) == text


def test_a_key_such_as_a_year_has_no_separators() -> None:
    assert format_value(2024, noisy=False) == "2024"
    assert [format_value(key, noisy=False) for key in (300.0, 2.5, -0.1)] == ["300", "2.5", "-0.1"]


@pytest.mark.parametrize(
    ("value", "pair", "text"),
    [
        (98765.4321, (98642.0, 98888.8642), "98,765 ± 124"),
        (3.14159, (3.04159, 3.24159), "3.14 ± 0.11"),
        (12, (9.5, 14.5), "12 ± 3"),
        (1.5, (1.4, 1.6), "1.50 ± 0.10"),
        (Decimal("12.50"), (Decimal("12.13"), Decimal("12.87")), "12.50 ± 0.37"),
        (5, (0, 9), "5 (0 .. 9)"),
        (5, (0, math.inf), "5 (0 .. inf)"),
        (None, (0, 9), "- (0 .. 9)"),
        (3.2e20, (3.1e20, 3.3e20), "3.20e+20 ± 1.0e+19"),
        (0.0, (0.0, 0.0), "0 ± 0"),
        (2**80, (2**80 - 7, 2**80 + 7), f"{2**80:,} ± 7"),
    ],
)
def test_the_interval_says_how_many_digits_count(value: object, pair: tuple[Number, Number], text: str) -> None:
    assert f"{format_value(value, pair)} {format_interval(value, pair)}" == text


def covered(value: Number, pair: tuple[Number, Number]) -> tuple[Fraction, Fraction]:
    words = format_interval(value, pair).replace(",", "")
    if words.startswith("±"):
        centre, half = Fraction(format_value(value, pair).replace(",", "")), Fraction(words[2:])
        return centre - half, centre + half
    low, high = words.strip("()").split(" .. ")
    return Fraction(low), Fraction(high)


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE, FINITE)
def test_what_is_shown_covers_the_interval(value: float, one: float, other: float) -> None:
    pair = (min(one, other), max(one, other))
    low, high = covered(value, pair)
    left = (Fraction(pair[1]) - Fraction(pair[0])) / 10**9
    assert low <= Fraction(pair[0]) + left
    assert high >= Fraction(pair[1]) - left


@given(st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=3), st.integers(0, 10**20))
def test_exact_values_are_shown_exactly_beside_their_interval(value: int | Decimal, half: int) -> None:
    pair = (Fraction(value) - half, Fraction(value) + half)
    if isinstance(value, int):
        assert covered(value, (value - half, value + half)) == pair
    assert Fraction(format_value(value).replace(",", "")) == Fraction(value)


@given(FINITE.filter(lambda x: 1e-300 < abs(x) < 1e300), st.integers(1, 12))
def test_no_digits_beyond_the_noise(value: float, digits: int) -> None:
    half = abs(value) * 10.0**-digits
    shown_digits = sum(
        c.isdigit() for c in format_value(value, (value - half, value + half)).split("e")[0].lstrip("-0.,")
    )
    assert shown_digits <= max(digits + 3, 15)


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_prices_are_rounded_up(value: Fraction) -> None:
    told = Fraction(format_price(value))
    assert value * (1 - Fraction(1, 10**11)) <= told <= value * (1 + Fraction(1, 10**4))


def test_words_for_prices_and_confidences() -> None:
    assert [format_price(x) for x in (Fraction(1, 10), 0.1, 0.1 + 0.2, 0.0, math.inf, 1e-9)] == [
        "0.1",
        "0.1",
        "0.3",
        "0",
        "inf",
        "1e-9",
    ]
    assert [format_percent(x) for x in (0.95, 0.5, 0.999, 0.1)] == ["95 %", "50 %", "99.9 %", "10 %"]


def test_drawing_takes_every_number() -> None:
    assert to_float(10**400) == math.inf
    assert to_float(-(10**400)) == -math.inf
    assert all(math.isnan(to_float(value)) for value in (None, "x", True))
