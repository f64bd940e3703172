"""What limits leave out, on every engine: the same counts as by hand, and one unit moves them as far as declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from conformance.data import World, worlds
from conformance.placing import in_duckdb, placed
from discreet.engines.engines import Engines
from discreet.plan.bounded import BoundedPlan
from discreet.query.left_out import UNITS, LeftOutCount, plan_left_out
from support.hospital import bounded, moved, sums

(WORLD,) = (each for each in worlds() if each.name == "readings")
TABLE = WORLD.tables["readings"]
WORDS = ("north", "south", "icu", "it's", "\u00e9", "%_\\", "")
"""The declared values of a key: rows with others are in no group, and use up no limit."""

QUESTIONS: tuple[tuple[str, LeftOutCount, dict[str, Any]], ...] = (
    ("SELECT COUNT(*) FROM readings", UNITS, {}),
    ("SELECT COUNT(*), SUM(x) FROM readings", 5, {"max_rows": 6}),
    ("SELECT COUNT(*) FROM readings WHERE flag", UNITS, {"max_rows": 2}),
    ("SELECT word, COUNT(*) FROM readings GROUP BY word", UNITS, {}),
    ("SELECT word, flag, COUNT(*) FROM readings GROUP BY word, flag", UNITS, {"max_groups": 1}),
    ("SELECT other, COUNT(*) FROM readings GROUP BY other", UNITS, {}),
    ("SELECT word, COUNT(*) FROM readings WHERE word <> 'north' AND big < 99 GROUP BY word", UNITS, {"max_groups": 2}),
)


def plan_of(engines: Engines, text: str, counted: LeftOutCount, tighter: dict[str, Any]) -> BoundedPlan:
    return plan_left_out(bounded(engines, text, **tighter).plan, counted).plan


@pytest.fixture(params=["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.long)])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


def test_every_engine_counts_the_same_and_what_is_counted_by_hand(engines: Engines) -> None:
    here = in_duckdb(WORLD)
    found = []
    for text, counted, tighter in QUESTIONS:
        plan = plan_of(engines, text, counted, tighter)
        assert plan == plan_of(here, text, counted, tighter)
        ((each,),) = sums(engines.run(plan).result())
        assert ((each,),) == sums(here.run(plan).result()), text
        found.append(each)
    rows = Counter(TABLE.column("person").drop_null().to_pylist())
    assert found[0] == sum(count > 7 for count in rows.values()), "all rows are one group"
    assert found[1] == sum(min(max(count - 6, 0), 5) for count in rows.values())
    kept = [row for row in TABLE.select(["person", "word"]).to_pylist() if row["person"] is not None]
    groups: dict[Any, Counter[str]] = {}
    for row in kept:
        if row["word"] in WORDS:
            groups.setdefault(row["person"], Counter())[row["word"]] += 1
    over = [each for each in groups.values() if each.total() > 12 or len(each) > 3 or max(each.values()) > 7]
    assert found[3] == len(over) > 0


def test_one_unit_moves_a_count_by_one_and_rows_by_the_most_that_was_declared() -> None:
    people = Counter(TABLE.column("person").drop_null().to_pylist())
    heaviest = people.most_common(1)[0][0]
    without = TABLE.filter(pc.fill_null(pc.not_equal(TABLE["person"], heaviest), True))
    here = in_duckdb(WORLD)
    there = in_duckdb(World(WORLD.name, WORLD.policy, {**WORLD.tables, "readings": without}))
    reached = 0
    for text, counted, tighter in QUESTIONS:
        plan = plan_of(here, text, counted, tighter)
        (measure,), most = plan.measures, 1 if counted == UNITS else counted
        assert plan.l1(measure) == plan.l2_squared(measure) ** 0.5 == most, text
        ((l1, _),) = moved(here.run(plan).result(), there.run(plan).result())
        assert l1 <= most, text
        reached += l1 == most
    assert reached >= 3, "who is far over the limits moves a count as far as declared"
