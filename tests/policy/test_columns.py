"""Bounds and categories are public facts: in order, of one kind, and of the column's type."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

import pytest

from discreet.base.types import Type
from discreet.policy import DeclaredColumn
from discreet.policy.model import MOST_LONGEST, USUAL_LONGEST
from support.policies import read, refusal, refusals, table


def column(facts: str) -> DeclaredColumn:
    return read(table("", f"c = {{ {facts} }}")).table("t").columns[0]


def wrong(facts: str) -> str:
    """Return the one complaint about a column `c` with these facts, from the column's key on."""
    line = refusal(table("", f"c = {{ {facts} }}"))
    assert line.startswith("tables.t.columns.c")
    return line.removeprefix("tables.t.columns.c")


def test_dates_and_points_in_time_are_bounds_too() -> None:
    assert column("lower = 2020-01-01, upper = 2020-12-31").lower == date(2020, 1, 1)
    found = column("lower = 2020-01-01T00:00:00, upper = 2020-01-01T00:00:00-01:00")
    assert (found.lower, found.upper) == (datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("lower", "upper", "shown"),
    [
        ("110", "0", "lower = 110 is not below upper = 0"),
        ("1.50", "1.5", "lower = 1.5 is not below upper = 1.5"),
        ("2020-01-02", "2020-01-01", "lower = 2020-01-02 is not below upper = 2020-01-01"),
        (
            "2020-01-01T00:00:00Z",
            "2020-01-01T00:30:00+01:00",
            "lower = 2020-01-01T00:00:00Z is not below upper = 2019-12-31T23:30:00Z",
        ),
    ],
)
def test_bounds_the_wrong_way_round_are_refused(lower: str, upper: str, shown: str) -> None:
    assert wrong(f"lower = {lower}, upper = {upper}") == (
        f": {shown}; write the least value as lower and the greatest as upper"
    )


def test_bounds_come_in_pairs() -> None:
    assert wrong("lower = 0") == ": lower is there and upper is missing; write both lower and upper, or neither"
    assert wrong("upper = 0") == ": upper is there and lower is missing; write both lower and upper, or neither"


@pytest.mark.parametrize("pair", ["lower = 0, upper = 2020-01-01", "lower = 2020-01-01, upper = 2020-01-02T00:00:00Z"])
def test_both_bounds_are_of_one_kind(pair: str) -> None:
    assert wrong(pair).endswith("are of different kinds; write two numbers, two dates or two points in time")


@pytest.mark.parametrize("value", ['"0"', "true", "inf", "nan", "12:00:00", "[0]", "1e200"])
def test_a_bound_is_a_finite_number_or_a_time(value: str) -> None:
    line = wrong(f"lower = {value}, upper = 9")
    assert line.startswith(".lower: is ")
    assert line.endswith("write a number, a date or a point in time without quotes, such as lower = 0")


def test_a_step_is_above_0_and_within_the_bounds() -> None:
    assert column("lower = 0, upper = 1, step = 1").step == 1
    assert wrong("lower = 0, upper = 1, step = 1.5") == ".step: is wider than upper - lower; write a smaller step"
    assert wrong("lower = 0, upper = 1, step = 0") == ".step: is 0; write a number above 0, such as step = 0.01"
    assert wrong("lower = 0, upper = 1, step = -0.1").startswith(".step: is -0.1; write a number above 0")
    assert wrong('lower = 0, upper = 1, step = "1"').startswith('.step: is "1", not a number')
    assert wrong("step = 0.5") == ".step: is for columns with bounds; write lower and upper as well"
    assert wrong("lower = 2020-01-01, upper = 2021-01-01, step = 1") == ".step: is for numbers; take step out"


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ('["b", "a", "B"]', ("b", "a", "B")),
        ("[3, 1]", (3, 1)),
        ("[true, false]", (True, False)),
        ("[2020-01-01]", (date(2020, 1, 1),)),
        ("[2020-01-01T00:00:00]", (datetime(2020, 1, 1, tzinfo=UTC),)),
    ],
)
def test_categories_are_kept_in_the_order_written(values: str, found: tuple[Any, ...]) -> None:
    assert column(f"values = {values}").values == found


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ("[]", "is []"),
        ('"north"', 'is "north"'),
        ("[1.5]", "has what is no text, whole number"),
        ("[[1]]", "has what is no text, whole number"),
        ('["a", 1]', "has values of different kinds"),
        ("[1, true]", "has values of different kinds"),
        ("[2020-01-01, 2020-01-01T00:00:00Z]", "has values of different kinds"),
    ],
)
def test_what_is_no_list_of_categories_is_refused(values: str, line: str) -> None:
    found = wrong(f"values = {values}")
    assert found.startswith(f".values: {line}")
    assert found.endswith('write all categories of one kind, such as values = ["north", "south"]')


def test_a_category_is_written_once() -> None:
    assert wrong('values = ["a", "b", "a"]') == '.values: "a" is there twice; write each once'
    line = wrong("values = [2020-01-01T01:00:00+01:00, 2020-01-01T00:00:00Z]")
    assert line == ".values: 2020-01-01T00:00:00Z is there twice; write each once"


def test_categories_lie_within_the_bounds() -> None:
    assert column("lower = 1, upper = 3, values = [1, 2, 3]").values == (1, 2, 3)
    assert wrong("lower = 1, upper = 3, values = [1, 4]") == (
        ".values: the value 4 is outside of lower and upper; take it out or widen the bounds"
    )
    assert wrong('lower = 1, upper = 3, values = ["1"]').startswith(": values and bounds are of different kinds; write")


