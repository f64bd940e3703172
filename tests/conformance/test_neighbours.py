"""Neighbours on every engine: without one unit no sum moves further than declared, and others' parts stay as they were.

Neighbours lie in one table: a condition on the unit leaves somebody out. So few statements are enough, as Spark needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.data import worlds
from conformance.placing import placed
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult
from discreet.plan.bounded import Part
from support.hospital import bounded, moved

(WORLD,) = (each for each in worlds() if each.name == "readings")
HEAVIEST = max(Counter(WORLD.tables["readings"].column("person").drop_null().to_pylist()).items(), key=lambda x: x[1])[
    0
]
"""Who has most rows, far over all limits."""

QUESTIONS = (
    "SELECT COUNT(*), COUNT(x), SUM(x), SUM(big), COUNT(DISTINCT person) FROM readings WHERE {who}",
    "SELECT word, COUNT(*), SUM(x), SUM(y), COUNT(DISTINCT person) FROM readings WHERE {who} GROUP BY word",
    "SELECT flag, word, COUNT(*), SUM(exact) FROM readings WHERE {who} GROUP BY flag, word",
    "SELECT word, COUNT(*), MEDIAN(x) FROM readings WHERE {who} GROUP BY word",
    "SELECT COUNT(*), SUM(LEAST(GREATEST(s, -50), 50)) FROM (SELECT person, SUM(x) AS s FROM readings "
    "WHERE {who} GROUP BY person) WHERE s IS NOT NULL",
    "SELECT COUNT(*), SUM(a.x) FROM readings a JOIN readings b ON a.person = b.person AND a.word = b.word "
    "WHERE {who_a}",
    "SELECT word, COUNT(*), SUM(r) FROM (SELECT person, word, ROW_NUMBER() OVER (PARTITION BY person ORDER BY flag) "
    "AS r FROM readings) WHERE {who} AND r <= 2 GROUP BY word",
    "SELECT COUNT(*), SUM(weight * 0 + 1) FROM readings JOIN codes USING (word) WHERE {who} AND weight < 9",
)


@pytest.fixture(params=["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.long)])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


def result(engines: Engines, question: str, who: str) -> ExactResult:
    text = question.format(who=who, who_a=who.replace("person", "a.person"))
    return engines.run(bounded(engines, text).plan).result()


def test_nobody_moves_a_result_further_than_declared_nor_anybody_elses_part(engines: Engines) -> None:
    reached = 0
    for question in QUESTIONS:
        plan = bounded(engines, question.format(who="TRUE", who_a="TRUE")).plan
        whole, without, alone = (
            result(engines, question, who)
            for who in ("person IS NOT NULL", f"person IS DISTINCT FROM {HEAVIEST}", f"person = {HEAVIEST}")
        )
        for measure, (l1, l2_squared) in zip(plan.measures, moved(whole, without), strict=True):
            if measure.part is not Part.RANKS:
                assert l1 <= plan.l1(measure), (question, measure)
                assert l2_squared <= plan.l2_squared(measure), (question, measure)
                reached += l1 == plan.l1(measure)
        for all_of, others, mine in zip(whole.sets[0].sums, without.sets[0].sums, alone.sets[0].sums, strict=True):
            assert all_of == tuple(a + b for a, b in zip(others, mine, strict=True)), question
    assert reached >= 2, "somebody over all limits reaches what is declared"
