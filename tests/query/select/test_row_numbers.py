"""Rows of one unit are numbered: by its own rows alone, in whatever order they lie."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from discreet.plan.relations import Nested, NumberKind
from support.hospital import asked, bounded, engine_of, refusal, sums
from support.oracle import ENGINE, POLICY, TABLES, assert_same

ROW = "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY"
TIED = (
    f"SELECT ward, COUNT(*), SUM(age) FROM (SELECT *, {ROW} sick) AS r FROM visits) WHERE r = 1 GROUP BY ward",
    f"SELECT r, COUNT(age), SUM(cost) FROM (SELECT age, cost, {ROW} ward DESC, sick) AS r FROM visits) GROUP BY r",
    f"SELECT ward, SUM(r), SUM(s) FROM (SELECT ward, {ROW} sick) AS r, {ROW} ward) AS s FROM visits) GROUP BY ward",
)
"""Questions in which rows tie."""


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT COUNT(*) FROM (SELECT *, {ROW} age) AS r FROM visits) WHERE r = 1",
        f"SELECT r, COUNT(*) FROM (SELECT {ROW} age) AS r FROM visits) GROUP BY r",
        f"SELECT ward, COUNT(*) FROM (SELECT ward, {ROW} age, cost, ward, sick) AS r FROM visits) WHERE r <= 2 "
        "GROUP BY ward",
        "SELECT SUM(r), SUM(d) FROM (SELECT RANK() OVER (PARTITION BY patient ORDER BY ward DESC) AS r, "
        "DENSE_RANK() OVER (PARTITION BY sick, patient ORDER BY age NULLS FIRST, cost DESC) AS d FROM visits)",
        f"SELECT COUNT(DISTINCT patient), SUM(cost) FROM (SELECT *, {ROW} cost DESC, age, ward, sick) AS r FROM visits "
        "WHERE age > 20) WHERE r = 2",
        f"SELECT SUM(n) FROM (SELECT patient, MAX(r) AS n FROM (SELECT patient, {ROW} age) * 2 + age * 0 AS r "
        "FROM visits WHERE age IS NOT NULL) GROUP BY patient)",
        f"SELECT COUNT(*) FROM (SELECT patient, {ROW} age) AS r FROM visits) a JOIN stays b ON a.patient = b.who "
        "WHERE r = 1",
        f"WITH f AS (SELECT patient, age, {ROW} age, cost, ward, sick) AS r FROM visits) SELECT COUNT(*), SUM(a.age) "
        "FROM f a JOIN f b ON a.patient = b.patient AND a.r = b.r",
        "SELECT COUNT(*) FROM (SELECT v.age, RANK() OVER (PARTITION BY v.patient ORDER BY floor, v.cost) AS r "
        "FROM visits v JOIN wards USING (ward)) WHERE r > 1 AND age > 9",
    ],
)
def test_rows_have_the_numbers_of_duckdb(text: str) -> None:
    assert_same(text)


@pytest.mark.parametrize("text", TIED)
def test_where_rows_tie_their_order_in_the_table_changes_nothing(text: str) -> None:
    results = set()
    for seed in range(4):
        order = list(range(TABLES["visits"].num_rows))
        random.Random(seed).shuffle(order)
        engine = engine_of(POLICY, {**TABLES, "visits": TABLES["visits"].take(order)})
        results.add(str(sums(engine.run(bounded(engine, text).plan).result())))
        engine.close()
    assert len(results) == 1


@pytest.mark.parametrize("text", TIED)
def test_nobody_changes_the_numbers_of_others(text: str) -> None:
    visits = TABLES["visits"]
    whose = visits.column("patient").to_pylist()
    tables = {
        "all": visits,
        "others": visits.take([at for at, each in enumerate(whose) if each != 7]),
        "alone": visits.take([at for at, each in enumerate(whose) if each == 7]),
    }
    found = {}
    for name, table in tables.items():
        engine = engine_of(POLICY, {**TABLES, "visits": table})
        found[name] = sums(engine.run(bounded(engine, text).plan).result())
        engine.close()
    for whole, others, alone in zip(found["all"], found["others"], found["alone"], strict=True):
        assert list(whole) == [a + b for a, b in zip(others, alone, strict=True)]


MANY = """\
[budget]
epsilon = 1.0
[tables.visits]
unit = "patient"
max_rows = 1000
[tables.visits.columns]
age = { lower = 0, upper = 9 }
"""


def test_rows_that_are_equal_have_one_order_for_all_numbers() -> None:
    """Of equal rows, which is first makes no difference to one number, and to how two of them pair off it would."""
    text = (
        f"SELECT COUNT(*) FROM (SELECT {ROW} age) AS r, ROW_NUMBER() OVER (PARTITION BY patient, ward ORDER BY age "
        "DESC) AS s FROM visits) WHERE r + s = 61 AND r < 30"
    )
    for seed in range(3):
        draw = random.Random(seed)
        alone = [(77, draw.choice([1, 2]), "icu") for _ in range(60)]
        others = [(1, draw.choice([1, 2]), "icu") for _ in range(60)]
        others += [(patient, draw.choice([1, 2]), "icu") for patient in range(2, 40) for _ in range(7)]
        draw.shuffle(others)
        found = []
        for rows in (others + alone, others, alone):
            columns = zip(("patient", "age", "ward"), zip(*rows, strict=True), strict=True)
            engine = engine_of(MANY, {"visits": pa.table({name: list(values) for name, values in columns})})
            ((count,),) = sums(engine.run(bounded(engine, text).plan).result())
            found.append(count)
            engine.close()
        assert found[0] == found[1] + found[2]


@pytest.mark.parametrize(
    ("where", "by", "rows"),
    [
        ("r = 1", "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age)", 1),
        ("r <= 3 AND age > 10", "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age)", 3),
        ("3 > r", "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age)", 2),
        ("r <= 99", "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age)", 20),
        ("r <= 0", "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age)", 1),
        ("r >= 1", "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age)", 20),
        ("r = 1 OR age > 3", "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age)", 20),
        ("r = 1", "ROW_NUMBER() OVER (PARTITION BY patient, ward ORDER BY age)", 20),
        ("r = 1", "RANK() OVER (PARTITION BY patient ORDER BY age)", 20),
    ],
)
def test_the_first_rows_of_a_unit_are_as_many_as_their_numbers(where: str, by: str, rows: int) -> None:
    plan = bounded(ENGINE, f"SELECT COUNT(*) FROM (SELECT *, {by} AS r FROM visits) WHERE {where}").plan
    assert plan.sets[0].limits.l1() == rows


def test_numbers_lie_between_one_and_the_rows_of_a_unit() -> None:
    plan = bounded(ENGINE, f"SELECT r, SUM(r) FROM (SELECT {ROW} age) AS r FROM visits) GROUP BY r").plan
    assert plan.keys[0].domain == tuple(range(1, 21))
    assert plan.measures[0].reach == 20


def test_a_number_is_computed_once_however_often_it_is_written() -> None:
    source = asked(ENGINE, f"SELECT SUM(r + s) FROM (SELECT {ROW} age) AS r, {ROW} age) AS s FROM visits)").block.source
    assert isinstance(source, Nested)
    assert [each.kind for each in source.numbers] == [NumberKind.ROW]


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ("ROW_NUMBER() OVER (ORDER BY age)", "with the unit among the columns of PARTITION BY"),
        ("ROW_NUMBER() OVER (PARTITION BY ward ORDER BY age)", "with the unit among the columns of PARTITION BY"),
        ("ROW_NUMBER() OVER (PARTITION BY patient + 0 ORDER BY age)", "with the unit among the columns"),
        ("ROW_NUMBER() OVER (PARTITION BY patient)", "and with ORDER BY"),
        ("ROW_NUMBER() OVER (PARTITION BY patient ORDER BY patient)", "other columns than the unit"),
        ("ROW_NUMBER() OVER (PARTITION BY patient ORDER BY 1)", "a constant orders nothing"),
        ("SUM(age) OVER (PARTITION BY patient ORDER BY age)", "ROW_NUMBER, RANK and DENSE_RANK"),
        ("LAG(age) OVER (PARTITION BY patient ORDER BY age)", "ROW_NUMBER, RANK and DENSE_RANK"),
        ("RANK() OVER (PARTITION BY patient ORDER BY age ROWS 1 PRECEDING)", "without a frame"),
    ],
)
def test_numbers_across_units_are_refused(inner: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM (SELECT {inner} AS r FROM visits) WHERE r = 1")


def test_a_column_that_was_renamed_to_the_unit_is_none() -> None:
    text = "SELECT RANK() OVER (PARTITION BY patient ORDER BY age) AS r FROM (SELECT 1 AS patient, age FROM visits)"
    assert "with the unit among" in refusal(ENGINE, f"SELECT COUNT(*) FROM ({text}) WHERE r = 1")
