"""On PostgreSQL too no unit moves a result further than declared: each is taken out of tables of the worst values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.data import World, worlds
from conformance.placing import in_postgres
from discreet.engines.dialect import UNIT
from discreet.engines.engine import find_tables, find_unit_type
from discreet.engines.engines import Engines
from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.postgres.engine import PostgresEngine
from discreet.engines.result import ExactResult
from discreet.engines.statements import gather_sums, write_statements
from discreet.plan.bounded import BoundedPlan
from engines.test_statements import check_apart
from servers.postgres import Cluster
from support.hospital import answered, bounded

QUESTIONS = (
    "SELECT COUNT(*), SUM(x), SUM(big), AVG(y) FROM readings",
    "SELECT flag, word, COUNT(*), COUNT(DISTINCT person), SUM(x), SUM(big) FROM readings GROUP BY flag, word",
    "SELECT other, COUNT(*), SUM(x) FROM readings GROUP BY other",
    "SELECT word, MEDIAN(x), COUNT(*) FROM readings GROUP BY word",
    "SELECT VARIANCE(y), COUNT(DISTINCT word), SUM(exact) FROM readings WHERE NOT (flag AND x > 1)",
    "SELECT flag, word, COUNT(*), SUM(y) FROM readings GROUP BY GROUPING SETS ((flag), (word), (flag, word), ())",
    "SELECT COUNT(*) FROM readings a JOIN readings b ON a.person = b.person AND a.word = b.word",
    "SELECT word, AVG(n) FROM (SELECT person, word, COUNT(DISTINCT other) AS n FROM readings "
    "GROUP BY person, word) GROUP BY word",
    "SELECT code, COUNT(*) FROM readings JOIN codes USING (word) GROUP BY code",
    "SELECT COUNT(*) FROM readings WHERE person NOT IN (SELECT person FROM readings WHERE word = 'icu')",
    "SELECT COUNT(*), SUM(x) FROM named",
    "SELECT other, COUNT(*), COUNT(DISTINCT word), SUM(x) FROM named GROUP BY other",
    "SELECT flag, COUNT(*), SUM(x), COUNT(DISTINCT exact) FROM decimals GROUP BY flag",
    "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) FROM readings GROUP BY 1",
)
MOST = 14
"""Units that are taken out of a table: those with most rows, who are over the limits, and a few others."""


@pytest.fixture(scope="module")
def opened(postgres: Cluster) -> Iterator[Engines]:
    world: World = worlds()[2]
    with pytest.MonkeyPatch.context() as patch:
        engines = in_postgres(world, postgres, postgres.database(), patch)
        yield engines
        engines.close()


def units(engine: PostgresEngine, plan: BoundedPlan) -> list[str]:
    """Return SQL of the units that are taken out, one after the other."""
    (table,) = (name for name in find_tables(plan) if not engine.tables[name.casefold()].table.public)
    rows = engine._select(table, frozenset())
    kind = "bigint" if table == "readings" else "text"
    counted = f"SELECT {UNIT} AS u, count(*) AS n FROM ({rows}) AS q WHERE {UNIT} IS NOT NULL GROUP BY 1"
    with engine._server.connect() as session:
        heavy = session.rows(
            f"SELECT quote_literal(u::text) || '::{kind}' FROM ({counted}) AS q ORDER BY n DESC, u::text"
        )
    return [each for (each,) in [*heavy[: MOST - 4], *heavy[-4:]]]


def neighbours(engine: PostgresEngine, plan: BoundedPlan) -> list[ExactResult]:
    """Return the result of a plan, and of each neighbour: one statement for all of them, and for each set of keys."""
    worlds_ = ["FALSE", *(f"{UNIT} = {unit}" for unit in units(engine, plan))]

    def without(gone: str) -> Any:
        def source(table: str, columns: frozenset[str]) -> str:
            select = engine._select(table, columns)
            if engine.tables[table.casefold()].table.public:
                return select
            return f"SELECT * FROM ({select}) AS w WHERE ({gone}) IS NOT TRUE"

        return source

    steps = [write_statements(plan, without(gone), find_unit_type(plan, engine.tables), POSTGRES) for gone in worlds_]
    found: list[list[Any]] = [[] for _ in worlds_]
    with engine._server.connect() as session:
        for index in range(len(plan.sets)):
            parts = [f"SELECT {n}, * FROM ({each[index].statement}) AS w" for n, each in enumerate(steps)]
            rows = session.rows(" UNION ALL ".join(parts))
            for n, each in enumerate(steps):
                mine = [row[1:] for row in rows if row[0] == n]
                found[n].append(gather_sums(plan, index, *each[index].read(mine)))
    return [ExactResult(tuple(each)) for each in found]


@pytest.mark.many
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_unit_moves_a_result_further_than_declared(opened: Engines, question: str) -> None:
    engine = opened._open("engine")
    assert isinstance(engine, PostgresEngine)
    plan = bounded(opened, question).plan
    whole, *others = neighbours(engine, plan)
    assert whole == answered(opened, question)
    assert len(others) == MOST
    assert any(other != whole for other in others)
    for other in others:
        check_apart(plan, whole, other)
