"""What conditions say: only what every row fulfils, and only in the type of the key."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from discreet.base.types import Type
from discreet.plan.expressions import Column, Constant, Expression, Literal
from discreet.plan.functions import call
from discreet.query.bounding.conditions import list_ends, list_values, replace_parts, split_terms

TEXT, WHOLE, DAY, AT = (
    Column("t0", name, kind)
    for name, kind in (("city", Type.TEXT), ("age", Type.INTEGER), ("day", Type.DATE), ("at", Type.TIMESTAMP))
)
MOMENT = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def text(value: str | None) -> Literal:
    return Literal(value, Type.TEXT)


def number(value: int | Fraction) -> Literal:
    return Literal(value, Type.INTEGER if isinstance(value, int) else Type.FLOAT)


def value_of(expression: Expression) -> Constant:
    assert isinstance(expression, Literal)
    return expression.value


CITY = call("eq", TEXT, text("Aachen"))
YOUNG = call("lt", WHOLE, number(18))


def test_and_joins_terms_and_nothing_else_does() -> None:
    inner = call("and", CITY, call("or", CITY, YOUNG))
    assert list(split_terms(call("and", YOUNG, inner))) == [YOUNG, CITY, call("or", CITY, YOUNG)]
    assert list(split_terms(call("not", call("and", CITY, YOUNG)))) == [call("not", call("and", CITY, YOUNG))]
    assert list(split_terms(None)) == []


@pytest.mark.parametrize(
    ("condition", "target", "values"),
    [
        (CITY, TEXT, ("Aachen",)),
        (call("eq", text("Bonn"), TEXT), TEXT, ("Bonn",)),
        (call("in", TEXT, text("a"), text("b"), text("a"), text(None)), TEXT, ("a", "b")),
        (call("or", CITY, call("in", TEXT, text("b"))), TEXT, ("Aachen", "b")),
        (call("and", YOUNG, CITY), TEXT, ("Aachen",)),
        (call("is_true", CITY), TEXT, ("Aachen",)),
        (call("in", call("lower", TEXT), text("a")), call("lower", TEXT), ("a",)),
        (call("in", WHOLE, number(1), number(Fraction(3, 2)), number(Fraction(1))), WHOLE, (1,)),
        (call("eq", DAY, Literal(dt.date(2026, 3, 1), Type.DATE)), DAY, (dt.date(2026, 3, 1),)),
        (call("eq", AT, Literal(MOMENT, Type.TIMESTAMP)), AT, (MOMENT,)),
        # what does not say
        (call("or", CITY, YOUNG), TEXT, None),
        (call("not", CITY), TEXT, None),
        (call("ne", TEXT, text("a")), TEXT, None),
        (call("eq", call("lower", TEXT), text("a")), TEXT, None),
        (call("eq", TEXT, call("lower", TEXT)), TEXT, None),
        (YOUNG, WHOLE, None),
        (call("eq", WHOLE, number(2**63)), WHOLE, None),
        (call("eq", DAY, Literal(MOMENT, Type.TIMESTAMP)), DAY, None),
        (call("eq", AT, Literal(dt.date(2026, 3, 1), Type.DATE)), AT, None),
    ],
)
def test_values_that_a_condition_lists(
    condition: Expression, target: Expression, values: tuple[Constant, ...] | None
) -> None:
    assert list_values(condition, target, value_of) == values


def test_floats_are_never_listed() -> None:
    cost = Column("t0", "cost", Type.FLOAT)
    assert list_values(call("eq", cost, number(1)), cost, value_of) is None


def test_decimals_are_listed_exactly_and_never_beside_floats() -> None:
    price = Column("t0", "price", Type.DECIMAL, digits=(15, 2))
    cents = [Literal(Fraction(each, 1000), Type.DECIMAL) for each in (70, 75, 500)]
    assert list_values(call("in", price, *cents), price, value_of) == (Fraction(7, 100), Fraction(1, 2))
    assert list_values(call("eq", price, number(1)), price, value_of) == (1,)
    assert list_values(call("eq", price, Literal(Fraction(1, 2), Type.FLOAT)), price, value_of) is None


def test_ends_of_comparisons() -> None:
    both = call("and", call("ge", WHOLE, number(3)), call("gt", number(9), WHOLE))
    assert list(list_ends(both, WHOLE, value_of)) == [("ge", 3), ("lt", 9)]
    assert list(list_ends(call("or", YOUNG, CITY), WHOLE, value_of)) == []
    assert list(list_ends(call("lt", WHOLE, call("abs", WHOLE)), WHOLE, value_of)) == []


def test_the_largest_part_is_replaced_first() -> None:
    lower = call("lower", TEXT)
    there = Column("t1", "town", Type.TEXT)
    assert replace_parts(call("eq", lower, TEXT), {lower: there}) == call("eq", there, TEXT)
    assert replace_parts(call("eq", lower, TEXT), {lower: there, TEXT: text("x")}) == call("eq", there, text("x"))
