"""Types come from the table alone, and whole numbers provably fit."""

from __future__ import annotations

import itertools
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.functions import MOST_BITS, bits_of, call

COLUMNS = {type_: Column("t", type_.value, type_) for type_ in Type}
INTEGER = COLUMNS[Type.INTEGER]


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "in"])
def test_only_what_is_alike_is_compared(name: str) -> None:
    for a, b in itertools.product(Type, repeat=2):
        alike = a is b or (a.numeric and b.numeric) or {a, b} == {Type.DATE, Type.TIMESTAMP}
        if alike:
            assert call(name, COLUMNS[a], COLUMNS[b]).type is Type.BOOLEAN
        else:
            with pytest.raises(QueryError, match="cannot be applied to"):
                call(name, COLUMNS[a], COLUMNS[b])


def test_numbers_are_whole_where_all_their_parts_are() -> None:
    for name in ("add", "sub", "mul"):
        assert call(name, INTEGER, INTEGER).type is Type.INTEGER
        assert call(name, INTEGER, COLUMNS[Type.DECIMAL]).type is Type.FLOAT
    assert call("div", INTEGER, INTEGER).type is Type.FLOAT
    assert call("coalesce", INTEGER, COLUMNS[Type.FLOAT]).type is Type.FLOAT
    assert call("case", COLUMNS[Type.BOOLEAN], INTEGER, INTEGER).type is Type.INTEGER
    for wrong in (("mod", INTEGER, COLUMNS[Type.FLOAT]), ("add", INTEGER, COLUMNS[Type.TEXT])):
        with pytest.raises(QueryError, match="cannot be applied to"):
            call(*wrong)


def test_what_could_need_more_than_38_digits_is_refused() -> None:
    square = call("mul", INTEGER, INTEGER)
    assert bits_of(square) == 126
    with pytest.raises(QueryError, match="more than 38 digits"):
        call("mul", square, Literal(2, Type.INTEGER))
    with pytest.raises(QueryError, match="more than 38 digits"):
        call("add", square, square)


WORST = (-(2**63), 2**63 - 1)
OPERATIONS = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "mod": None}


@given(st.lists(st.sampled_from(["add", "sub", "mul", "neg", "abs"]), max_size=8), st.integers(-(2**40), 2**40))
def test_no_whole_number_leaves_its_bits(names: list[str], constant: int) -> None:
    def step(made: tuple[Expression, set[int]], name: str) -> tuple[Expression, set[int]]:
        expression, values = made
        if name in ("neg", "abs"):
            return call(name, expression), {-value if name == "neg" else abs(value) for value in values}
        operation = OPERATIONS[name]
        assert operation is not None
        found = {operation(value, constant) for value in values} | {operation(value, -constant) for value in values}
        return call(name, expression, Literal(constant, Type.INTEGER)), found

    start: tuple[Expression, set[int]] = (INTEGER, set(WORST))
    try:
        expression, values = reduce(step, names, start)
    except QueryError:
        return
    assert max(abs(value) for value in values) <= 2 ** bits_of(expression) <= 2**MOST_BITS
    assert isinstance(expression, Call | Column)
