"""Decimals are exact on DuckDB: every call is what fractions say, on the worst values there are."""

from __future__ import annotations

import pytest

from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.forms_math import write_last_places
from support.decimals import list_calls, list_differences, list_wrong_ends, make_table
from support.hospital import duck, engine_of


def test_every_call_on_decimals_is_what_fractions_say() -> None:
    cursor = duck(engine_of())._cursor(set())
    cursor.register("t", make_table())
    calls = list_calls()
    assert {"add", "mul", "floor", "round", "as_decimal", "case", "nullif"} < {made.function for made in calls}
    found = list_differences(calls, write_sql, lambda statement: cursor.execute(statement).fetchall())
    assert found[:5] == []


@pytest.mark.many
@pytest.mark.parametrize("digits", range(1, 39))
def test_no_decimal_is_too_large_to_be_read(digits: int) -> None:
    cursor = duck(engine_of())._cursor(set())
    cursor.execute("PRAGMA disable_optimizer")
    assert list_wrong_ends(write_last_places, lambda text: cursor.execute(text).fetchall()[0], digits) == []
