"""A small shop after TPC-H: customers, their orders, and items that know their order alone.

Items reach their customers through orders. As in no good shop, some orders are there twice, some belong to two
customers, and some items belong to no order at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from discreet.engines.engines import Engines
from discreet.policy import loads

POLICY = """\
[budget]
epsilon = 10.0
delta = 1e-9

[tables.customer]
unit = "custkey"
size = 1000
version = "1"
max_rows = 1
[tables.customer.columns]
segment = { values = ["MACHINERY", "FURNITURE"] }

[tables.orders]
unit = "custkey"
unique = [["orderkey"]]
size = 1000
version = "1"
max_rows = 8
[tables.orders.columns]
total = { lower = 0, upper = 100 }
status = { values = ["O", "F"] }

[tables.lineitem]
through = "orderkey -> orders.orderkey"
size = 1000
version = "1"
max_rows = 24
unique = [["orderkey", "line"]]
[tables.lineitem.columns]
quantity = { lower = 0, upper = 50 }
flag = { values = ["A", "N", "R"] }

[tables.shipment]
through = ["orderkey -> lineitem.orderkey", "line -> lineitem.line"]
size = 1000
version = "1"
max_rows = 30
[tables.shipment.columns]
weight = { lower = 0, upper = 20 }
"""
"""Units of items lie across one foreign key, and those of shipments across two."""

Order = tuple[int | None, int | None, int | None, str | None]
"""Whose, which, and what it holds."""

CUSTOMERS = [(person, "MACHINERY" if person % 2 else "FURNITURE") for person in range(1, 9)]

ORDERS: list[Order] = [
    *(
        (person, 10 * person + place, 7 * person + place, "OF"[place % 2])
        for person in range(1, 9)
        for place in range(3)
    ),
    (1, 10, 3, "F"),  # the first order of customer 1 is there three times
    (1, 10, 99, "O"),
    (2, 10, 50, "O"),  # and is customer 2's too
    (3, 21, 60, "F"),
    (None, 500, 5, "O"),  # an order of nobody
    (4, None, 5, "O"),
    *((5, 1000 + place, place, "O") for place in range(12)),  # more than anybody should have
]

ITEMS = [
    *(
        (10 * person + place, line, (3 * person + 5 * place + line) % 50, "ANR"[line % 3])
        for person in range(1, 9)
        for place in range(3)
        for line in range(1 + (person + place) % 4)
    ),
    *((10, 1, 40 + copy, "N") for copy in range(3)),  # lines with one number
    *((77_777, line, 9, "A") for line in range(4)),  # items of no order
    (500, 1, 8, "R"),  # of an order of nobody
    (None, 1, 8, "R"),
    *((1000, line, line % 50, "N") for line in range(40)),
]

SHIPMENTS = [
    *((order, line, (line or 0) % 20) for order, line, _, _ in ITEMS),
    *((10, 1, weight) for weight in range(5)),
    (10, None, 3),
    (88_888, 1, 3),
]


def make_shop(
    customers: Any = CUSTOMERS, orders: Any = ORDERS, items: Any = ITEMS, shipments: Any = SHIPMENTS
) -> dict[str, pa.Table]:
    """Return the tables of these rows."""
    return {
        "customer": _table(customers, {"custkey": pa.int64(), "segment": pa.string()}),
        "orders": _table(
            orders, {"custkey": pa.int64(), "orderkey": pa.int64(), "total": pa.int64(), "status": pa.string()}
        ),
        "lineitem": _table(
            items, {"orderkey": pa.int64(), "line": pa.int64(), "quantity": pa.int64(), "flag": pa.string()}
        ),
        "shipment": _table(shipments, {"orderkey": pa.int64(), "line": pa.int64(), "weight": pa.int64()}),
    }


def without(person: int) -> dict[str, pa.Table]:
    """Return the shop that a customer never came to: their rows are in no table that names them."""
    customers = [row for row in CUSTOMERS if row[0] != person]
    return make_shop(customers, [row for row in ORDERS if row[0] != person])


def only(person: int) -> dict[str, pa.Table]:
    """Return the shop that nobody else came to; items and shipments are the same, since they name nobody."""
    customers = [row for row in CUSTOMERS if row[0] == person]
    return make_shop(customers, [row for row in ORDERS if row[0] == person])


ODD = """
[tables.labels]
unit = "person"
max_rows = 5
unique = [["code"], ["price"]]
size = 1000
version = "1"
[tables.labels.columns]
code = { longest = 6 }

[tables.parcels]
through = "code -> labels.code"
max_rows = 9
size = 1000
version = "1"
[tables.parcels.columns]
code = { longest = 20 }
weight = { lower = 0, upper = 20 }

[tables.bills]
through = ["price -> labels.price", "day -> labels.day"]
max_rows = 9
size = 1000
version = "1"
[tables.bills.columns]
weight = { lower = 0, upper = 20 }
"""
"""Keys of texts, some of which are too long, of wide decimals that are one float, and of days."""

PRICES = ["1.500000000", "12345678901234567890.000000001", "12345678901234567890.000000002", None]
CODES = ["a", "A", "a ", "é", "", "null", "longer than six", None]


def make_odd() -> dict[str, pa.Table]:
    prices = pa.array(PRICES, pa.string()).cast(pa.decimal128(38, 9)).to_pylist()
    people = ["ann", "bob", "ann", None, "cyd", "bob", "ann", "dan"]
    labels = [(people[at % 8], CODES[at * 3 % 8], prices[at % 4], at % 3) for at in range(24)]
    parcels = [(CODES[at % 8], at % 20) for at in range(40)]
    bills = [(prices[at % 4], at % 3, at % 20) for at in range(30)]
    wide = pa.decimal128(38, 9)
    return {
        "labels": _table(labels, {"person": pa.string(), "code": pa.string(), "price": wide, "day": pa.date32()}),
        "parcels": _table(parcels, {"code": pa.string(), "weight": pa.int64()}),
        "bills": _table(bills, {"price": wide, "day": pa.date32(), "weight": pa.int64()}),
    }


def open_shop(tables: Mapping[str, Any] | None = None, policy: str = POLICY) -> Engines:
    return Engines(loads(policy, "owner/policy.toml"), make_shop() if tables is None else tables)


def _table(rows: Any, kinds: dict[str, pa.DataType]) -> pa.Table:
    return pa.table({name: pa.array([row[at] for row in rows], kind) for at, (name, kind) in enumerate(kinds.items())})
