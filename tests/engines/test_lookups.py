"""What is asked of public tables: their values in order, and the most partners that a row can find."""

from __future__ import annotations

import duckdb
import pytest

from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.lookups import select_fan_out, select_rows, select_values

ROWS = "SELECT * FROM (VALUES (2, 'a'), (1, 'a'), (2, 'b'), (NULL, 'a'), (NULL, 'a'), (2, 'a')) AS t(\"k y\", z)"


def test_values_come_once_and_in_order_without_null() -> None:
    assert duckdb.execute(select_values(ROWS, "k y", DUCKDB)).fetchall() == [(1,), (2,)]


@pytest.mark.parametrize(("columns", "most"), [(("k y",), 3), (("k y", "z"), 2), (("z",), 5)])
def test_rows_with_equal_columns_are_counted_and_null_equals_nothing(columns: tuple[str, ...], most: int) -> None:
    assert duckdb.execute(select_fan_out(ROWS, columns, DUCKDB)).fetchall() == [(most,)]


def test_an_empty_table_still_has_one_partner() -> None:
    assert duckdb.execute(select_fan_out(f"{ROWS} WHERE FALSE", ("z",), DUCKDB)).fetchall() == [(1,)]


def test_rows_come_once_with_null_and_one_more_than_wanted_at_most() -> None:
    everything = duckdb.execute(select_rows(ROWS, ("k y", "z"), 9, DUCKDB)).fetchall()
    assert sorted(everything, key=repr) == [(1, "a"), (2, "a"), (2, "b"), (None, "a")]
    assert len(duckdb.execute(select_rows(ROWS, ("k y", "z"), 2, DUCKDB)).fetchall()) == 3
