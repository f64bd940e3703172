"""Subqueries over private rows mean what they do in DuckDB."""

from __future__ import annotations

import pytest

from support.hospital import refusal
from support.oracle import ENGINE, assert_same


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*), SUM(cost) FROM (SELECT * FROM visits)",
        "SELECT SUM(c) FROM (SELECT cost * 2 AS c FROM visits WHERE sick)",
        "SELECT SUM(c), COUNT(c) FROM (SELECT c + 1 AS c FROM (SELECT cost AS c FROM visits) WHERE c > 10)",
        "SELECT w, SUM(c) FROM (SELECT ward AS w, cost AS c FROM visits) GROUP BY w",
        "SELECT COUNT(*) FROM (SELECT ward FROM visits UNION ALL SELECT ward FROM stays)",
        "SELECT SUM(x) FROM (SELECT age x FROM visits UNION ALL SELECT days FROM stays UNION ALL SELECT 1 FROM visits)",
        "SELECT SUM(x) FROM (SELECT age AS x FROM visits UNION ALL SELECT price FROM stays)",
        "SELECT COUNT(DISTINCT p) FROM (SELECT patient AS p FROM visits UNION ALL SELECT who FROM stays)",
        "SELECT k, COUNT(*) FROM (SELECT 'visit' AS k FROM visits UNION ALL SELECT 'stay' FROM stays) GROUP BY k",
        "SELECT COUNT(*) FROM (SELECT v.patient, w.* FROM visits v JOIN wards w ON w.ward = v.ward) x "
        "JOIN visits y ON x.patient = y.patient",
        "SELECT COUNT(*) FROM (SELECT ward FROM visits WHERE sick) AS x",
    ],
)
def test_rows_are_those_of_duckdb(text: str) -> None:
    assert_same(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT COUNT(*) FROM (SELECT age, days FROM visits UNION ALL SELECT days FROM stays)", "as many columns"),
        ("SELECT COUNT(*) FROM (SELECT age FROM visits UNION ALL BY NAME SELECT age FROM visits)", "BY NAME"),
        ("SELECT COUNT(*) FROM (SELECT age, age FROM visits)", "two columns"),
        ("SELECT COUNT(*) FROM (SELECT * EXCLUDE (age) FROM visits)", "list the columns"),
        ("SELECT COUNT(*) FROM (SELECT age FROM visits HAVING age > 3)", "HAVING"),
        (
            "SELECT COUNT(*) FROM (SELECT patient FROM secrets UNION ALL SELECT days FROM stays)",
            "is hidden on one side",
        ),
        ("SELECT COUNT(x) FROM (SELECT age AS x FROM visits UNION ALL SELECT ward FROM stays)", "cannot be applied to"),
    ],
)
def test_what_is_refused(text: str, part: str) -> None:
    told = refusal(ENGINE, text)
    assert part in told or (part == "as many columns" and "no column" in told)
