"""Expressions over public values, with no table behind them."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.duck.connection import connect
from discreet.engines.duck.evaluate import evaluate
from discreet.plan.expressions import Call, Column


def test_values_of_oddly_named_columns_are_computed_with() -> None:
    column = Column("t0", "o\"at'; --", Type.INTEGER)
    found = evaluate(connect(), Call("neg", (column,), Type.INTEGER), {column: (1, 2)})
    assert sorted(int(str(value)) for value in found) == [-2, -1]


def test_all_combinations_are_taken_and_null_is_left_out() -> None:
    first, second = Column("t0", "v", Type.INTEGER), Column("t1", "v", Type.INTEGER)
    found = evaluate(connect(), Call("add", (first, second), Type.INTEGER), {first: (1, 2), second: (10, 20)})
    assert sorted(int(str(value)) for value in found) == [11, 12, 21, 22]
