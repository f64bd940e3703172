"""What questions see of a table is the same on every engine: types, calendars, lengths of texts, and the unit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.base.types import Digits, Type
from discreet.engines.dialect import UNIT
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.sources import TableSource
from discreet.policy import loads

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
