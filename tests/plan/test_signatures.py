"""The type table: for every function and every type, what comes out, or that it is refused."""

from __future__ import annotations

import itertools

import pytest

from discreet.base.types import Type
from discreet.plan.functions import FUNCTIONS
from discreet.plan.signatures import CASTS, Types, exactly, texts

B, N, F, D, S, DAY, TIME = (
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
    **{key: {N: F, F: F, D: F} for key in CURVES.split(" ")},
    **{key: {N: N, F: F, D: D} for key in ["neg", "abs", "floor", "ceil", "trunc"]},
    "sign": {N: N, F: N, D: N},
    "round": {N: N, F: F, D: D},
    **{key: {S: S} for key in ["lower", "upper", "reverse", "trim", "ltrim", "rtrim", "concat"]},
    "length": {S: N},
    **{key: {B: B} for key in ["not", "is_true", "is_false"]},
    "is_null": dict.fromkeys(Type, B),
    "last_day": {DAY: DAY, TIME: DAY},
    **{key: {type_: type_ for type_ in Type} for key in ["coalesce", "least", "greatest"]},
    "as_boolean": {B: B, N: B, F: B, D: B, S: B},
    "as_integer": {B: N, N: N, F: N, D: N, S: N},
    "as_float": {B: F, N: F, F: F, D: F, S: F},
    "as_text": {B: S, N: S, S: S, DAY: S},
    "as_date": {S: DAY, DAY: DAY, TIME: DAY},
    "as_timestamp": {S: TIME, DAY: TIME, TIME: TIME},
}
"""Functions of one argument: which types they take, and what they give."""

SOME: list[tuple[str, Types, Type | None]] = [
    ("div", (N, N), F),
    ("int_div", (N, N), N),
    ("int_div", (N, F), None),
    ("mod", (N, N), N),
    ("mod", (N, F), F),
    ("mod", (N, D), D),
    ("mod", (D, F), F),
    *((name, (D, other), found) for name in ("add", "sub", "mul") for other, found in ((N, D), (D, D), (F, F))),
    ("div", (D, D), F),
    ("int_div", (D, N), None),
    ("as_decimal", (S, N, N), D),
    ("as_decimal", (DAY, N, N), None),
    ("as_decimal", (F, N), None),
    ("pow", (N, N), F),
    ("pow", (S, N), None),
    ("atan2", (F, N), F),
    ("nullif", (N, F), N),
    ("nullif", (S, N), None),
    ("nullif", (N, D), N),
    ("nullif", (D, N), D),
    ("nullif", (D, F), F),
    ("distinct", (DAY, TIME), B),
    ("least", (N, F), F),
    ("least", (N, D), D),
    ("least", (D, F), F),
    ("least", (DAY, TIME), None),
    ("like", (S, S), B),
    ("like", (S, S, S), B),
    ("like", (S, N), None),
    ("join", (S, S), S),
    ("join", (S, N), None),
    ("strpos", (S, S), N),
    ("contains", (S, S), B),
    ("substring", (S, N), S),
    ("substring", (S, N, N), S),
    ("substring", (S, F), None),
    ("substring", (N, N), None),
    ("left", (S, N), S),
    ("replace", (S, S, S), S),
    ("lpad", (S, N, S), S),
    ("lpad", (S, S, S), None),
    ("split_part", (S, S, N), S),
    ("split_part", (S, S, S), None),
    ("regexp_replace", (S, S, S), S),
    ("regexp_replace_all", (S, S, N), None),
    ("date_trunc", (S, DAY), DAY),
    ("date_trunc", (S, TIME), TIME),
    ("time_trunc", (S, DAY), TIME),
    ("date_trunc", (S, S), None),
    ("date_part", (S, DAY), N),
    ("date_part", (S, N), None),
    ("date_diff", (S, DAY, TIME), N),
    ("date_diff", (S, DAY), None),
    ("plus_days", (DAY, N), DAY),
    ("plus_months", (TIME, N), TIME),
    ("plus_microseconds", (DAY, N), TIME),
    ("plus_days", (DAY, F), None),
    ("plus_days", (S, N), None),
    ("width_bucket", (F, N, F, N), N),
    ("width_bucket", (F, N, F, F), None),
    ("width_bucket", (S, N, F, N), None),
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


def test_texts_are_counted() -> None:
    assert [texts(B, 1, 2)((S,) * count) for count in range(4)] == [None, B, B, None]
    assert texts(B, 1)((S,) * 9) is B
    assert texts(B, 2)((S, N)) is None
    for types in itertools.product((N, S), repeat=2):
        assert exactly(B, N, S)(types) is (B if types == (N, S) else None)
    assert exactly(B, N, S)((N,)) is None
