"""Three small worlds of the worst values that all engines can hold, as Arrow tables, with the policies about them.

Every column is drawn from a pool of its type, so that NULL, NaN, infinities, -0.0, whole numbers near 2^63, long
decimals, days at both ends of the calendar and odd texts meet in every way; a few units have far more rows than they
may, and some rows belong to nobody.
"""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from support import hospital, shop
from support.clinic import make_tables, write_policy

ROWS = 400
"""Of each private table."""

WHOLES = [0, 1, -1, 2, 9, 17, 30, 64, 65, 110, 111, 2**53 + 1, 2**63 - 1, -(2**63), 2**63 - 25, 86_400]
FLOATS = [0.0, -0.0, 0.005, 0.1, 0.5, 1.5, 2.25, 2.5, 2.675, -2.5, 49.995, 99.9, 100.0, 500.5, 1e15 + 0.5, 2.0**53]
FLOATS += [1e308, -1e308, 1.7976931348623157e308, 5e-324, -5e-324, 1e-300, math.inf, -math.inf, math.nan, 9.3e18, 1e19]
WORDS = [
    "north",
    "south",
    "icu",
    "North",
    "NORTH ",
    "",
    " ",
    "a",
    "Z",
    "\u00e9",
    "e\u0301",
    "\u00c9COLE",
    "stra\u00dfe",
]
WORDS += ["\u0130I\u0131i", "\U0001f600x", "it's", '"', "%_\\", "a%b", "a_b", "a\\b", "${x}", "12\n", "\t", "x" * 300]
WORDS += ["1e5", "12", "-7", " 42 ", "+3", "1_000", "0x1F", "nan", "inf", "1e400", "1e-400", "9" * 40, "0" * 401 + "7"]
WORDS += [
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "2.5",
    ".5",
    "5.",
    "1e0003",
    "true",
    "f",
]
WORDS += ["yes", "on", "2020-02-29", "2021-02-29", "2020-2-9", "0000-01-01", "9999-12-31", "10000-01-01", "f\u00e9"]
WORDS += ["2020-02-29 23:59:59.5", "2020-02-29T12:30", "2020-02-29 24:00:00", "2020-02-29 12:60", "2020-13-01"]
DAYS = [dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1582, 10, 10), dt.date(1900, 2, 28), dt.date(1969, 12, 31)]
DAYS += [dt.date(1970, 1, 1), dt.date(1970, 1, 3), dt.date(2000, 2, 29), dt.date(2024, 12, 30), dt.date(2025, 1, 31)]
TIMES = [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999), dt.datetime(1969, 12, 31, 23, 59, 59, 1)]
TIMES += [dt.datetime(1970, 1, 1), dt.datetime(2025, 3, 30, 2, 30), dt.datetime(2024, 2, 29, 12, 0, 0, 500_000)]
LONG = [Decimal("12345678901234567890123456789.123456789"), Decimal("-0.000000001"), Decimal("0.5"), Decimal(7)]
LONG += [Decimal("99999999999999999999999999999.999999999"), Decimal("49.995"), Decimal("1.10")]

PRICES = [Decimal(each) for each in ("-2.5", "0.05", "0.07", "1.10", "3", "49.99", "-0.01", "9999999999999.99")]

