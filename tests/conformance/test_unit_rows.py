"""Rows of units on every engine: the same rows are kept, and without one unit only that unit's rows are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.data import worlds
from conformance.placing import in_duckdb, placed
from discreet.engines.engines import Engines
from support.hospital import by_unit, rows_of

(WORLD,) = (each for each in worlds() if each.name == "readings")
HEAVIEST = Counter(WORLD.tables["readings"].column("person").drop_null().to_pylist()).most_common(1)[0][0]
"""Who has most rows, far over all limits."""

READINGS = "SELECT 1 AS one, x, y, big, exact FROM readings WHERE {who}"

SELECTS = (
    "SELECT x, y FROM readings",
    READINGS.format(who="flag IS NOT NULL"),
    "SELECT CASE WHEN word = 'north' THEN 1 ELSE 0 END AS north, ROUND(x, 1) AS x FROM named",
    "SELECT x FROM decimals",
    "SELECT big, x FROM single",
    "SELECT COUNT(*) AS n, SUM(x) AS s FROM readings GROUP BY person",
    "SELECT a.x, b.y FROM readings a JOIN readings b ON a.person = b.person AND a.word = b.word",
    "SELECT v FROM (SELECT person, x AS v FROM readings UNION ALL SELECT person, y FROM readings)",
    "SELECT x FROM nobody",
)
"""Units that are numbers, texts and decimals, rows that are units, joins, and a table without a row."""


@pytest.fixture(params=["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.long)])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


def test_every_engine_keeps_the_same_rows_and_nobody_more_than_the_limit(engines: Engines) -> None:
    here = in_duckdb(WORLD)
    full = 0
    for text in SELECTS:
        plan = rows_of(engines, text)
        assert plan == rows_of(here, text)
        found, expected = engines.read(plan).result(), here.read(plan).result()
        assert by_unit(found) == by_unit(expected), text
        counts = [len(each) for each in by_unit(found)]
        assert max(counts, default=0) <= plan.rows
        full += plan.units and max(counts, default=0) == plan.rows > 1
        for place, column in enumerate(plan.columns):
            points = found.points[:, place]
            assert ((column.grid.lower <= points) & (points <= column.grid.upper)).all()
    assert full >= 2, "somebody over the limit keeps as many rows as allowed"


def test_without_one_unit_the_rows_of_all_others_are_the_same(engines: Engines) -> None:
    whole, without, alone = (
        by_unit(engines.read(rows_of(engines, READINGS.format(who=who))).result())
        for who in ("person IS NOT NULL", f"person IS DISTINCT FROM {HEAVIEST}", f"person = {HEAVIEST}")
    )
    assert len(alone) == 1
    assert whole == sorted([*without, *alone])
