"""Rules of interval arithmetic: corners and unknown ends; every function of numbers has one, or none on purpose."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.plan.functions import FUNCTIONS
from discreet.plan.intervals import NOTHING, RULES, WITHOUT, Ends, gcd
from discreet.plan.ranges import HULLS

ELSEWHERE = HULLS | {"least", "greatest", "date_part"}


def ends(lower: Any, upper: Any, step: Any = None) -> Ends:
    return Ends(*(None if each is None else Fraction(each) for each in (lower, upper, step)))


def test_every_function_that_gives_numbers_has_a_rule() -> None:
    numeric = {
        name
        for name, row in FUNCTIONS.items()
        for count in (1, 2, 3)
        for types in itertools.product(Type, repeat=count)
        if (result := _result(row.result, types)) is not None and result.numeric
    }
    assert numeric | {"width_bucket"} == RULES.keys() | WITHOUT | ELSEWHERE


def _result(rule: Any, types: tuple[Type, ...]) -> Type | None:
    try:
        found: Type | None = rule(types)
    except ValueError:
        return None
    return found


SMALL = st.fractions(-20, 20, max_denominator=4)


@given(st.sampled_from(["add", "sub", "mul", "div"]), *(st.lists(SMALL, min_size=2, max_size=2) for _ in range(2)))
def test_all_corners_and_the_middle_are_inside(name: str, first: list[Fraction], second: list[Fraction]) -> None:
    found = RULES[name](ends(min(first), max(first)), ends(min(second), max(second)))
    for x, y in itertools.product([*first, sum(first) / 2], [*second, sum(second) / 2]):
        if name == "div" and y == 0:
            assert found == NOTHING
            continue
        value = {"add": x + y, "sub": x - y, "mul": x * y, "div": x / (y or 1)}[name]
        assert found.lower is None or found.lower <= value
        assert found.upper is None or value <= found.upper


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("add", [ends(1, None), ends(2, 5)], ends(3, None)),
        ("sub", [ends(1, None), ends(2, 5)], ends(-4, None)),
        ("neg", [ends(None, 3)], ends(-3, None)),
        ("mul", [ends(1, None), ends(2, 5)], NOTHING),
        ("mul", [ends(1, 2, "1/2"), ends(None, 5, "1/2")], ends(None, None, "1/4")),
        ("abs", [ends(-3, None)], ends(0, None)),
        ("abs", [ends(-3, -1)], ends(1, 3)),
        ("abs", [ends(2, None)], ends(2, None)),
        ("mod", [ends(-3, None), ends(-5, 4)], ends(-3, 5)),
        ("mod", [ends(0, 2), ends(None, None)], ends(0, 2)),
        ("mod", [ends(-9, -1), ends(2, 4)], ends(-4, 0)),
        ("sign", [ends(0, None)], ends(0, 1, 1)),
        ("sign", [ends(-2, -1)], ends(-1, -1, 1)),
        ("floor", [ends("-1/2", None)], ends(-1, None, 1)),
        ("ceil", [ends("-1/2", "1/2")], ends(0, 1, 1)),
        ("trunc", [ends("-3/2", "3/2")], ends(-1, 1, 1)),
        ("round", [ends("1/3", None)], ends(0, None, 1)),
        ("sqrt", [ends(None, -1)], NOTHING),
        ("sqrt", [ends(None, None)], ends(0, None)),
        ("exp", [ends(None, 1000)], ends(0, None)),
        ("ln", [ends(0, None)], NOTHING),
        ("pow", [ends(0, 4), ends(0, 0)], ends(1, 1)),
        ("pow", [ends(1, 4), ends(-1, -1)], ends("1/4", 1)),
        ("pow", [ends(-4, -2), ends(-1, -1)], ends("-1/2", "-1/4")),
        ("pow", [ends(-4, -2), ends("1/2", "1/2")], NOTHING),
        ("as_integer", [ends("1/2", "5/2")], ends(0, 2, 1)),
    ],
)
def test_ends(name: str, arguments: list[Ends], wanted: Ends) -> None:
    assert RULES[name](*arguments) == wanted


def test_the_finest_common_grid() -> None:
    assert gcd([Fraction(1, 4), Fraction(1, 6)]) == Fraction(1, 12)
    assert gcd([Fraction(3), Fraction(2)]) == 1
    assert gcd([Fraction(3), None]) is None
    assert gcd([]) is None
