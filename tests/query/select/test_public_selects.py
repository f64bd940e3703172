"""Subqueries over public tables mean what DuckDB means, and read no private row."""

from __future__ import annotations

import pyarrow as pa
import pytest

from support.hospital import HOSPITAL, POLICY, answered, asked, engine_of, refusal, sums
from support.oracle import ENGINE, assert_same


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards WHERE floor = 2)",
        "SELECT COUNT(*) FROM visits WHERE ward NOT IN (SELECT w.ward FROM wards AS w WHERE w.floor = 2)",
        "SELECT COUNT(*) FROM visits WHERE NOT (ward IN (SELECT DISTINCT ward FROM beds WHERE bed > 1)) AND age > 20",
        "SELECT COUNT(*) FROM visits WHERE age IN (SELECT floor + 30 FROM wards)",
        "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards WHERE floor > 9)",
        "SELECT COUNT(*) FROM visits WHERE ward NOT IN (SELECT ward FROM wards WHERE floor > 9)",
        "WITH high AS (SELECT * FROM wards WHERE floor > 1) SELECT COUNT(*) FROM visits JOIN high USING (ward)",
        "WITH high AS (SELECT ward AS w, floor FROM wards) SELECT floor, COUNT(*) FROM visits JOIN high ON w = ward "
        "GROUP BY floor",
        "SELECT COUNT(*) FROM (SELECT ward, city FROM wards WHERE floor = 2) x JOIN visits USING (ward)",
        "SELECT COUNT(*) FROM visits v, (SELECT ward, UPPER(city) AS place FROM wards) w WHERE v.ward = w.ward "
        "AND place = 'B'",
        "SELECT COUNT(*), COUNT(city) AS c FROM visits LEFT JOIN (SELECT ward, city FROM wards) w USING (ward)",
        "SELECT COUNT(*), COUNT(bed) AS b FROM visits JOIN (SELECT * FROM beds WHERE bed < 3) USING (ward)",
    ],
)
def test_it_means_what_duckdb_means(text: str) -> None:
    assert_same(text)


def test_not_in_a_list_with_null_is_never_true() -> None:
    wards = pa.table({"ward": ["north", None], "floor": pa.array([1, 2], pa.int64()), "city": ["A", "B"]})
    engine = engine_of(POLICY, {**HOSPITAL, "wards": wards})
    text = "SELECT COUNT(*) FROM visits WHERE ward {} (SELECT ward FROM wards)"
    assert sums(answered(engine, text.format("NOT IN"))) == ((0,),)
    everybody = sums(answered(engine, "SELECT COUNT(*) FROM visits WHERE ward = 'north'"))
    assert sums(answered(engine, text.format("IN"))) == everybody
    only = text.format("NOT IN").replace("FROM wards)", "FROM wards WHERE ward IS NULL)")
    assert sums(answered(engine, only)) == ((0,),)


def test_a_joined_subquery_is_the_table_with_its_conditions() -> None:
    inside = "SELECT COUNT(*) FROM visits JOIN (SELECT ward FROM wards WHERE floor > 1) w USING (ward)"
    assert asked(ENGINE, inside) == asked(ENGINE, "SELECT COUNT(*) FROM visits JOIN wards USING (ward) WHERE floor > 1")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards GROUP BY ward)", "columns and conditions"),
        ("SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards LIMIT 1)", "columns and conditions"),
        ("SELECT COUNT(*) FROM visits WHERE ward IN (SELECT MAX(ward) FROM wards)", "columns and conditions"),
        ("SELECT COUNT(*) FROM visits WHERE ward IN (SELECT floor FROM wards)", "among their own kind"),
        ("SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward, floor FROM wards)", "one column"),
        ("SELECT COUNT(*) FROM visits WHERE age IN (SELECT 3 FROM wards)", "lists no column"),
        ("SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards) OR age > 3", "a condition of its own"),
        ("SELECT COUNT(*) FROM visits JOIN (SELECT DISTINCT ward FROM beds) USING (ward)", "columns and conditions"),
        ("SELECT COUNT(*) FROM visits LEFT JOIN (SELECT * FROM beds WHERE bed > 1) USING (ward)", "several partners"),
        (
            "SELECT COUNT(*) FROM visits v LEFT JOIN (SELECT ward, COALESCE(city, 'x') AS c FROM wards) w USING (ward)",
            "plain columns",
        ),
        ("SELECT COUNT(*) FROM visits v JOIN (SELECT LOWER(ward) AS w FROM wards) ON w = v.ward", "is not joined by"),
        ("SELECT COUNT(*) FROM (SELECT ward FROM wards)", "is public"),
        ("SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM stays)", "the unit alone"),
    ],
)
def test_what_is_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)
