"""Distinct values of the rows that units keep: what they are, and how far one unit moves their number and their sum."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.engines.dialect import UNIT
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.limiting.statement import KeyColumn, write_statement
from discreet.plan.bounded import Limits, Measure, Part
from discreet.plan.expressions import Column
from discreet.plan.grid import ClampedGrid
from support.duck import Exchange

REACH = 9
GRID = ClampedGrid(Fraction(0), Fraction(1), -REACH, REACH)
VALUE = Column("r", "x", Type.INTEGER)
MEASURES = (Measure(Part.DISTINCT, VALUE, GRID), Measure(Part.DISTINCT_SUM, VALUE, GRID), Measure(Part.ROWS))
DAYS = (3, 4, 5)
DATABASE = Exchange()

Row = tuple[int, int, int | None]
"""Unit, key and value."""


def found(rows: list[Row], limits: Limits, units: bool = True, public: bool = True) -> dict[int, tuple[int, ...]]:
    """Return the number and the sum of distinct values, and how many rows were kept, by key."""
    columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    DATABASE.put("given", pa.table([pa.array(each, pa.int64()) for each in columns], list("udx")))
    whose = f"u AS {UNIT}, " if units else ""
    text = f"SELECT {whose}d, x AS __discreet_m0, coalesce(x, 0) AS __discreet_m1, 1 AS __discreet_m2 FROM given"
    keys = (KeyColumn('"d"', Type.INTEGER, DAYS if public else None),)
    made = write_statement(text, Type.INTEGER if units else None, keys, limits, MEASURES, DUCKDB)
    sums, _ = made.read(DATABASE.read(made.statement))
    return {DAYS[key] if isinstance(key, int) else key[0]: tuple(numbers) for key, *numbers in sums}


def test_a_value_counts_once_whoever_has_it_and_however_often() -> None:
    rows: list[Row] = [(1, 3, 5), (1, 3, 5), (2, 3, 5), (2, 3, -2), (3, 3, None), (3, 4, None), (4, 4, 0)]
    for units in (True, False):
        for public in (True, False):
            assert found(rows, Limits(99, 9, 99), units, public) == {3: (2, 3, 5), 4: (1, 0, 2)}


def test_a_group_without_values_has_the_sum_zero() -> None:
    assert found([(1, 3, None), (2, 3, None)], Limits(99, 9, 99)) == {3: (0, 0, 2)}


def test_sums_of_points_far_out_do_not_overflow() -> None:
    far = 2**52
    rows: list[Row] = [(unit, 3, far - unit) for unit in range(3000)]
    assert found(rows, Limits(1, 1, 1)) == {3: (3000, 3000 * far - sum(range(3000)), 3000)}


row = st.tuples(st.integers(1, 4), st.sampled_from(DAYS), st.none() | st.integers(-REACH, REACH))


@given(
    rows=st.lists(row, max_size=40),
    limits=st.builds(Limits, st.integers(1, 8), st.integers(1, 3), st.integers(1, 4)),
    public=st.booleans(),
)
def test_no_unit_moves_distinct_values_further_than_the_rows_that_it_keeps(
    rows: list[Row], limits: Limits, public: bool
) -> None:
    whole = found(rows, limits, public=public)
    others = found([each for each in rows if each[0] != 1], limits, public=public)
    alone = found([each for each in rows if each[0] == 1], limits, public=public)
    zero = (0, 0, 0)
    for place, reach in ((0, 1), (1, REACH)):
        moved = {day: whole.get(day, zero)[place] - others.get(day, zero)[place] for day in DAYS}
        assert sum(map(abs, moved.values())) <= limits.l1() * reach
        assert sum(each**2 for each in moved.values()) <= limits.l2_squared() * reach**2
        for day, far in moved.items():
            kept = alone.get(day, zero)[2]
            assert abs(far) <= kept * reach, "others' values take from it, and add nothing"
            assert far >= 0 or place == 1


@given(rows=st.lists(row, min_size=1, max_size=20), seed=st.randoms())
def test_the_order_of_rows_changes_nothing(rows: list[Row], seed: Any) -> None:
    mixed = list(rows)
    seed.shuffle(mixed)
    assert found(mixed, Limits(3, 2, 2)) == found(rows, Limits(3, 2, 2))
