"""FROM, JOIN and WHERE: rows of private tables joined on their unit, and of public tables on equal columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from support.hospital import HOSPITAL, POLICY, answered, asked, bounded, engine_of, refusal, sums
from support.oracle import assert_same

ENGINE = engine_of()


@pytest.mark.many
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT COUNT(*)", "no FROM"),
        ("SELECT COUNT(*) FROM nobody", "there is no table 'nobody'"),
        ("SELECT COUNT(*) FROM wards", "is public"),
        ("SELECT COUNT(*) FROM store.visits", "schemas are not answered"),
        ("SELECT COUNT(*) FROM 'visits.parquet'", "there is no table"),
        ("SELECT COUNT(*) FROM read_csv('x')", "functions and files are not read"),
        ("SELECT COUNT(*) FROM (VALUES (1)) v", "FROM takes tables"),
        ("SELECT COUNT(*) FROM visits AS v(a, b)", "columns is not answered"),
        ("SELECT COUNT(*) FROM visits@x", "the name of a table is a word"),
        ("SELECT COUNT(*) FROM visits TABLESAMPLE 10%", "sampling is not answered"),
        ("SELECT COUNT(*) FROM ONLY visits", "only is not answered"),
        ("SELECT COUNT(*) FROM visits WITH ORDINALITY", "ordinality is not answered"),
        ("SELECT COUNT(*) FROM visits AT (VERSION => 1)", "when is not answered"),
        ("SELECT COUNT(*) FROM visits PIVOT (COUNT(*) FOR ward IN ('a'))", "pivots is not answered"),
        ("SELECT COUNT(*) FROM visits, wards", "needs ON"),
        ("SELECT COUNT(*) FROM visits CROSS JOIN wards", "needs ON"),
        ("SELECT COUNT(*) FROM visits JOIN wards", "needs ON"),
        ("SELECT COUNT(*) FROM visits NATURAL LEFT JOIN wards", "JOIN and LEFT JOIN ON equal columns are answered"),
        (
            "SELECT COUNT(*) FROM visits ASOF JOIN wards ON visits.ward = wards.ward",
            "JOIN and LEFT JOIN ON equal columns are answered",
        ),
        ("SELECT COUNT(*) FROM visits POSITIONAL JOIN wards", "JOIN and LEFT JOIN ON equal columns are answered"),
        (
            "SELECT COUNT(*) FROM visits SEMI JOIN wards USING (ward)",
            "JOIN and LEFT JOIN ON equal columns are answered",
        ),
        (
            "SELECT COUNT(*) FROM visits ANTI JOIN wards USING (ward)",
            "JOIN and LEFT JOIN ON equal columns are answered",
        ),
        (
            "SELECT COUNT(*) FROM visits RIGHT JOIN wards USING (ward)",
            "JOIN and LEFT JOIN ON equal columns are answered",
        ),
        (
            "SELECT COUNT(*) FROM visits FULL JOIN wards USING (ward)",
            "JOIN and LEFT JOIN ON equal columns are answered",
        ),
        (
            "SELECT COUNT(*) FROM visits OUTER JOIN wards USING (ward)",
            "JOIN and LEFT JOIN ON equal columns are answered",
        ),
        ("SELECT COUNT(*) FROM visits JOIN LATERAL wards ON TRUE", "FROM takes tables"),
        ("SELECT COUNT(*) FROM visits JOIN (wards JOIN beds USING (floor)) USING (ward)", "FROM takes tables"),
        ("SELECT COUNT(*) FROM visits JOIN wards w(a) USING (ward)", "columns is not answered"),
        ("SELECT COUNT(*) FROM visits JOIN people USING (ward)", "do not speak of the same people"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON TRUE", "needs ON with equal columns"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward <> wards.ward", "needs ON with equal columns"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward OR sick", "needs ON with equal columns"),
        (
            "SELECT COUNT(*) FROM visits LEFT JOIN wards ON visits.ward = wards.ward AND age > 1",
            "ON of a LEFT JOIN takes equal columns",
        ),
        ("SELECT COUNT(*) FROM visits LEFT JOIN wards w ON w.floor = age AND w.weight > 1", "several partners"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON wards.ward = wards.ward", "needs ON with equal columns"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON x.visits.ward = wards.ward", "schemas are not answered"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = x.wards.ward", "schemas are not answered"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.cost = wards.code", "join columns of one type"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.seen = wards.opened", "join columns of one type"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.secret = wards.ward", "no column 'secret'"),
        ("SELECT COUNT(*) FROM visits JOIN wards visits USING (ward)", "two tables are called"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward WHERE ward = 'a'", "of several tables"),
        ("SELECT COUNT(*) FROM visits WHERE v.age > 3", "there is no table 'v'"),
        ("SELECT COUNT(*) FROM visits WHERE store.visits.age > 3", "schemas are not answered"),
    ],
)
def test_what_is_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)


def test_lookups_mean_what_duckdb_means() -> None:
    joins = "JOIN wards USING (ward) LEFT JOIN beds ON beds.floor = wards.floor"
    text = f"SELECT kind, COUNT(*) FROM visits {joins} GROUP BY kind"
    assert [getattr(join, "keep", None) for join in asked(ENGINE, text).block.joins] == [False, True]
    assert sums(answered(ENGINE, text)) == ((1, 2),)
    for join, count in (("JOIN", 3), ("LEFT JOIN", 4), ("INNER JOIN", 3), ("LEFT OUTER JOIN", 4)):
        assert sums(answered(ENGINE, f"SELECT COUNT(*) FROM visits {join} wards USING (ward)")) == ((count,),)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*), SUM(cost) FROM visits JOIN wards USING (ward)",
        "SELECT floor, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY floor",
        "SELECT COUNT(*), COUNT(bed) AS b FROM visits LEFT JOIN beds USING (ward)",
        "SELECT COUNT(*), COUNT(floor) AS b FROM visits v LEFT JOIN wards w ON v.ward = w.ward AND w.floor > 1",
        "SELECT COUNT(*) FILTER (WHERE city = 'B') AS b, COUNT(city) AS c FROM visits v LEFT JOIN wards w "
        "ON w.ward = v.ward AND floor = 2 AND w.city IS NOT NULL",
        "SELECT COUNT(*), COUNT(city) FROM visits LEFT JOIN (SELECT * FROM wards WHERE floor > 1) w USING (ward)",
        "SELECT COUNT(*) FROM visits JOIN beds ON beds.ward = visits.ward AND bed > 1",
        "SELECT COUNT(*) FROM visits JOIN wards ON wards.ward = visits.ward AND age > 30 AND floor < 2",
        "SELECT COUNT(*) FROM visits JOIN wards ON wards.ward = 'north'",
        "SELECT COUNT(*) FROM wards JOIN visits USING (ward)",
        "SELECT city, COUNT(*) FROM wards w JOIN visits v ON v.ward = w.ward AND age > 20 GROUP BY city",
        "SELECT COUNT(*), SUM(days) FROM visits JOIN stays ON who = patient",
        "SELECT COUNT(*), SUM(days) FROM visits v JOIN stays s ON s.who = v.patient AND s.ward = v.ward",
        "SELECT COUNT(*), COUNT(days) AS d FROM visits v LEFT JOIN stays s ON s.who = v.patient AND s.ward = v.ward",
        "SELECT COUNT(*) FROM visits v LEFT JOIN stays s ON s.who = v.patient WHERE s.who IS NULL",
        "SELECT COUNT(*) FROM visits a JOIN visits b USING (patient) WHERE a.age < b.age",
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient AND a.age = b.age + 1",
        "SELECT COUNT(*) FROM visits v JOIN (SELECT who, days FROM stays WHERE days > 9) s ON s.who = v.patient",
        "SELECT COUNT(*), COUNT(x) AS x FROM visits LEFT JOIN (SELECT who, days + 1 AS x FROM stays) ON who = patient",
        "SELECT COUNT(*) FROM visits v JOIN stays s ON s.who = v.patient JOIN secrets z ON z.patient = v.patient "
        "LEFT JOIN beds ON beds.ward = s.ward WHERE score > 2",
        "SELECT COUNT(*) FROM visits WHERE sick AND (age > 30 OR ward = 'icu') AND cost IS NOT NULL",
    ],
)
def test_rows_are_those_of_duckdb(text: str) -> None:
    assert_same(text)


def test_a_public_table_with_a_key_twice_multiplies_what_a_unit_can_have() -> None:
    """Engines cut what a unit has to this; rows that are units are bounded by it alone."""
    twice = pa.table({"ward": ["north", "north"], "floor": pa.array([1, 2], pa.int64())})
    engine = engine_of(POLICY, {**HOSPITAL, "wards": twice})
    text = "SELECT COUNT(*) FROM people JOIN wards USING (ward)"
    assert bounded(engine, text).plan.sets[0].limits.rows == 2
    assert sums(answered(engine, text)) == ((2,),)


def test_a_public_table_keyed_by_zeros_of_both_signs_multiplies_too() -> None:
    zeros = pa.table({"x": pa.array([0.0, -0.0, 1.0], pa.float64())})
    policy = "[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n[tables.z]\npublic = true\n"
    engine = engine_of(policy, {"t": pa.table({"x": pa.array([0.0])}), "z": zeros})
    text = "SELECT COUNT(*) FROM t JOIN z USING (x)"
    assert sums(answered(engine, text)) == ((2,),)
    assert bounded(engine, text).plan.sets[0].limits.rows == 2
