"""Which tables a plan reads, and what its units are."""

from __future__ import annotations

from dataclasses import replace

from discreet.base.types import Type
from discreet.engines.engine import find_tables, find_unit_type
from support.hospital import bounded, engine_of, rows_of
from support.shop import open_shop

ENGINE = engine_of()


def test_a_plan_reads_the_tables_that_stand_anywhere_in_it() -> None:
    plan = bounded(ENGINE, "SELECT COUNT(*) FROM visits JOIN wards USING (ward)").plan
    assert find_tables(plan) == {"visits", "wards"}


def test_a_plan_reads_the_tables_through_which_rows_reach_their_units() -> None:
    engines = open_shop()
    assert find_tables(bounded(engines, "SELECT COUNT(*) FROM shipment").plan) == {"shipment", "lineitem", "orders"}
    assert find_tables(rows_of(engines, "SELECT quantity FROM lineitem")) == {"lineitem", "orders"}
    engines.close()


def test_units_have_one_type_and_wide_numbers_are_texts() -> None:
    plan = bounded(ENGINE, "SELECT COUNT(*) FROM visits").plan
    assert find_unit_type(plan, ENGINE.tables) is Type.INTEGER
    wide = {name: replace(each, unit_type=Type.DECIMAL) for name, each in ENGINE.tables.items()}
    assert find_unit_type(plan, wide) is Type.TEXT
    rows = bounded(ENGINE, "SELECT COUNT(*) FROM people").plan
    assert find_unit_type(rows, ENGINE.tables) is None
