"""Units cut before the filter, on every engine: the same rows are kept, and one unit moves no more than its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.compute as pc
import pytest

from conformance.data import READINGS, ROWS, World, drawn
from conformance.placing import in_duckdb, placed
from discreet.engines.engines import Engines
from discreet.plan.bounded import BoundedPlan
from discreet.query.bound import bound
from discreet.query.cut_first import cut_first
from support.hospital import asked, catalog_of, moved, sums

POLICY = """\
[budget]
epsilon = 10_000.0
delta = 1e-7
[tables.readings]
unit = "person"
size = 1000
max_rows = 3
[tables.readings.columns]
big = { lower = 0, upper = 70 }
word = { values = ["north", "south", "icu", "it's", "\\u00e9", "%_\\\\", ""], longest = 1024 }
flag = { values = [true, false] }
day = { lower = 2024-12-01, upper = 2025-01-31 }
[tables.readings.online]
columns = ["word", "flag", "big"]
epsilon = 1.0
"""
WORLD = World("online", POLICY, {"readings": drawn(READINGS, ROWS, 31, "person")})
HEAVIEST = Counter(WORLD.tables["readings"].column("person").drop_null().to_pylist()).most_common(1)[0][0]
"""Who has most rows, far over the limit."""

WORDS = "word IN ('north', 'south', 'icu', 'it''s', '\u00e9', '%_\\', '')"
PARTS = (f"{WORDS} AND flag", f"{WORDS} AND NOT flag", f"{WORDS} AND flag IS NULL", f"NOT ({WORDS})", "word IS NULL")
WHOLE = "SELECT COUNT(*) FROM readings"
QUESTIONS = (
    WHOLE,
    *(f"SELECT COUNT(*) FROM readings WHERE {part}" for part in PARTS),
    "SELECT word, flag, COUNT(*) FROM readings GROUP BY word, flag",
    "SELECT CASE WHEN word IN ('north', 'icu') THEN word ELSE 'other' END, COUNT(*) FROM readings GROUP BY 1",
    "SELECT flag, COUNT(*) FROM readings WHERE big BETWEEN 10 AND 60 AND word <> 'north' GROUP BY flag",
)


def plan_of(engines: Engines, text: str) -> BoundedPlan:
    catalog = catalog_of(engines)
    plan = bound(cut_first(asked(engines, text), catalog), catalog, {}).plan
    assert plan.block.source.rows == 3, text  # type: ignore[union-attr]
    return plan


@pytest.fixture(params=["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.long)])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


def test_every_engine_cuts_units_to_the_same_rows_and_parts_add_up_to_the_whole(engines: Engines) -> None:
    here = in_duckdb(WORLD)
    counted = {}
    for text in QUESTIONS:
        plan = plan_of(engines, text)
        assert plan == plan_of(here, text)
        counted[text] = sums(engines.run(plan).result())
        assert counted[text] == sums(here.run(plan).result()), text
    people = Counter(WORLD.tables["readings"].column("person").drop_null().to_pylist())
    kept = sum(min(count, 3) for count in people.values())
    assert counted[WHOLE] == ((kept,),), "nobody keeps more than the limit, and nobody less"
    parts = [counted[f"SELECT COUNT(*) FROM readings WHERE {part}"] for part in PARTS]
    assert sum(part[0][0] for part in parts) == kept
    assert kept < len(WORLD.tables["readings"])


def test_without_one_unit_no_count_moves_further_than_declared() -> None:
    table = WORLD.tables["readings"]
    without = table.filter(pc.fill_null(pc.not_equal(table["person"], HEAVIEST), True))
    assert len(table) - len(without) > 3
    here, there = in_duckdb(WORLD), in_duckdb(World("online", POLICY, {"readings": without}))
    reached = 0
    for text in QUESTIONS:
        plan = plan_of(here, text)
        found = moved(here.run(plan).result(), there.run(plan).result())
        for measure, (l1, l2_squared) in zip(plan.measures, found, strict=True):
            assert l1 <= plan.l1(measure) == 3
            assert l2_squared <= plan.l2_squared(measure)
            reached += l1 == 3
    assert reached, "somebody over the limit reaches what is declared"
