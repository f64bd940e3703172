"""Rows from the parts of texts: the rows of DuckDB, charged as the places that are looked at."""

from __future__ import annotations

import pytest

from support.hospital import bounded, engine_of, refusal, sums
from support.oracle import ENGINE, POLICY, TABLES, assert_same

PART = "unnest(string_split(ward, 'i')[1:3])"


def nest(depth: int) -> str:
    """Return parts of parts of parts: each level would be 32 times as long as the one inside it."""
    inner = "visits" if depth == 1 else nest(depth - 1)
    return f"(SELECT unnest(string_split(ward, 'i')[1:32]) AS ward FROM {inner})"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT COUNT(*) FROM (SELECT {PART} AS part FROM visits)",
        f"SELECT COUNT(*), SUM(age) FROM (SELECT age, {PART} AS part FROM visits WHERE age > 20 OR cost > 3) "
        "WHERE part = 'cu'",
        f"SELECT COUNT(*) FROM (SELECT UPPER({PART}) AS part FROM visits) WHERE part LIKE '%C%'",
        "SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, 'i')[2:2]) AS part FROM visits)",
        "SELECT COUNT(*) FROM (SELECT unnest(str_split(ward, 'cu')[:2]) AS part FROM visits) WHERE part = ''",
        "SELECT COUNT(*) FROM (SELECT unnest(string_split(LOWER(ward) || 'aaa', 'aa')[1:4]) AS part FROM visits)",
        "WITH parts AS (SELECT patient, unnest(string_split(ward, 'u')[1:2]) AS part FROM visits) "
        "SELECT COUNT(*), COUNT(DISTINCT patient) FROM parts",
        "SELECT COUNT(*) FROM (SELECT v.age, unnest(string_split(v.ward, 'u')[1:2]) AS part FROM visits v "
        "JOIN wards w ON v.ward = w.ward) WHERE part <> ''",
        "SELECT COUNT(*) FROM (SELECT part, unnest(string_split(part, 'c')[1:2]) AS piece FROM "
        f"(SELECT {PART} AS part FROM visits)) WHERE piece = 'u'",
        "SELECT COUNT(part), SUM(age) FROM visits v, unnest(string_split(v.ward, 'i')[1:3]) AS u(part) "
        "WHERE v.age > 9 AND u.part = 'cu'",
        "SELECT COUNT(*) FROM (WITH visits AS (SELECT * FROM visits WHERE age > 20) SELECT patient, "
        "unnest(string_split(ward, 'u')[1:2]) AS part FROM visits)",
        "SELECT COUNT(*) FROM visits CROSS JOIN unnest(string_split(ward, 'i')[1:3]) AS u(part)",
    ],
)
def test_rows_are_those_of_duckdb(text: str) -> None:
    assert_same(text)


def test_rows_are_made_before_they_are_grouped() -> None:
    inner = f"(SELECT *, {PART} AS part FROM visits)"
    grouped = f"SELECT part, COUNT(*) FROM {inner} WHERE part IN ('', 'cu') GROUP BY part"
    direct = f"SELECT {PART} AS part, COUNT(*) FROM visits WHERE part IN ('', 'cu') GROUP BY part"
    assert _sums(direct) == _sums(grouped)
    assert bounded(ENGINE, direct).plan == bounded(ENGINE, grouped).plan


def test_a_unit_is_charged_for_all_places_that_are_looked_at() -> None:
    rows = bounded(ENGINE, "SELECT COUNT(*) FROM visits").plan.sets[0].limits.rows
    for most in (1, 2, 5):
        text = f"SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, 'i')[1:{most}]) AS part FROM visits)"
        assert bounded(ENGINE, text).plan.sets[0].limits.rows == most * rows


def test_nobody_makes_rows_of_others() -> None:
    text = f"SELECT COUNT(*), SUM(age) FROM (SELECT age, {PART} AS part FROM visits)"
    whole = _sums(text)
    patients = TABLES["visits"].column("patient").to_pylist()
    chosen = patients[0]
    alone, others = (
        [place for place, each in enumerate(patients) if (each == chosen) is wanted] for wanted in (True, False)
    )
    parts = []
    for places in (alone, others):
        engine = engine_of(POLICY, {**TABLES, "visits": TABLES["visits"].take(places)})
        parts.append(sums(engine.run(bounded(engine, text).plan).result()))
        engine.close()
    flat = [[number for column in each for number in column] for each in (*parts, whole)]
    assert [one + other for one, other in zip(flat[0], flat[1], strict=True)] == flat[2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, 'i')) AS p FROM visits)", "how many are looked at"),
        ("SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, 'i')[1:99]) AS p FROM visits)", "at most 32 parts"),
        ("SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, 'i')[0:2]) AS p FROM visits)", "how many are looked"),
        ("SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, 'i')[-2:2]) AS p FROM visits)", "how many are looked"),
        ("SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, '')[1:2]) AS p FROM visits)", "constant text"),
        ("SELECT COUNT(*) FROM (SELECT unnest(string_split(ward, ward)[1:2]) AS p FROM visits)", "constant text"),
        ("SELECT COUNT(*) FROM (SELECT unnest([1, 2]) AS p FROM visits)", "how many are looked at"),
        (f"SELECT COUNT(*) FROM (SELECT {PART} AS p, {PART} AS q FROM visits)", "one unnest in a SELECT"),
        (
            f"SELECT COUNT(*) FROM (SELECT {PART} AS p, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY age) AS r "
            "FROM visits)",
            "number rows in one SELECT",
        ),
        (f"SELECT {PART}, COUNT(*) FROM visits GROUP BY 1", "give it a name by itself"),
        (f"SELECT {PART} AS p, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY p", "one table in FROM"),
        ("SELECT COUNT(*) FROM visits, wards, unnest(string_split(ward, 'i')[1:2]) AS u(p)", "one table in FROM"),
        ("SELECT COUNT(*) FROM visits, unnest(string_split(ward, 'i')[1:2]) AS u", "name its column"),
        (f"SELECT COUNT(*) FROM {nest(2)}", "this question becomes too long"),
        (f"SELECT COUNT(*) FROM visits WHERE {PART} = 'i'", "unnest is a column of a SELECT"),
    ],
)
def test_others_are_refused_with_what_to_write(text: str, message: str) -> None:
    assert message in refusal(ENGINE, text)


def _sums(text: str) -> tuple[tuple[int, ...], ...]:
    return sums(ENGINE.run(bounded(ENGINE, text).plan).result())
