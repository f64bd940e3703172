"""Keys and units across foreign keys on every engine: the same rows, once for each unit that reaches them.

Neighbours differ in the orders of one customer. Items and shipments name nobody, so they are the same in all databases:
what must vanish with a customer are the joined rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from conformance.data import World
from conformance.placing import in_duckdb, placed
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult
from discreet.plan.bounded import Part
from discreet.plan.relations import list_scans
from support.hospital import bounded, by_unit, moved, rows_of
from support.shop import CUSTOMERS, POLICY, make_shop, only, without

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


def _table(rows: Sequence[tuple[Any, ...]], kinds: dict[str, pa.DataType]) -> pa.Table:
    columns = ((name, kind, [row[at] for row in rows]) for at, (name, kind) in enumerate(kinds.items()))
    return pa.table({name: pa.array(values, kind) for name, kind, values in columns})


SHARED = 1
"""The customer whose first order is there three times, and belongs to another one too."""

HEAVY = 5
"""The customer who has more orders and items than anybody may have."""

WORLD = World("shop", POLICY + ODD, make_shop() | make_odd())
NEIGHBOURS = {
    f"{name}{who}": World(f"shop_{name}_{who}", POLICY, make(who))
    for who in (SHARED, HEAVY)
    for name, make in (("without", without), ("only", only))
}

QUESTIONS = (
    "SELECT COUNT(*), SUM(quantity), COUNT(DISTINCT custkey) FROM lineitem",
    "SELECT flag, COUNT(*), SUM(quantity) FROM lineitem GROUP BY flag",
    "SELECT COUNT(*), SUM(weight) FROM shipment",
    "SELECT COUNT(*), SUM(quantity), SUM(total) FROM lineitem JOIN orders USING (orderkey)",
    "SELECT status, COUNT(*), SUM(quantity) FROM orders LEFT JOIN lineitem USING (orderkey) GROUP BY status",
    "SELECT segment, COUNT(*), SUM(total) FROM lineitem JOIN orders USING (orderkey) JOIN customer USING (custkey) "
    "GROUP BY segment",
    "SELECT COUNT(*), SUM(weight), SUM(quantity) FROM shipment JOIN lineitem USING (orderkey, line)",
    "SELECT COUNT(*), SUM(LEAST(GREATEST(n, 0), 30)) FROM orders o JOIN (SELECT custkey, orderkey, COUNT(*) AS n "
    "FROM lineitem GROUP BY custkey, orderkey) g ON o.custkey = g.custkey AND o.orderkey = g.orderkey",
    "SELECT COUNT(*) FROM orders WHERE custkey NOT IN (SELECT custkey FROM lineitem WHERE quantity > 40)",
)
ODD_QUESTIONS = (
    "SELECT COUNT(*), SUM(weight), COUNT(DISTINCT person) FROM parcels",
    "SELECT COUNT(*), SUM(weight), COUNT(DISTINCT person) FROM bills",
    "SELECT COUNT(*), COUNT(b.day) FROM parcels JOIN labels b USING (code)",
    "SELECT COUNT(*), COUNT(b.day) FROM bills JOIN labels b USING (price, day)",
    "SELECT COUNT(*), COUNT(a.day), COUNT(b.day) FROM labels a JOIN labels b USING (person, price)",
)
SELECTS = (
    "SELECT quantity, quantity * 2 AS twice FROM lineitem",
    "SELECT quantity, total FROM lineitem JOIN orders USING (orderkey)",
)


@pytest.fixture(params=["duckdb", "postgres", "spark"])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


def result(engines: Engines, text: str) -> ExactResult:
    return engines.run(bounded(engines, text).plan).result()


def test_every_engine_has_the_same_rows(engines: Engines) -> None:
    here = in_duckdb(WORLD)
    for text in (*QUESTIONS, *ODD_QUESTIONS):
        plan = bounded(engines, text).plan
        assert plan == bounded(here, text).plan
        assert engines.run(plan).result() == here.run(plan).result(), text
    for text in SELECTS:
        rows = rows_of(engines, text)
        assert by_unit(engines.read(rows).result()) == by_unit(here.read(rows).result()), text


def test_decimals_that_are_one_float_are_different_keys() -> None:
    """Both have bills, and each person's labels name some of them."""
    tables = make_odd()
    rows = tables["labels"].to_pylist()
    labels = {(row["person"], row["price"], row["day"]) for row in rows if row["person"] and row["price"]}
    bills = [(bill["price"], bill["day"]) for bill in tables["bills"].to_pylist()]
    expected = sum(bill == (price, day) for bill in bills for _, price, day in labels)
    wide = replace(WORLD, policy=WORLD.policy.replace("max_rows = 9", "max_rows = 900"))
    found = in_duckdb(wide)
    (counted,) = result(found, "SELECT COUNT(*) FROM bills").sets[0].sums
    assert counted == (expected,)
    assert expected > 0
    found.close()


@pytest.mark.parametrize("engines", ["duckdb", "postgres", "spark"], indirect=True)
def test_a_customer_moves_nothing_further_than_declared_and_no_row_of_others(
    engines: Engines, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    kind = request.node.callspec.params["engines"]
    questions = QUESTIONS[::3] if kind == "spark" else QUESTIONS  # a second for each, however small
    for who in (SHARED, HEAVY):
        reached = 0
        with (
            placed(NEIGHBOURS[f"without{who}"], request, tmp_path, kind) as others,
            placed(NEIGHBOURS[f"only{who}"], request, tmp_path, kind) as alone,
        ):
            for text in questions:
                plan = bounded(engines, text).plan
                whole, base, mine = (each.run(plan).result() for each in (engines, others, alone))
                for measure, (l1, l2_squared) in zip(plan.measures, moved(whole, base), strict=True):
                    assert l1 <= plan.l1(measure), (text, measure)
                    assert l2_squared <= plan.l2_squared(measure), (text, measure)
                    reached += measure.part is Part.ROWS and l1 == plan.l1(measure)
                for all_of, rest, own in zip(whole.sets[0].sums, base.sets[0].sums, mine.sets[0].sums, strict=True):
                    assert all_of == tuple(a + b for a, b in zip(rest, own, strict=True)), text
        assert reached >= 1 or who != HEAVY, "somebody over all limits reaches what is declared"


def test_the_questions_rest_on_keys_and_paths() -> None:
    here = in_duckdb(WORLD)
    scans = [scan for text in QUESTIONS for scan in list_scans(bounded(here, text).plan.block)]
    assert sum(bool(scan.unique) for scan in scans) >= 4
    assert {scan.through for scan in scans} == {(), ("orders",), ("lineitem", "orders")}
    assert len(CUSTOMERS) > 5
    here.close()
