"""What questions see of a table is the same on every engine: types, calendars, lengths of texts, and the unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from discreet.base.types import Digits, Type
from discreet.engines.dialect import UNIT
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.sources import TableSource, write_select
from discreet.policy import loads
from support import shop
from support.hospital import by_unit, rows_of

POLICY = """
[budget]
epsilon = 1
[tables.t]
unit = "{unit}"
max_rows = 1
hidden = ["who"]
[tables.t.columns]
note = {{ longest = 20 }}
ward = {{ values = ["north", "icu"] }}
"""
TYPES = {"who": Type.TEXT, "price": Type.DECIMAL, "note": Type.TEXT, "ward": Type.TEXT, "free": Type.TEXT}


class Told(TableSource):
    """A source that tells what it was asked to write."""

    clause = "somewhere"

    def write_cast(self, name: str) -> str:
        return f"cast({name})"

    def write_places(self, name: str, digits: int, scale: int) -> str:
        return f"places({name}, {digits}, {scale})"

    def read_digits(self) -> dict[str, Digits]:
        return {"price": (15, 2)}

    def write_text(self, name: str, most: int) -> str:
        return f"text({name}, {most})"

    def write_decimal(self, name: str) -> str:
        return f"decimal({name})"


def source(unit: str = "who") -> Told:
    policy = loads(POLICY.format(unit=unit), "owner/policy.toml")
    made = Told(policy, policy.tables[0], DUCKDB)
    made.types = {**TYPES, "day": Type.DATE, "at": Type.TIMESTAMP, "age": Type.INTEGER}
    return made


@pytest.mark.parametrize(("name", "most"), [("note", 20), ("ward", 5), ("free", 1024)])
def test_texts_are_as_long_as_the_policy_says(name: str, most: int) -> None:
    assert source().write_value(name) == f"text({name}, {most})"


def test_a_unit_that_is_a_text_has_a_longest_length_too_though_it_is_hidden() -> None:
    assert source().write_unit("who") == "text(who, 1024)"
    assert source("note").write_unit("note") == "text(note, 20)"


def test_wide_numbers_are_texts_as_units_and_numbers_as_columns() -> None:
    assert source("price").write_unit("price") == "decimal(price)"
    assert source().write_value("price") == "cast(price)"


def test_decimals_of_known_digits_are_whole_numbers_of_last_places() -> None:
    told = source("price")
    told.resolve({**TYPES, "day": Type.DATE, "at": Type.TIMESTAMP, "age": Type.INTEGER})
    assert told.digits == {"price": (15, 2)}
    assert told.write_value("price") == "places(price, 15, 2)"
    assert told.write_unit("price") == "decimal(price)"
    assert told.count_places("price", 7) == Fraction(7, 100)
    assert told.count_places("age", 7) == 7


@pytest.mark.parametrize("name", ["day", "at"])
def test_days_and_times_lie_in_the_years_1_to_9999(name: str) -> None:
    written = source().write_value(name)
    assert written.startswith(f"(CASE WHEN cast({name}) BETWEEN")
    assert "0001-01-01" in written
    assert "9999-12-31" in written


def test_only_columns_that_are_needed_are_read_beside_the_unit() -> None:
    assert source().select(frozenset({"age"})) == f'SELECT cast(age) AS "age", text(who, 1024) AS {UNIT} FROM somewhere'


def test_problems_name_the_table_and_the_key() -> None:
    told = str(source().explain("unit", "is wrong", "write another"))
    assert told == "owner/policy.toml: tables.t.unit: is wrong; write another"


WIDE = shop.POLICY.replace("max_rows = 24", "max_rows = 999").replace("max_rows = 30", "max_rows = 999")


def reach() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return (customer, item) and (customer, shipment) for all that a customer reaches, by going along the path."""
    owners: dict[int, set[int]] = {}
    for who, order, *_ in shop.ORDERS:
        if who is not None and order is not None:
            owners.setdefault(order, set()).add(who)
    items = [(who, place) for place, item in enumerate(shop.ITEMS) for who in owners.get(item[0] or -1, ())]
    lines: dict[tuple[Any, Any], set[int]] = {}
    for who, place in items:
        lines.setdefault(shop.ITEMS[place][:2], set()).add(who)
    sent = [(who, place) for place, row in enumerate(shop.SHIPMENTS) for who in lines.get(row[:2], ())]
    return items, sent


def test_a_row_is_there_once_for_each_unit_that_it_reaches_and_orphans_are_not() -> None:
    engines, (items, sent) = shop.open_shop(policy=WIDE), reach()
    assert len({place for _, place in items}) < len(items), "some items are of two customers"
    assert len({place for _, place in items}) < len(shop.ITEMS), "some are of nobody"
    for table, column, found, rows in (
        ("lineitem", "quantity", items, shop.ITEMS),
        ("shipment", "weight", sent, shop.SHIPMENTS),
    ):
        kept = by_unit(engines.read(rows_of(engines, f"SELECT {column} FROM {table}")).result())
        plan = rows_of(engines, f"SELECT {column} FROM {table}")
        center = plan.columns[0].grid.center
        expected: dict[int, list[int]] = {}
        for who, place in found:
            expected.setdefault(who, []).append(rows[place][2] - int(center))
        assert kept == sorted([[each] for each in sorted(values)] for values in expected.values())
    engines.close()


def test_nobody_takes_a_row_from_another_by_coming() -> None:
    whole, others = shop.open_shop(policy=WIDE), shop.open_shop(shop.without(1), WIDE)
    alone = shop.open_shop(shop.only(1), WIDE)
    for table, column in (("lineitem", "quantity"), ("shipment", "weight")):
        read = [
            by_unit(each.read(rows_of(each, f"SELECT {column} FROM {table}")).result())
            for each in (whole, others, alone)
        ]
        assert read[0] == sorted([*read[1], *read[2]])
        assert len(read[2]) == 1
    for each in (whole, others, alone):
        each.close()


def test_keys_of_a_path_are_written_like_units() -> None:
    policy = loads(POLICY.format(unit="who").replace("[tables.t.columns]", ITEMS), "owner/policy.toml")
    tables = {table.name: Told(policy, table, DUCKDB) for table in policy.tables}
    for each in tables.values():
        each.types = dict(TYPES)
    found = write_select(tables, "items", frozenset({"ward"}))
    assert found == (
        f'SELECT a."ward", b.{UNIT} FROM (SELECT text(ward, 1024) AS "ward", decimal(price) AS __discreet_step0 '
        f"FROM somewhere) AS a JOIN (SELECT DISTINCT {UNIT}, __discreet_step0 FROM (SELECT decimal(price) AS "
        f"__discreet_step0, text(who, 1024) AS {UNIT} FROM somewhere) AS q WHERE {UNIT} IS NOT NULL) AS b "
        "ON a.__discreet_step0 = b.__discreet_step0"
    )


ITEMS = """
[tables.items]
through = "price -> t.price"
max_rows = 3
unit = "owner"
[tables.t.columns]"""
