"""Amounts: a float is the decimal that it prints as, what code computes is itself."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.privacy import PureLoss
from discreet.privacy.amounts import read_amount, read_decimal, read_down, read_for_sums, read_up, state_amount
from discreet.privacy.charges import charge_of

amounts = st.floats(1e-300, 1e300)


@given(amounts)
def test_bounds_hold_for_both_readings_of_a_float(value: float) -> None:
    assert read_down(value) <= min(Fraction(value), read_decimal(value))
    assert read_up(value) >= max(Fraction(value), read_decimal(value))


@given(amounts)
def test_a_float_comes_back_and_a_fraction_is_never_lowered(value: float) -> None:
    assert read_decimal(value) == Fraction(repr(value))
    assert read_for_sums(value) == read_decimal(value)
    assert read_for_sums(Fraction(value)) >= Fraction(value)
    assert state_amount("epsilon", value) == value
    assert type(state_amount("epsilon", read_decimal(value))) is float


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(0.1), Fraction(1, 10**40) + 1])
def test_what_prints_as_no_float_stays_a_fraction(value: Fraction) -> None:
    assert state_amount("epsilon", value) == value
    assert isinstance(state_amount("epsilon", value), Fraction)


def test_decimals_and_whole_numbers_are_what_they_say() -> None:
    assert read_amount("epsilon", Decimal("0.3")) == Fraction(3, 10)
    assert read_amount("epsilon", 2) == 2
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        read_amount("epsilon", -1, least=0)


def test_a_decimal_is_another_loss_than_the_double_nearest_to_it() -> None:
    """Python calls 0.1 and Fraction(0.1) equal, and a cache would charge the second as the first."""
    written, computed = PureLoss(0.1), PureLoss(Fraction(0.1))
    assert written != computed
    assert charge_of(written).epsilon == Fraction(1, 10)
    assert charge_of(computed).epsilon == Fraction(0.1)
    assert written == PureLoss(Fraction(1, 10))
    assert len({written, computed, PureLoss(Decimal("0.1"))}) == 2  # type: ignore[arg-type]
