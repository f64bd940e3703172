"""Expressions over public values, with no table behind them."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.duck.connection import connect
from discreet.engines.duck.evaluate import combine, evaluate
from discreet.plan.expressions import Call, Column


def test_values_of_oddly_named_columns_are_computed_with() -> None:
    column = Column("t0", "o\"at'; --", Type.INTEGER)
    found = evaluate(connect(), Call("neg", (column,), Type.INTEGER), {column: (1, 2)})
    assert sorted(int(str(value)) for value in found) == [-2, -1]


def test_all_combinations_are_taken_and_null_is_left_out() -> None:
    first, second = Column("t0", "v", Type.INTEGER), Column("t1", "v", Type.INTEGER)
    found = evaluate(connect(), Call("add", (first, second), Type.INTEGER), {first: (1, 2), second: (10, 20)})
    assert sorted(int(str(value)) for value in found) == [11, 12, 21, 22]


def test_rows_are_combined_and_only_those_that_meet_the_condition_count() -> None:
    town, size, age = Column("t1", "v", Type.TEXT), Column("t1", "w", Type.INTEGER), Column("t0", "v", Type.INTEGER)
    rows = ((town, size), (("a", 1), ("b", 2), ("c", None), (None, 2))), ((age,), ((1,), (2,), (None,)))
    larger = Call("gt", (size, age), Type.BOOLEAN)
    assert combine(connect(), (age, town), larger, rows) == ((1, "b"),)
    everything = combine(connect(), (town, age), None, rows)
    assert sorted(everything) == [(name, number) for name in "abc" for number in (1, 2)]
    assert combine(connect(), (age,), None, (((age,), ()),)) == ()
