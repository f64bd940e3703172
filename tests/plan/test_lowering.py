"""Decimals become whole numbers of their last places, and nothing else is left of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal, Slot, refer
from discreet.plan.functions import MOST_BITS, call, count_bits, may_overflow
from discreet.plan.lowering import find_digits, lower
from support.decimals import LONG, SHORT, WHOLE, list_calls


def parts(expression: Expression) -> Iterator[Expression]:
    yield expression
    for each in expression.arguments if isinstance(expression, Call) else ():
        yield from parts(each)


def test_no_decimal_is_left() -> None:
    calls = list_calls()
    assert len(calls) > 500
    assert not [made for made in calls if any(each.type is Type.DECIMAL for each in parts(lower(made)))]


def test_both_sides_of_a_comparison_have_the_same_last_place() -> None:
    made = lower(call("lt", SHORT, Literal(Fraction(1, 1000), Type.DECIMAL)))
    assert isinstance(made, Call)
    assert made.arguments[1] == Literal(1, Type.INTEGER)
    assert made.arguments[0] == Call("mul", (lower(SHORT), Literal(10, Type.INTEGER)), Type.INTEGER)
    assert lower(call("eq", WHOLE, Literal(Fraction(7), Type.DECIMAL))).arguments == (WHOLE, Literal(7, Type.INTEGER))  # type: ignore[union-attr]


def test_no_constant_is_larger_than_engines_compute() -> None:
    far = Literal(Fraction(-(10**30)), Type.DECIMAL)
    assert lower(call("lt", LONG, far)).arguments[1] == Literal(-(1 << MOST_BITS), Type.INTEGER)  # type: ignore[union-attr]
    assert lower(call("coalesce", LONG, far)).arguments[1] == Literal(None, Type.INTEGER)  # type: ignore[union-attr]
    wholes = [each.value for made in list_calls() for each in parts(lower(made)) if isinstance(each, Literal)]
    assert max(abs(each) for each in wholes if isinstance(each, int)) == 1 << MOST_BITS


def test_expressions_without_decimals_stay_as_they_are() -> None:
    made = call("and", call("gt", WHOLE, Literal(3, Type.INTEGER)), call("is_null", WHOLE))
    assert lower(made) == made


def test_no_long_argument_is_written_twice() -> None:
    for made in list_calls():
        columns = [each for each in made.arguments if isinstance(each, Column)]
        found = [each for each in parts(lower(made)) if isinstance(each, Column)]
        assert all(
            sum(each.name == column.name for each in found) == sum(each is column for each in parts(made))
            for column in columns
        ), made


def test_digits_hold_every_value_that_is_not_null() -> None:
    assert find_digits(SHORT) == (15, 2)
    assert find_digits(call("mul", SHORT, SHORT)) == (31, 4)
    assert find_digits(call("mul", LONG, SHORT)) == (38, 11)
    assert find_digits(call("as_decimal", LONG, Literal(5, Type.INTEGER), Literal(1, Type.INTEGER))) == (5, 1)
    assert find_digits(WHOLE) is None


def test_a_subquerys_whole_numbers_may_be_as_wide_as_any() -> None:
    wide = refer("t1", Slot.OUTPUT, 0, Type.INTEGER)
    assert count_bits(call("add", wide, Literal(1, Type.INTEGER))) < MOST_BITS
    held = lower(call("add", wide, Literal(Fraction(1, 2), Type.DECIMAL)))
    assert isinstance(held, Call)
    assert may_overflow(held)
    assert count_bits(lower(call("add", WHOLE, Literal(Fraction(1, 2), Type.DECIMAL)))) < MOST_BITS
