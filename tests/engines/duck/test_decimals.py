"""Decimals are exact on DuckDB: every call is what fractions say, on the worst values there are."""

from __future__ import annotations

from discreet.engines.duck.forms import write_sql
from support.decimals import list_calls, list_differences, make_table
from support.hospital import duck, engine_of


def test_every_call_on_decimals_is_what_fractions_say() -> None:
    cursor = duck(engine_of())._cursor(set())
    cursor.register("t", make_table())
    calls = list_calls()
    assert {"add", "mul", "floor", "round", "as_decimal", "case", "nullif"} < {made.function for made in calls}
    found = list_differences(calls, write_sql, lambda statement: cursor.execute(statement).fetchall())
    assert found[:5] == []
