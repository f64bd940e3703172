"""From statements to exact rows: units kept together, each one's rows in the order of their content, none too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import FailedError, QueryError
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.result import ExactRows
from discreet.engines.steps import gather_rows, write_row_steps
from support import teaching
from support.hospital import HOSPITAL, VISITS, by_unit, duck, engine_of, rows_of

ENGINE = engine_of()
PLAN = rows_of(ENGINE, "SELECT age, cost FROM visits")


def read(text: str, visits: pa.Table = VISITS, max_rows: int | None = None) -> ExactRows:
    engine = engine_of(frames={**HOSPITAL, "visits": visits})
    return engine.read(rows_of(engine, text, max_rows=max_rows)).result()


def visits_of(rows: Sequence[tuple[int | None, int | None, float | None]]) -> pa.Table:
    columns = {name: [None] * len(rows) for name in VISITS.column_names}
    patients, ages, costs = ([row[place] for row in rows] for place in range(3))
    return pa.table({**columns, "patient": patients, "age": ages, "cost": costs}, VISITS.schema)


def test_rows_are_points_of_their_grids_by_unit_and_incomplete_ones_are_left_out() -> None:
    assert by_unit(read("SELECT age, cost FROM visits")) == [[[30, 6], [31, 9]]], "NaN, NULL and no unit: not there"
    assert by_unit(read("SELECT cost FROM visits")) == [[[6], [9]], [[400]]], "400.0 is clamped to 100"
    assert by_unit(read("SELECT age FROM people")) == [[[1]], [[2]], [[3]]], "each row is a unit"


def test_rows_that_are_incomplete_use_up_no_limit() -> None:
    table = visits_of([(1, age, None) for age in range(50)] + [(1, 70, 1.0), (1, 71, 1.0)])
    assert by_unit(read("SELECT age, cost FROM visits", table)) == [[[70, 4], [71, 4]]]


def test_a_unit_over_its_limit_keeps_the_same_rows_whoever_else_is_there() -> None:
    heavy = [(1, age, 1.0) for age in range(20)]
    others = [(person, 50, 2.0) for person in range(2, 6)]
    (alone,) = by_unit(read("SELECT age, cost FROM visits", visits_of(heavy)))
    assert len(alone) == 3
    together = by_unit(read("SELECT age, cost FROM visits", visits_of([*others, *reversed(heavy)])))
    assert together == sorted([alone, *([[50, 8]] for _ in others)])
    (fewer,) = by_unit(read("SELECT age, cost FROM visits", visits_of(heavy), max_rows=2))
    assert [row for row in alone if row in fewer] == fewer


def test_a_table_without_rows_has_no_units() -> None:
    found = read("SELECT age, cost FROM visits", visits_of([]))
    assert (found.units, found.points.shape, found.offsets.tolist()) == (0, (0, 2), [0])
    assert gather_rows(PLAN, np.array([], dtype=np.int64)).points.shape == (0, 2)


people = st.integers(0, 4) | st.none()
ages = st.integers(-5, 120) | st.none()
costs = st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf"), 1e300]) | st.none()


@settings(max_examples=12)
@given(st.lists(st.tuples(people, ages, costs), max_size=30), st.integers(0, 4), st.randoms())
def test_without_one_unit_only_its_rows_are_gone_in_whatever_order_rows_lie(
    rows: list[tuple[int | None, int | None, float | None]], gone: int, chance: st.DataObject
) -> None:
    whole = by_unit(read("SELECT age, cost FROM visits", visits_of(rows)))
    shuffled = sorted(rows, key=lambda _: chance.random())  # type: ignore[attr-defined]
    without = by_unit(read("SELECT age, cost FROM visits", visits_of([row for row in shuffled if row[0] != gone])))
    alone = by_unit(read("SELECT age, cost FROM visits", visits_of([row for row in shuffled if row[0] == gone])))
    assert whole == sorted([*without, *alone])
    assert all(len(unit) <= 3 for unit in whole)


def test_rows_of_a_unit_are_in_the_order_of_their_points_however_they_come() -> None:
    """A function that adds floats up would round differently in another order, which may depend on others' rows."""
    rows = [[2, 9, 1], [1, 5, 2], [2, 3, 7], [1, 5, 1], [2, 3, 2], [1, 4, 9]]
    expected = [[4, 9], [5, 1], [5, 2], [3, 2], [3, 7], [9, 1]]
    for turn in range(len(rows)):
        found = gather_rows(PLAN, np.array(rows[turn:] + rows[:turn]))
        assert found.points.tolist() == expected
        assert found.offsets.tolist() == [0, 3, 6]


def test_an_engine_that_returns_more_rows_of_a_unit_than_it_keeps_is_not_believed() -> None:
    gather_rows(PLAN, np.array([[1, 5, 2]] * 3))
    with pytest.raises(FailedError, match="more rows of a unit"):
        gather_rows(PLAN, np.array([[1, 5, 2]] * 4))


def test_sql_that_is_too_long_to_plan_is_refused() -> None:
    with pytest.raises(QueryError, match="letters of SQL"):
        write_row_steps(PLAN, ENGINE.tables, duck(ENGINE)._select, replace(DUCKDB, longest=10))


def test_no_unit_is_in_what_comes_back() -> None:
    (statement,) = write_row_steps(PLAN, ENGINE.tables, duck(ENGINE)._select, DUCKDB).statements
    columns = statement.split(" FROM ")[0]
    assert columns == "SELECT dense_rank() OVER (ORDER BY __discreet_unit) AS n, __discreet_m0, __discreet_m1"


@pytest.mark.parametrize("parts", [2, 1 << 16])
def test_units_that_are_numbered_in_parts_are_the_same_units(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As engines of many machines number them: each part by itself, and still one number for each unit."""
    engine = engine_of(teaching.POLICY, teaching.make_tables())
    plans = [rows_of(engine, teaching.select(table)) for table in ("numbered", "named")]
    expected = [by_unit(engine.read(plan).result()) for plan in plans]
    monkeypatch.setattr("discreet.engines.duck.engine.DUCKDB", replace(DUCKDB, parts=parts))
    assert [by_unit(engine.read(plan).result()) for plan in plans] == expected
    assert len({len(unit) for unit in expected[0]}) > 1
