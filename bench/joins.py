"""What a declared key and a path cost in time on DuckDB: `python bench/joins.py [items]`.

The same items with their customer copied in, and without, so that they reach it through orders; the same join with the
key of orders enforced at the scan, and with all pairs bounded. Rows are the same, and nobody is over a limit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.engines.engines import Engines
from discreet.plan.bounded import BoundedPlan
from discreet.policy import loads
from discreet.query.bound import bound
from discreet.query.build import build
from discreet.query.canonical import to_canonical
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from timing import alternate, markdown

POLICY = """
[budget]
epsilon = 1.0
[tables.orders]
unit = "custkey"
max_rows = 40
{key}
[tables.items]
unit = "custkey"
max_rows = 160
[tables.bare]
through = "orderkey -> orders.orderkey"
max_rows = 160
[tables.items.columns]
quantity = {{ lower = 0, upper = 50 }}
[tables.bare.columns]
quantity = {{ lower = 0, upper = 50 }}
"""
KEY = 'unique = [["orderkey"]]'
JOIN = "SELECT COUNT(*), SUM(quantity) FROM items i JOIN orders o ON i.custkey = o.custkey AND i.orderkey = o.orderkey"
CASES = {
    "items, customer copied in": ("", "SELECT COUNT(*), SUM(quantity) FROM items"),
    "items, through orders": ("", "SELECT COUNT(*), SUM(quantity) FROM bare"),
    "items joined with orders, all pairs bounded": ("", JOIN),
    "items joined with orders, one row for each key": (KEY, JOIN),
}


def make_tables(items: int) -> dict[str, pa.Table]:
    """Return so many items, four to an order, and ten orders to a customer."""
    draw = np.random.default_rng(7)
    orders = items // 4
    owners = draw.integers(0, max(orders // 10, 1), orders)
    of = np.minimum(np.arange(items) // 4, orders - 1)
    quantity = draw.integers(0, 50, items)
    return {
        "orders": pa.table({"custkey": owners, "orderkey": np.arange(orders)}),
        "items": pa.table({"custkey": owners[of], "orderkey": of, "quantity": quantity}),
        "bare": pa.table({"orderkey": of, "quantity": quantity}),
    }


def plan(engines: Engines, text: str) -> BoundedPlan:
    """Return the bounded plan of a question."""
    catalog = Catalog.of(engines)
    return bound(to_canonical(build(parse(text), catalog)), catalog).plan


def main() -> None:
    """Time every case, and print a table of them."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
    tables = make_tables(items)
    opened = {key: Engines(loads(POLICY.format(key=key), "bench/policy.toml"), tables) for key in ("", KEY)}
    plans = {name: (opened[key], plan(opened[key], text)) for name, (key, text) in CASES.items()}
    results = {name: engines.run(made).result() for name, (engines, made) in plans.items()}
    for first, second in zip(list(CASES)[::2], list(CASES)[1::2], strict=True):
        assert results[first] == results[second], "the same rows, whoever finds their customer"
    runs: dict[str, Callable[[], Any]] = {
        name: partial(lambda engines, made: engines.run(made).result(), *each) for name, each in plans.items()
    }
    seconds = alternate(runs, 3, min)
    rows = [[name, str(made.sets[0].limits.rows), f"{seconds[name]:.2f}"] for name, (_, made) in plans.items()]
    print(f"{items:,} items, {items // 4:,} orders, {items // 40:,} customers\n")
    print(markdown(["question", "rows of a unit that are charged", "seconds"], rows))


if __name__ == "__main__":
    main()
