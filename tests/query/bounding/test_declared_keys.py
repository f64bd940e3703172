"""Joins cost what they make: a declared key is enforced at the scan where a join rests on it, and only there."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from discreet.base.errors import QueryError
from discreet.engines.engines import Engines
from discreet.plan.identity import hash_plan
from discreet.plan.relations import Scan, list_scans
from discreet.query.work import list_work
from support.hospital import bounded, rows_of
from support.shop import POLICY, make_shop, open_shop

GROUPED = "(SELECT custkey, orderkey, COUNT(*) AS n FROM lineitem GROUP BY custkey, orderkey)"


@pytest.fixture(scope="module")
def shop() -> Iterator[Engines]:
    engines = open_shop()
    yield engines
    engines.close()


def most_rows(engines: Engines, text: str) -> int:
    return bounded(engines, text).plan.sets[0].limits.rows


def enforced(engines: Engines, text: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {scan.table: scan.unique for scan in list_scans(bounded(engines, text).plan.block) if scan.unique}


def test_items_joined_with_their_orders_cost_24_rows_and_not_24_times_8(shop: Engines) -> None:
    asked = "SELECT COUNT(*), SUM(quantity) FROM lineitem JOIN orders USING (orderkey)"
    plan = bounded(shop, asked).plan
    assert plan.sets[0].limits.rows == 24
    assert [plan.l1(measure) for measure in plan.measures] == [24 * measure.reach for measure in plan.measures]
    assert enforced(shop, asked) == {"orders": (("orderkey",),)}
    without_keys = open_shop(policy=POLICY.replace('unique = [["orderkey"]]', ""))
    assert most_rows(without_keys, asked) == 24 * 8
    without_keys.close()


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("FROM orders JOIN lineitem USING (orderkey)", 24),
        ("FROM lineitem l LEFT JOIN orders o ON l.orderkey = o.orderkey", 24),
        ("FROM orders o LEFT JOIN lineitem l ON l.orderkey = o.orderkey", 24 + 8),
        (
            "FROM lineitem l JOIN orders o ON l.orderkey = o.orderkey AND l.custkey = o.custkey AND l.flag = o.status",
            24,
        ),
        ("FROM lineitem l JOIN orders o ON l.orderkey = o.orderkey AND l.line = o.total", 8),
        ("FROM lineitem JOIN (SELECT * FROM orders WHERE total > 5) o USING (orderkey)", 24),
        ("FROM lineitem JOIN (SELECT custkey, orderkey AS k FROM orders) o ON lineitem.orderkey = o.k", 24),
        ("FROM lineitem JOIN orders USING (orderkey) JOIN customer USING (custkey)", 24),
        ("FROM customer JOIN orders USING (custkey) JOIN lineitem ON lineitem.orderkey = orders.orderkey", 24),
        ("FROM shipment JOIN lineitem USING (orderkey, line)", 30),
        ("FROM shipment s JOIN lineitem l USING (orderkey, line) JOIN orders o ON l.orderkey = o.orderkey", 30),
        ("FROM orders a JOIN orders b USING (orderkey)", 8),
        (f"FROM orders o JOIN {GROUPED} g ON o.custkey = g.custkey AND o.orderkey = g.orderkey", 8),
        (f"FROM lineitem l JOIN {GROUPED} g ON l.custkey = g.custkey AND l.orderkey = g.orderkey", 24),
        ("FROM lineitem JOIN (SELECT custkey, SUM(total) AS t FROM orders GROUP BY custkey) USING (custkey)", 24),
    ],
)
def test_a_join_on_all_columns_of_a_key_meets_one_row(shop: Engines, asked: str, rows: int) -> None:
    assert most_rows(shop, f"SELECT COUNT(*) {asked}") == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("FROM lineitem JOIN orders USING (custkey)", 24 * 8),
        ("FROM orders a JOIN orders b ON a.custkey = b.custkey AND a.total = b.total", 64),
        ("FROM orders a JOIN orders b ON a.custkey = b.custkey AND a.orderkey = b.orderkey + 0", 64),
        ("FROM orders a JOIN orders b ON a.custkey = b.custkey AND a.orderkey + 0 = b.orderkey + 0", 64),
        ("FROM orders a JOIN orders b ON a.custkey = b.custkey AND a.orderkey / 1 = b.orderkey", 64),
        ("FROM shipment s JOIN lineitem l ON s.custkey = l.custkey AND s.line = l.line", 30 * 24),
        (f"FROM lineitem l JOIN {GROUPED} g ON l.custkey = g.custkey AND l.line = g.n", 24 * 24),
    ],
)
def test_a_join_that_does_not_cover_a_key_costs_all_pairs(shop: Engines, asked: str, rows: int) -> None:
    assert most_rows(shop, f"SELECT COUNT(*) {asked}") == rows


@pytest.mark.parametrize(
    "asked",
    [
        "FROM orders",
        "FROM lineitem JOIN orders USING (custkey)",
        f"FROM orders o JOIN {GROUPED} g ON o.custkey = g.custkey AND o.orderkey = g.orderkey",
        "FROM customer JOIN orders USING (custkey)",
        "FROM (SELECT orderkey FROM orders UNION ALL SELECT orderkey FROM lineitem)",
    ],
)
def test_a_plan_that_does_not_profit_from_a_key_stays_as_it_is(shop: Engines, asked: str) -> None:
    text = f"SELECT COUNT(*) {asked}"
    without_keys = open_shop(policy="".join(line for line in POLICY.splitlines(True) if "unique" not in line))
    assert enforced(shop, text) == {}
    assert hash_plan(bounded(shop, text).plan) == hash_plan(bounded(without_keys, text).plan)
    without_keys.close()


def test_rows_of_units_are_bounded_by_keys_too(shop: Engines) -> None:
    assert rows_of(shop, "SELECT quantity, total FROM lineitem JOIN orders USING (orderkey)").rows == 24


def test_the_public_bound_on_time_counts_one_partner_and_the_tables_on_the_path(shop: Engines) -> None:
    asked = "SELECT COUNT(*) FROM lineitem l JOIN orders o USING (orderkey)"
    joined = [each.rows for each in list_work(bounded(shop, asked).plan) if each.what == "rows that are joined"]
    assert joined == [24]
    read = [each.what for each in list_work(bounded(shop, "SELECT COUNT(*) FROM shipment").plan)]
    assert "rows of orders, to which shipment leads" in read
    assert "rows of lineitem, to which shipment leads" in read


def test_a_join_that_names_no_unit_follows_a_path_or_a_key_or_is_refused(shop: Engines) -> None:
    assert bounded(shop, "SELECT COUNT(*) FROM lineitem JOIN orders USING (orderkey)").coarsened == ()
    assert bounded(shop, "SELECT COUNT(*) FROM orders a JOIN orders b USING (orderkey)").coarsened == (
        "`JOIN orders AS b USING (orderkey)`: only rows of the same custkey are joined",
    )
    for text in (
        "SELECT COUNT(*) FROM orders a JOIN orders b ON a.total = b.total",
        "SELECT COUNT(*) FROM shipment s JOIN lineitem l ON s.orderkey = l.orderkey",
        "SELECT COUNT(*) FROM lineitem l JOIN orders o ON l.line = o.orderkey + 0",
        f"SELECT COUNT(*) FROM lineitem l JOIN {GROUPED} g ON l.line = g.orderkey",
        "SELECT COUNT(*) FROM lineitem, orders",
    ):
        with pytest.raises(QueryError, match="private tables are joined on the unit"):
            bounded(shop, text)


def test_pairs_along_a_path_are_those_of_sql(shop: Engines) -> None:
    """Order 10 is there three times for one customer and once for another; everybody keeps all rows here."""
    wide = POLICY.replace("max_rows = 8", "max_rows = 99").replace("max_rows = 24", "max_rows = 99")
    engines = open_shop(policy="".join(line for line in wide.splitlines(True) if "unique" not in line))
    raw = duckdb.connect()
    for name, table in make_shop().items():
        raw.register(name, table)
    asked = "SELECT COUNT(*) FROM lineitem JOIN orders USING (orderkey)"
    expected = raw.execute(f"{asked} WHERE custkey IS NOT NULL").fetchone()
    (sums,) = engines.run(bounded(engines, asked).plan).result().sets[0].sums
    assert sums == expected
    engines.close()


def test_the_unit_of_a_path_is_no_column_and_others_of_its_name_go_first(shop: Engines) -> None:
    plan = bounded(shop, "SELECT COUNT(*) FROM lineitem JOIN orders USING (orderkey) WHERE custkey > 3").plan
    assert "'o'" not in repr(plan)
    assert [scan.through for scan in list_scans(plan.block)] == [("orders",), ()]
    with pytest.raises(QueryError, match="`custkey` is hidden"):
        bounded(shop, "SELECT COUNT(*) FROM lineitem WHERE custkey > 3")
    for text in (
        "SELECT COUNT(DISTINCT custkey) FROM lineitem",
        "SELECT AVG(n) FROM (SELECT custkey, COUNT(*) AS n FROM shipment GROUP BY custkey)",
        "SELECT COUNT(*) FROM orders WHERE custkey IN (SELECT custkey FROM lineitem WHERE quantity > 20)",
        "SELECT COUNT(*) FROM (SELECT * FROM lineitem JOIN orders USING (orderkey)) JOIN customer USING (custkey)",
    ):
        assert bounded(shop, text)


def test_every_scan_knows_its_path(shop: Engines) -> None:
    (scan,) = list_scans(bounded(shop, "SELECT COUNT(*) FROM shipment").plan.block)
    assert scan == Scan("shipment", "t0", through=("lineitem", "orders"))
