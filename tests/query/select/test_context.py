"""WITH and views: what each name stands for, and what its subquery can see."""

from __future__ import annotations

import pytest
from sqlglot import exp

from discreet.query.select.context import Context
from discreet.query.select.subqueries import read_select
from support.hospital import asked, catalog_of, refusal
from support.oracle import ENGINE, assert_same


@pytest.mark.parametrize(
    "text",
    [
        "WITH a AS (SELECT * FROM visits WHERE age > 30) SELECT COUNT(*) FROM a",
        "WITH a AS (SELECT * FROM visits), b AS (SELECT * FROM a WHERE sick) SELECT COUNT(*) FROM b",
        "WITH a AS (SELECT age FROM visits) SELECT SUM(age) FROM (WITH a AS (SELECT days age FROM stays) FROM a)",
        "WITH visits AS (SELECT * FROM visits WHERE sick) SELECT COUNT(*) FROM visits",
        "WITH a AS (SELECT patient FROM visits JOIN stays ON who = patient) "
        "SELECT COUNT(*) FROM a JOIN a b USING (patient)",
        "SELECT COUNT(*), SUM(cost) FROM adults",
        "SELECT SUM(total), SUM(n) FROM totals",
        "WITH adults AS (SELECT * FROM visits WHERE age >= 60) SELECT COUNT(*) FROM adults",
        "SELECT n, COUNT(*) FROM totals JOIN visits USING (patient) GROUP BY n",
    ],
)
def test_names_stand_for_what_they_do_in_duckdb(text: str) -> None:
    assert_same(text)


def test_a_view_does_not_see_the_names_of_a_question() -> None:
    text = "WITH visits AS (SELECT days AS age, who AS patient, price AS cost FROM stays) SELECT COUNT(*) FROM adults"
    assert_same("SELECT COUNT(*) FROM adults")
    assert asked(ENGINE, text) == asked(ENGINE, "SELECT COUNT(*) FROM adults")


def test_what_is_refused() -> None:
    assert "WITH names 'A' twice" in refusal(
        ENGINE, "WITH a AS (SELECT 1 FROM visits), A AS (SELECT 2 FROM visits) SELECT COUNT(*) FROM a"
    )
    assert "leave MATERIALIZED out" in refusal(
        ENGINE, "WITH a AS MATERIALIZED (SELECT age FROM visits) SELECT COUNT(*) FROM a"
    )
    assert "name the columns inside" in refusal(ENGINE, "WITH a(x) AS (SELECT age FROM visits) SELECT COUNT(*) FROM a")
    deep = "visits"
    for _ in range(40):
        deep = f"(SELECT patient FROM {deep} a UNION ALL SELECT patient FROM visits)"
    assert "more than 32 tables" in refusal(ENGINE, f"SELECT COUNT(*) FROM {deep}")


def test_a_look_ahead_gives_no_relation_the_name_of_one_that_with_reads() -> None:
    reading = Context(catalog_of(ENGINE), {}, read_select)
    ahead = reading.named("w", exp.select("1")).fresh()
    found = ahead.subquery("w")
    assert found is not None
    assert len({counter.next() for counter in (ahead.counter, found[1].counter) for _ in range(3)}) == 6
