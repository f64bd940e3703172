"""Types come from the table alone, and whole numbers provably fit."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal, Slot, refer, replace_columns
from discreet.plan.functions import (
    FUNCTIONS,
    MOST_BITS,
    MOST_COPIED,
    MOST_DEPTH,
    MOST_GROWTH,
    MOST_SIZE,
    bound_growth,
    call,
    check_expression,
    count_bits,
    count_levels,
    count_nodes,
    may_overflow,
)
from discreet.plan.lowering import refer_to

COLUMNS = {type_: Column("t", type_.value, type_, digits=(15, 2) if type_ is Type.DECIMAL else None) for type_ in Type}
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
        assert call(name, INTEGER, COLUMNS[Type.DECIMAL]).type is Type.DECIMAL
        assert call(name, COLUMNS[Type.DECIMAL], COLUMNS[Type.FLOAT]).type is Type.FLOAT
    assert call("div", INTEGER, INTEGER).type is Type.FLOAT
    assert call("coalesce", INTEGER, COLUMNS[Type.FLOAT]).type is Type.FLOAT
    assert call("case", COLUMNS[Type.BOOLEAN], INTEGER, INTEGER).type is Type.INTEGER
    for wrong in (("int_div", INTEGER, COLUMNS[Type.FLOAT]), ("add", INTEGER, COLUMNS[Type.TEXT])):
        with pytest.raises(QueryError, match="cannot be applied to"):
            call(*wrong)


def test_sums_and_products_are_held_where_they_could_need_more_than_38_digits() -> None:
    square, two = call("mul", INTEGER, INTEGER), Literal(2, Type.INTEGER)
    assert not may_overflow(square)
    for made in (call("mul", square, two), call("add", square, square), call("sub", square, two)):
        assert may_overflow(made)
        assert count_bits(made) == MOST_BITS
        assert count_nodes(made) > 3 * count_nodes(square)
    assert not may_overflow(call("mul", call("as_integer", square), INTEGER))


def test_what_a_subquery_made_has_the_bits_of_what_is_in_it() -> None:
    square = refer_to(call("mul", INTEGER, INTEGER), "s", Slot.OUTPUT, 0)
    assert may_overflow(call("add", square, INTEGER))
    assert not may_overflow(call("add", refer_to(INTEGER, "s", Slot.OUTPUT, 0), INTEGER))
    assert square == refer("s", Slot.OUTPUT, 0, Type.INTEGER), "its bits follow from what is in it"


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
        found = {operation(value, constant) for value in values}
        made_of = call(name, expression, Literal(constant, Type.INTEGER))
        return made_of, {value for value in found if abs(value) < 2**MOST_BITS} if may_overflow(made_of) else found

    start: tuple[Expression, set[int]] = (INTEGER, {*WORST, 0, 1})
    expression, values = reduce(step, names, start)
    assert max((abs(value) for value in values), default=0) <= 2 ** count_bits(expression) <= 2**MOST_BITS
    assert isinstance(expression, Call | Column)


TEXT = COLUMNS[Type.TEXT]


def words(value: str) -> Literal:
    return Literal(value, Type.TEXT)


@pytest.mark.parametrize(
    ("name", "arguments", "factor", "letters"),
    [
        ("concat", (TEXT, words("abc"), TEXT), 2, 3),
        ("join", (TEXT, TEXT), 2, 0),
        ("replace", (TEXT, words("ab"), words("wxyz")), 2, 0),
        ("replace", (TEXT, words("ab"), words("")), 1, 0),
        ("replace", (call("concat", TEXT, words("aaa")), words("a"), words("bcd")), 3, 9),
        ("lpad", (TEXT, Literal(9, Type.INTEGER), words("ab")), 1, 4000),
        ("regexp_replace", (TEXT, words("a"), words("bcd")), 1, 3),
        ("regexp_replace_all", (TEXT, words("a"), words("bcd")), 3, 0),
        ("regexp_replace_all", (TEXT, words("a"), words("")), 1, 0),
        ("lower", (TEXT,), 1, 0),
        ("coalesce", (call("join", TEXT, TEXT), words("abcd")), 2, 4),
        ("as_text", (INTEGER,), 0, 40),
    ],
)
def test_how_long_a_text_can_get(name: str, arguments: tuple[Expression, ...], factor: int, letters: int) -> None:
    assert bound_growth(call(name, *arguments)) == (Fraction(factor), Fraction(letters))


def grown(name: str, made: Expression) -> Expression:
    if name == "lower":
        return call(name, made)
    if name == "replace":
        return call(name, made, words("a"), words("bb"))
    return call("join", call(name, made, made), words("ab"))


def grow(name: str, value: str) -> str:
    if name == "lower":
        return value
    return value.replace("a", "bb") if name == "replace" else value * 2 + "ab"


@given(st.lists(st.sampled_from(["concat", "join", "replace", "lower"]), max_size=9), st.text("ab", max_size=5))
def test_no_text_outgrows_its_bound(names: list[str], value: str) -> None:
    found = reduce(lambda text, name: grow(name, text), names, value)
    try:
        made: Expression = TEXT
        for name in names:
            made = grown(name, made)
    except QueryError:
        assert 2 ** sum(name != "lower" for name in names) > MOST_GROWTH
        return
    factor, letters = bound_growth(made)
    assert len(found) <= factor * len(value) + letters
    assert factor <= MOST_GROWTH


def repeated(times: int, step: Callable[[Expression], Expression], made: Expression) -> Expression:
    return reduce(lambda inner, _: step(inner), range(times), made)


def test_a_text_that_doubles_again_and_again_is_refused() -> None:
    with pytest.raises(QueryError, match="64 times as long"):
        repeated(30, lambda made: call("concat", made, made), TEXT)
    with pytest.raises(QueryError, match="100000 letters"):
        call("replace", words("a" * 60_000), words("a"), words("bb"))


def test_an_expression_counts_as_often_as_it_is_written() -> None:
    assert count_nodes(call("add", INTEGER, INTEGER)) == 3
    assert count_nodes(call("sqrt", INTEGER)) == 1 + FUNCTIONS["sqrt"].copies
    assert count_nodes(call("in", INTEGER, *(Literal(i, Type.INTEGER) for i in range(4000)))) < MOST_SIZE
    with pytest.raises(QueryError, match="more than 5000 parts"):
        repeated(100, lambda made: call("add", made, made), COLUMNS[Type.FLOAT])


def test_a_long_argument_counts_once_however_often_a_form_needs_it() -> None:
    sines = [repeated(times, lambda made: call("sin", made), COLUMNS[Type.FLOAT]) for times in range(20)]
    sizes = [count_nodes(each) for each in sines]
    assert sizes[1] == 1 + FUNCTIONS["sin"].copies
    assert sizes[2] == 1 + FUNCTIONS["sin"].copies * sizes[1]
    assert sizes[2] > MOST_COPIED
    assert [larger - size for size, larger in itertools.pairwise(sizes[2:])] == [1] * 17


def test_an_expression_that_is_nested_too_deeply_is_refused() -> None:
    value = COLUMNS[Type.FLOAT]
    assert count_levels(repeated(MOST_DEPTH - 1, lambda made: call("neg", made), value)) == MOST_DEPTH
    for name, times in (("neg", MOST_DEPTH), ("sin", MOST_DEPTH // 4), ("add", MOST_DEPTH)):
        wide = (value,) if name == "add" else ()
        with pytest.raises(QueryError, match="nested more than 200 deep"):
            repeated(times, lambda made, name=name, wide=wide: call(name, made, *wide), value)  # type: ignore[misc]


def test_what_was_put_in_the_place_of_a_column_is_checked_again() -> None:
    square = call("mul", INTEGER, INTEGER)
    assert check_expression(square) is square
    nested = call("eq", Literal(1, Type.INTEGER), square)
    tens = call("eq", call("round", INTEGER, Literal(-1, Type.INTEGER)), square)
    assert check_expression(replace_columns(nested, lambda column: square))
    with pytest.raises(QueryError, match="more than 38 digits"):
        check_expression(replace_columns(tens, lambda column: square))
    made: Expression = INTEGER
    for _ in range(60):
        made = Call("add", (made, made), Type.INTEGER)
    with pytest.raises(QueryError, match="more than 5000 parts"):
        check_expression(made)


@pytest.mark.parametrize(
    ("name", "type_", "remedy"),
    [
        ("as_text", Type.FLOAT, "cast to INTEGER first"),
        ("as_text", Type.TIMESTAMP, "cast to DATE first"),
        ("int_div", Type.FLOAT, "FLOOR"),
        ("concat", Type.INTEGER, "AS TEXT"),
        ("lower", Type.INTEGER, "CAST"),
    ],
)
def test_refused_types_come_with_a_remedy(name: str, type_: Type, remedy: str) -> None:
    with pytest.raises(QueryError, match=remedy):
        call(name, *(COLUMNS[type_] for _ in range(2 if name == "int_div" else 1)))


def test_whole_numbers_are_rounded_to_tens_within_their_bits() -> None:
    square = call("mul", INTEGER, INTEGER)
    assert count_bits(call("round", square)) == 126
    with pytest.raises(QueryError, match="more than 38 digits"):
        call("round", square, Literal(-1, Type.INTEGER))