@pytest.mark.parametrize(
    ("type_", "facts", "line"),
    [
        ("text", "lower = 0, upper = 1", "lower = 0 is no bound for a column of type text"),
        ("boolean", "lower = 0, upper = 1", "lower = 0 is no bound for a column of type boolean"),
        ("date", "lower = 0, upper = 1", "lower = 0 is no bound for a column of type date"),
        ("timestamp", "lower = 2020-01-01, upper = 2021-01-01", "lower = 2020-01-01 is no bound for a column of type"),
        ("date", "lower = 2020-01-01T00:00:00Z, upper = 2021-01-01T00:00:00Z", "lower = 2020-01-01T00:00:00Z is no"),
        (
            "float",
            "lower = 2020-01-01, upper = 2021-01-01",
            "lower = 2020-01-01 is no bound for a column of type float",
        ),
    ],
)
def test_bounds_fit_the_type(type_: str, facts: str, line: str) -> None:
    lines = refusals(table("", f'c = {{ type = "{type_}", {facts} }}'))
    assert lines[0].startswith(f"tables.t.columns.c: {line}")
    assert "; write" in lines[0] or "; take lower and upper out" in lines[0]
    assert len(lines) == 2  # the upper bound as well


def test_bounds_of_integers_are_whole_and_of_64_bits() -> None:
    assert column('type = "integer", lower = 0.0, upper = 1e2').upper == 100
    for lower, upper in [("-0.5", "3"), ("-9223372036854775809", "0")]:
        line = wrong(f'type = "integer", lower = {lower}, upper = {upper}')
        assert line == (
            f": lower = {lower} is no bound for a column of type integer; write whole numbers of at most 64 bits"
        )
    assert column('type = "float", lower = -0.5, upper = 3').lower == Fraction(-1, 2)


@pytest.mark.parametrize(
    ("type_", "values", "remedy"),
    [
        ("integer", '["1"]', "write whole numbers of at most 64 bits, without quotes"),
        ("integer", "[9223372036854775808]", "write whole numbers of at most 64 bits, without quotes"),
        ("integer", "[true]", "write whole numbers of at most 64 bits, without quotes"),
        ("text", "[1]", "write text in quotes"),
        ("boolean", "[0, 1]", "write true and false"),
        ("date", '["2020-01-01"]', "write dates without quotes"),
        ("timestamp", "[2020-01-01]", "write points in time without quotes"),
    ],
)
def test_categories_fit_the_type(type_: str, values: str, remedy: str) -> None:
    line = wrong(f'type = "{type_}", values = {values}')
    assert line.startswith(": values has ")
    assert f"which no column of type {type_} holds; {remedy}" in line


def test_texts_have_a_longest_length_declared_or_usual_or_that_of_their_categories() -> None:
    assert column("longest = 200").most_letters == 200
    assert column("longest = 65536").most_letters == MOST_LONGEST == 65_536
    assert column('type = "text"').most_letters == USUAL_LONGEST == 1_024
    assert column('values = ["north", "icu"]').most_letters == 5
    assert column('values = ["\\U0001F600\\U0001F600"]').most_letters == 2
    assert column('values = [""]').most_letters == 1
    assert column('values = ["north", "icu"], longest = 40').most_letters == 40


def test_a_longest_length_fits_the_type_and_the_categories() -> None:
    assert wrong("longest = 65537") == ".longest: is 65537; write at most 65536 letters"
    assert wrong("longest = 0") == ".longest: is 0; write a whole number of at least 1, such as longest = 10"
    assert wrong('longest = "9"').startswith('.longest: is "9"; write a whole number')
    assert wrong('values = ["north"], longest = 4') == (
        ".longest: is 4, and the longest of the values has 5 letters; take it out"
    )
    assert wrong('type = "integer", longest = 4') == (
        ": longest is for texts, and the column's type is integer; take longest out"
    )
    assert wrong(f'values = ["{"a" * 65537}"]') == ".values: has a text of more than 65536 letters; write shorter ones"


def test_types_are_those_that_columns_have() -> None:
    for type_ in Type:
        assert column(f'type = "{type_}"').type is type_
    line = wrong('type = "int"')
    assert line.startswith('.type: is "int"; write one of "boolean", "integer", "decimal"')


def test_an_unknown_fact_is_refused_with_the_nearest_known() -> None:
    assert wrong("lowr = 0") == ".lowr: is not known; did you mean lower?"


def test_a_hundred_thousand_categories_are_read_at_once() -> None:
    """Comparing each with each would take minutes."""
    values = ", ".join(f'"code {at}"' for at in range(100_000))
    start = time.monotonic()
    assert len(column(f"values = [{values}]").values or ()) == 100_000
    assert wrong(f'values = [{values}, "code 7"]') == '.values: "code 7" is there twice; write each once'
    assert time.monotonic() - start < 100


def test_decimals_may_say_how_many_digits_they_have() -> None:
    assert (column('type = "decimal(15,2)"').type, column('type = "decimal(15, 2)"').digits) == (Type.DECIMAL, (15, 2))
    assert column('type = "decimal"').digits is None
    for written in ("decimal(38,2)", "decimal(2,3)", "decimal(0,0)"):
        assert "write at most 37 digits" in wrong(f'type = "{written}"')
    assert "write one of" in wrong('type = "decimal(15)"')
