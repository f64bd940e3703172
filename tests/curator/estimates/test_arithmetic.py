"""Arithmetic on intervals."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.curator.estimates.arithmetic import bound_expression
from discreet.plan.expressions import Column, Expression, Literal, Slot, refer
from discreet.plan.functions import call

A, B = (refer("released", Slot.AGGREGATE, index, Type.FLOAT) for index in (0, 1))
ends = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
intervals = st.tuples(ends, ends).map(sorted).map(tuple)


def value(expression: Expression, known: dict[str, float]) -> float:
    if isinstance(expression, Column):
        return known[expression.name]
    if isinstance(expression, Literal):
        return float(str(expression.value))
    parts = [value(argument, known) for argument in expression.arguments]
    match expression.function:
        case "add":
            return parts[0] + parts[1]
        case "sub":
            return parts[0] - parts[1]
        case "mul":
            return parts[0] * parts[1]
        case "div":
            return parts[0] / parts[1] if parts[1] else math.nan
        case "neg":
            return -parts[0]
        case "abs":
            return abs(parts[0])
    raise AssertionError(expression.function)


ONE = Literal(3, Type.INTEGER)
ARITHMETIC = [
    call("add", A, B),
    call("sub", A, call("mul", ONE, B)),
    call("mul", A, B),
    call("div", A, B),
    call("abs", call("neg", call("sub", A, B))),
]


@pytest.mark.parametrize("expression", ARITHMETIC, ids=lambda e: e.function)
@given(intervals, intervals, st.floats(0, 1), st.floats(0, 1))
def test_arithmetic_on_points_stays_inside_arithmetic_on_intervals(
    expression: Expression, one: tuple[float, float], two: tuple[float, float], x: float, y: float
) -> None:
    found = bound_expression(expression, {0: one, 1: two})
    assert found is not None
    at = {"a0": one[0] + x * (one[1] - one[0]), "a1": two[0] + y * (two[1] - two[0])}
    exact = value(expression, at)
    slack = 1e-9 * (1 + abs(exact)) if math.isfinite(exact) else 0
    assert math.isnan(exact) or found[0] - slack <= exact <= found[1] + slack


def test_what_is_no_arithmetic_has_no_interval() -> None:
    condition = call("case", call("gt", A, ONE), A, B)
    assert bound_expression(condition, {0: (0.0, 1.0), 1: (0.0, 1.0)}) is None