READINGS = pa.schema(
    [
        ("person", pa.int64()),
        ("big", pa.int64()),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("exact", pa.decimal128(38, 9)),
        ("price", pa.decimal128(15, 2)),
        ("word", pa.string()),
        ("other", pa.string()),
        ("flag", pa.bool_()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us")),
    ]
)
"""One column of each type and more, about which the quirks of engines are asked."""

POLICY = """\
[budget]
epsilon = 10_000.0
delta = 1e-7
[tables.readings]
unit = "person"
size = 1000
max_rows = 12
max_groups = 3
max_rows_per_group = 7
[tables.readings.columns]
big = { lower = -100, upper = 1000 }
x = { lower = -10, upper = 100, step = 0.001 }
y = { lower = 0, upper = 7 }
exact = { lower = 0, upper = 1000, step = 0.01 }
price = { lower = -5, upper = 100 }
word = { values = ["north", "south", "icu", "it's", "\\u00e9", "%_\\\\", ""], longest = 1024 }
other = { longest = 20 }
day = { lower = 2024-12-01, upper = 2025-03-01 }
[tables.named]
unit = "word"
size = 1000
max_rows = 4
[tables.named.columns]
word = { longest = 7 }
x = { lower = -10, upper = 100 }
[tables.decimals]
unit = "exact"
size = 1000
max_groups = 2
max_rows_per_group = 3
[tables.decimals.columns]
x = { lower = -10, upper = 100 }
flag = { values = [true, false] }
[tables.nobody]
unit = "person"
size = 1000
max_rows = 3
[tables.nobody.columns]
x = { lower = -10, upper = 100 }
word = { values = ["north", "south"] }
[tables.single]
rows_are_units = true
size = 1000
[tables.single.columns]
big = { lower = -5, upper = 70 }
price = { lower = -5, upper = 100 }
x = { lower = -10, upper = 100, step = 0.25 }
[tables.codes]
public = true
"""


@dataclass(frozen=True)
class World:
    """A policy and the tables that it declares, by name."""

    name: str
    policy: str
    tables: Mapping[str, pa.Table]


def drawn(schema: pa.Schema, rows: int, seed: int, unit: str | None = None) -> pa.Table:
    """Return so many rows; values of ordinary size are as frequent as all odd ones together."""
    chance = random.Random(seed)
    columns = {}
    for field in schema:
        values = [_value(field, chance, field.name == unit) for _ in range(rows)]
        columns[field.name] = pa.array(values, field.type)
    return pa.table(columns, schema)


def _value(field: pa.Field, chance: random.Random, unit: bool) -> Any:
    if chance.random() < 0.08:
        return None
    kind, odd = field.type, chance.random() < 0.4
    if unit and pa.types.is_integer(kind):
        return chance.choice([2**63 - 1, -(2**63), 7]) if odd and chance.random() < 0.3 else _skewed(chance)
    if pa.types.is_boolean(kind):
        return chance.random() < 0.5
    if pa.types.is_integer(kind):
        return chance.choice(WHOLES) if odd else chance.randrange(0, 110)
    if pa.types.is_floating(kind):
        return chance.choice(FLOATS) if odd else round(chance.uniform(-20, 120), chance.randrange(5))
    if pa.types.is_decimal(kind) and kind.precision == 15:
        return chance.choice(PRICES) if odd else Decimal(chance.randrange(0, 12)) / 100
    if pa.types.is_decimal(kind):
        return chance.choice(LONG) if odd else Decimal(chance.randrange(0, 60)) / 4
    if pa.types.is_date(kind):
        return chance.choice(DAYS) if odd else dt.date(2024, 11, 1) + dt.timedelta(chance.randrange(150))
    if pa.types.is_timestamp(kind):
        moment = dt.datetime(2024, 11, 1) + dt.timedelta(microseconds=chance.randrange(10**13))
        return chance.choice(TIMES) if odd else moment
    return chance.choice(WORDS) if odd else chance.choice(WORDS[:3])


def _skewed(chance: random.Random) -> int:
    """Return one of sixty people, of whom the first few come most often."""
    return min(chance.randrange(60), chance.randrange(60))


def worlds() -> list[World]:
    """Return the clinic and the hospital of the page about SQL, the readings, and a shop, all with odd values."""
    clinic = {name: _worse(table, seed, "patient_id") for seed, (name, table) in enumerate(make_tables().items())}
    wards = {name: _worse(table, seed + 9, "patient") for seed, (name, table) in enumerate(hospital.HOSPITAL.items())}
    readings = {
        "readings": drawn(READINGS, ROWS, 21, "person"),
        "named": drawn(READINGS, ROWS, 22),
        "decimals": drawn(READINGS, ROWS, 23),
        "nobody": READINGS.empty_table(),
        "single": drawn(READINGS, ROWS, 24),
        "codes": _codes(),
    }
    return [
        World("clinic", write_policy(epsilon=10_000.0), clinic),
        World("hospital", hospital.POLICY, wards),
        World("readings", POLICY, readings),
        World("shop", shop.POLICY + shop.ODD, shop.make_shop() | shop.make_odd()),
    ]


def _worse(table: pa.Table, seed: int, unit: str) -> pa.Table:
    """Return other rows of a private table's schema; public tables stay as they are."""
    return drawn(table.schema, ROWS, seed, unit) if {unit, "age"} & set(table.column_names) else table


def _codes() -> pa.Table:
    """Return a public table in which some codes stand twice and some are odd."""
    return pa.table(
        {
            "word": pa.array(["north", "north", "icu", "\u00e9", None, "it's", "%_\\"], pa.string()),
            "code": pa.array([1, 2, 2**53 + 1, -4, 5, 2**63 - 1, 0], pa.int64()),
            "weight": pa.array([0.5, -0.0, math.nan, math.inf, 1.0, 2.675, 1e-300], pa.float64()),
            "since": pa.array([dt.date(1, 1, 1), None, dt.date(2000, 2, 29), *[dt.date(2025, 1, 1)] * 4], pa.date32()),
        }
    )
