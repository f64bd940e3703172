"""The type table: for every function and every type, what comes out, or that it is refused."""

from __future__ import annotations

import itertools

import pytest

from discreet.base.types import Type
from discreet.plan.functions import FUNCTIONS
from discreet.plan.signatures import CASTS, Types, exactly

B, I, F, D, S, DAY, TIME = (
    Type.BOOLEAN,
    Type.INTEGER,
    Type.FLOAT,
    Type.DECIMAL,
    Type.TEXT,
    Type.DATE,
    Type.TIMESTAMP,
)
CURVES = "sqrt exp ln log10 log2 sin cos tan asin acos atan radians degrees"

ONE: dict[str, dict[Type, Type]] = {
    **dict.fromkeys(CURVES.split(" "), {I: F, F: F, D: F}),
    **dict.fromkeys(["neg", "abs", "floor", "ceil", "trunc"], {I: I, F: F, D: F}),
    "sign": {I: I, F: I, D: I},
    "round": {I: I, F: F, D: D},
    **dict.fromkeys(["lower", "upper", "reverse", "trim", "ltrim", "rtrim", "concat"], {S: S}),
    "length": {S: I},
    **dict.fromkeys(["not", "is_true", "is_false"], {B: B}),
    "is_null": dict.fromkeys(Type, B),
    "last_day": {DAY: DAY, TIME: DAY},
    **dict.fromkeys(["coalesce", "least", "greatest"], {type_: type_ for type_ in Type}),
    "as_boolean": {B: B, I: B, F: B, D: B, S: B},
    "as_integer": {B: I, I: I, F: I, D: I, S: I},
    "as_float": {B: F, I: F, F: F, D: F, S: F},
    "as_text": {B: S, I: S, S: S, DAY: S},
    "as_date": {S: DAY, DAY: DAY, TIME: DAY},
    "as_timestamp": {S: TIME, DAY: TIME, TIME: TIME},
}
"""Functions of one argument: which types they take, and what they give."""

SOME: list[tuple[str, Types, Type | None]] = [
    ("div", (I, I), F),
    ("int_div", (I, I), I),
    ("int_div", (I, F), None),
    ("mod", (I, I), I),
    ("mod", (I, F), F),
    ("pow", (I, I), F),
    ("pow", (S, I), None),
    ("atan2", (F, I), F),
    ("nullif", (I, F), I),
    ("nullif", (S, I), None),
    ("distinct", (DAY, TIME), B),
    ("least", (I, F), F),
    ("least", (DAY, TIME), None),
    ("like", (S, S), B),
    ("like", (S, S, S), B),
    ("like", (S, I), None),
    ("join", (S, S), S),
    ("join", (S, I), None),
    ("strpos", (S, S), I),
    ("contains", (S, S), B),
    ("substring", (S, I), S),
    ("substring", (S, I, I), S),
    ("substring", (S, F), None),
    ("substring", (I, I), None),
    ("left", (S, I), S),
    ("replace", (S, S, S), S),
    ("lpad", (S, I, S), S),
    ("lpad", (S, S, S), None),
    ("date_trunc", (S, DAY), DAY),
    ("date_trunc", (S, TIME), TIME),
    ("time_trunc", (S, DAY), TIME),
    ("date_trunc", (S, S), None),
    ("date_part", (S, DAY), I),
    ("date_part", (S, I), None),
    ("date_diff", (S, DAY, TIME), I),
    ("date_diff", (S, DAY), None),
    ("plus_days", (DAY, I), DAY),
    ("plus_months", (TIME, I), TIME),
    ("plus_microseconds", (DAY, I), TIME),
    ("plus_days", (DAY, F), None),
    ("plus_days", (S, I), None),
    ("width_bucket", (F, I, F, I), I),
    ("width_bucket", (F, I, F, F), None),
    ("width_bucket", (S, I, F, I), None),
]


@pytest.mark.parametrize("name", sorted(ONE))
def test_functions_of_one_argument(name: str) -> None:
    for type_ in Type:
        assert FUNCTIONS[name].result((type_,)) is ONE[name].get(type_), type_


@pytest.mark.parametrize(("name", "types", "result"), SOME)
def test_functions_of_more_arguments(name: str, types: Types, result: Type | None) -> None:
    assert FUNCTIONS[name].result(types) is result


def test_floats_and_times_never_become_text() -> None:
    assert CASTS[S] & {F, D, TIME} == set()


def test_the_last_type_is_taken_as_often_as_it_comes() -> None:
    rule = exactly(B, I, S)
    for types in itertools.product((I, S), repeat=3):
        assert rule(types) is (B if types == (I, S, S) else None)
    assert rule((I,)) is None
    assert rule(()) is None
