"""Keys and units across foreign keys on every engine: the same rows, once for each unit that reaches them.

Neighbours differ in the orders of one customer. Items and shipments name nobody, so they are the same in all databases:
what must vanish with a customer are the joined rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.asking import PATHS
from conformance.data import World, worlds
from conformance.placing import in_duckdb, placed
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult
from discreet.plan.bounded import Part
from discreet.plan.relations import list_scans
from support.hospital import bounded, by_unit, moved, rows_of
from support.shop import POLICY, make_odd, only, without

SHARED = 1
"""The customer whose first order is there three times, and belongs to another one too."""

HEAVY = 5
"""The customer who has more orders and items than anybody may have."""

(WORLD,) = (each for each in worlds() if each.name == "shop")
NEIGHBOURS = {
    f"{name}{who}": World(f"shop_{name}_{who}", POLICY, make(who))
    for who in (SHARED, HEAVY)
    for name, make in (("without", without), ("only", only))
}

QUESTIONS = PATHS["keys and paths"]

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


def test_every_engine_keeps_the_same_rows(engines: Engines) -> None:
    here = in_duckdb(WORLD)
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


ON_EACH = [
    ("duckdb", SHARED),
    ("duckdb", HEAVY),
    ("postgres", SHARED),
    ("postgres", HEAVY),
    pytest.param("spark", SHARED, marks=pytest.mark.long),
    pytest.param("spark", HEAVY, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("engines", "who"), ON_EACH, indirect=["engines"])
def test_a_customer_moves_nothing_further_than_declared_and_no_row_of_others(
    engines: Engines, who: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    kind = request.node.callspec.params["engines"]
    questions = QUESTIONS[::3] if kind == "spark" else QUESTIONS  # a second for each, however small
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
    here.close()
