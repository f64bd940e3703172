"""Rows as SQL: each with its unit, only the columns that are read, and what a unit keeps before a join."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest

from discreet.base.types import Type
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.rows import write_rows
from support.hospital import HOSPITAL, POLICY, VISITS, WARDS, answered, bounded, duck, engine_of, sums
from support.shop import make_shop, only, open_shop

ENGINE = engine_of()


def text(question: str) -> str:
    plan = bounded(ENGINE, question).plan
    return write_rows(plan, plan.sets[0], duck(ENGINE)._select, list(plan.measures), Type.INTEGER, DUCKDB)


def test_only_columns_that_are_read_are_touched() -> None:
    found = text("SELECT SUM(age) FROM visits WHERE cost > 1")
    assert '"age"' in found
    assert '"cost"' in found
    assert '"ward"' not in found
    assert '"secret"' not in found


def test_rows_carry_the_unit_under_no_name_of_the_analysts() -> None:
    found = text("SELECT COUNT(*) FROM (SELECT 1 AS patient FROM visits)")
    assert '"t0".__discreet_unit AS __discreet_unit' in found
    assert "__discreet_unit IS NOT NULL" in found


def test_rows_are_cut_before_they_are_joined_and_not_otherwise() -> None:
    assert "row_number()" not in text("SELECT COUNT(*) FROM visits")
    assert text("SELECT COUNT(*) FROM visits a JOIN visits b USING (patient)").count("row_number()") == 2


HEAVY = pa.table({name: VISITS.column(name).take([0] * 60) for name in VISITS.column_names})


def test_one_heavy_unit_meets_itself_as_often_as_its_rows_allow() -> None:
    engine = engine_of(POLICY, {"visits": HEAVY} | _others())
    (found,) = sums(answered(engine, "SELECT COUNT(*) FROM visits a JOIN visits b USING (patient)"))
    assert found == (16,), "four rows on each side"


def _others() -> dict[str, pa.Table]:
    return {name: table for name, table in HOSPITAL.items() if name != "visits"}


@pytest.mark.parametrize("far", [dt.date(9999, 12, 31), dt.date(1, 1, 1)])
def test_days_that_nobody_can_show_are_no_keys(far: dt.date) -> None:
    days = pa.array([far.toordinal() - 719163, 2**31 - 1, -(2**31) + 1, 3_000_000], pa.int32()).cast(pa.date32())
    visits = VISITS.slice(0, 4).set_column(VISITS.column_names.index("seen"), "seen", days)
    found = answered(
        engine_of(POLICY, {"visits": visits} | _others()), "SELECT seen, COUNT(*) FROM visits GROUP BY seen"
    )
    assert found.sets[0].keys == ((far,),)


def test_whole_sums_of_one_unit_are_cut_where_63_bits_end() -> None:
    policy = POLICY.replace("age = { lower = 0, upper = 110 }", "age = { lower = 0, upper = 4_000_000_000_000_000 }", 1)
    ages = pa.array([4_000_000_000_000_000] * 5000, pa.int64())
    wide = {name: VISITS.column(name).take([0] * 5000) for name in VISITS.column_names} | {"age": ages}
    engine = engine_of(policy, {"visits": pa.table(wide)} | _others())
    inner = "(SELECT patient, SUM(age) AS s FROM visits GROUP BY patient)"
    assert sums(answered(engine, f"SELECT COUNT(*) FROM {inner} WHERE s = {1 << 62}")) == ((1,),)


@pytest.mark.parametrize(("join", "charged"), [("JOIN", 1), ("LEFT JOIN", 1)])
def test_a_public_table_that_grew_since_multiplies_no_row_without_a_unit(join: str, charged: int) -> None:
    plan = bounded(ENGINE, f"SELECT COUNT(*) FROM people {join} wards USING (ward)").plan
    assert plan.l1(plan.measures[0]) == charged
    before = sums(ENGINE.run(plan).result())
    wards = {name: WARDS.column(name).take([0, 0, 0, 1, 1, 2]) for name in WARDS.column_names}
    grown = engine_of(POLICY, HOSPITAL | {"wards": pa.table(wards)})
    assert sums(grown.run(plan).result()) == before


def test_days_and_times_beyond_the_calendar_are_null_where_they_are_read() -> None:
    far = [0, 2**31 - 1, -(2**31) + 1, 3_000_000]
    days = pa.array(far, pa.int32()).cast(pa.date32())
    visits = VISITS.slice(0, 4).set_column(VISITS.column_names.index("seen"), "seen", days)
    engine = engine_of(POLICY, {"visits": visits} | _others())
    assert sums(answered(engine, "SELECT COUNT(seen), COUNT(CAST(seen AS TIMESTAMP)) FROM visits")) == ((1,), (1,))


JOINED = "SELECT COUNT(*), SUM(quantity), SUM(total) FROM lineitem JOIN orders USING (orderkey)"


def shop_sums(tables: dict[str, pa.Table], question: str = JOINED) -> list[int]:
    engines = open_shop(tables)
    try:
        return [value for (value,) in answered(engines, question).sets[0].sums]
    finally:
        engines.close()


def test_of_rows_with_one_key_a_unit_keeps_one_whatever_their_order() -> None:
    """Customer 1 has order 10 three times, with 5 items, and two orders more, with 3 and 4."""
    tables = only(1)
    found = shop_sums(tables)
    assert sorted(found)[0] == 5 + 3 + 4
    for seed in range(6):
        chance = random.Random(seed)
        orders = tables["orders"]
        mixed = tables | {"orders": orders.take(chance.sample(range(len(orders)), len(orders)))}
        assert shop_sums(mixed) == found


def test_rows_without_a_key_all_stay_as_null_equals_nothing() -> None:
    asked = "SELECT COUNT(*) FROM orders LEFT JOIN lineitem USING (orderkey)"
    orders = [(1, None, 5, "O"), (1, None, 5, "O"), (1, None, 6, "O"), (1, 7, 5, "O"), (1, 7, 6, "O")]
    tables = make_shop(orders=orders, items=[(7, 1, 3, "A"), (None, 1, 3, "A")])
    assert shop_sums(tables, asked) == [3 + 1]
    assert '"orderkey" IS NULL' in shop_text(asked)


def test_a_key_is_enforced_where_a_join_rests_on_it_and_not_otherwise() -> None:
    assert shop_text("SELECT COUNT(*) FROM lineitem JOIN orders USING (custkey)").count("__discreet_copy = 1") == 0
    assert shop_text("SELECT COUNT(*) FROM lineitem JOIN orders USING (orderkey)").count("__discreet_copy = 1") == 1


def shop_text(question: str) -> str:
    engines = open_shop()
    plan = bounded(engines, question).plan
    written = write_rows(plan, plan.sets[0], duck(engines)._select, list(plan.measures), Type.INTEGER, DUCKDB)
    engines.close()
    return written
