"""One row for each unit: aggregates inside a subquery are those of its rows alone."""

from __future__ import annotations

import pytest

from support.hospital import refusal
from support.oracle import ENGINE, assert_same


@pytest.mark.many
@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(n), COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)",
        "SELECT n, COUNT(*) FROM (SELECT COUNT(*) AS n FROM visits GROUP BY patient) GROUP BY n",
        "SELECT SUM(t) FROM (SELECT patient, SUM(cost) AS t FROM visits GROUP BY patient)",
        "SELECT COUNT(t), COUNT(*), AVG(t) FROM (SELECT patient, SUM(age) AS t FROM visits GROUP BY patient)",
        "SELECT COUNT(*) FROM (SELECT patient FROM visits GROUP BY patient HAVING SUM(age - 50) IS NULL)",
        "SELECT AVG(t) FROM (SELECT patient, SUM(age - 50) FILTER (WHERE sick) AS t FROM visits GROUP BY patient)",
        "SELECT SUM(lo), SUM(hi) FROM (SELECT patient, MIN(age) AS lo, MAX(age) AS hi FROM visits GROUP BY patient)",
        "SELECT SUM(d) FROM (SELECT patient, COUNT(DISTINCT ward) AS d FROM visits GROUP BY patient)",
        "SELECT SUM(d), COUNT(*) FILTER (WHERE m > 50) FROM (SELECT patient, SUM(DISTINCT cost) AS d, "
        "AVG(DISTINCT age) FILTER (WHERE sick) AS m, MAX(DISTINCT age) AS x FROM visits GROUP BY patient)",
        "SELECT SUM(d) FROM (SELECT patient, SUM(DISTINCT age) AS d FROM visits GROUP BY patient)",
        "SELECT COUNT(*) FILTER (WHERE m = 4.5), SUM(s) FROM (SELECT patient, AVG(DISTINCT CASE WHEN sick THEN 2 "
        "ELSE 7 END) AS m, SUM(DISTINCT CASE WHEN sick THEN 2 ELSE 7 END) AS s FROM visits GROUP BY patient)",
        "SELECT SUM(d) FROM (SELECT patient, COUNT(age) FILTER (WHERE sick) AS d FROM visits GROUP BY patient)",
        "SELECT SUM(d) FROM (SELECT patient, SUM(cost) FILTER (WHERE sick) AS d FROM visits GROUP BY patient)",
        "SELECT w, SUM(n) FROM (SELECT patient, ward w, COUNT(*) AS n FROM visits GROUP BY patient, ward) GROUP BY w",
        "SELECT COUNT(*) FROM (SELECT patient FROM visits GROUP BY patient HAVING COUNT(*) > 2)",
        "SELECT COUNT(*) FROM (SELECT patient, MAX(age) - MIN(age) AS d FROM visits GROUP BY patient) WHERE d > 20",
        "SELECT COUNT(*) FROM (SELECT patient, age // 10 AS d FROM visits WHERE age >= 0 GROUP BY patient, age // 10)",
        "SELECT COUNT(*) FROM (SELECT patient, age // 10 AS d FROM visits GROUP BY 1, 2)",
        "SELECT COUNT(*), SUM(n) FROM (SELECT COUNT(*) AS n FROM visits JOIN stays ON who = patient GROUP BY patient)",
        "SELECT SUM(v.cost) FROM visits v JOIN (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) c "
        "ON c.patient = v.patient WHERE c.n > 1",
        "SELECT SUM(m) FROM (SELECT patient, MAX(n) AS m FROM (SELECT patient, ward, COUNT(*) AS n FROM visits "
        "GROUP BY patient, ward) GROUP BY patient)",
        "SELECT COUNT(*) FROM (SELECT patient, MAX(ward) AS w FROM visits GROUP BY patient) WHERE w = 'south'",
    ],
)
def test_what_is_aggregated_by_unit_is_what_duckdb_aggregates(text: str) -> None:
    assert_same(text)


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ("SELECT patient, age FROM visits GROUP BY patient", "neither grouped by nor aggregated"),
        ("SELECT patient, SUM(ward) AS x FROM visits GROUP BY patient", "this needs numbers"),
        ("SELECT patient, VARIANCE(age) AS x FROM visits GROUP BY patient", "COUNT, SUM, AVG, MIN and MAX"),
        ("SELECT patient, COUNT(*) AS x FROM visits GROUP BY ROLLUP (patient)", "groups by the unit would be about"),
        ("SELECT patient, COUNT(DISTINCT age, ward) AS x FROM visits GROUP BY patient", "takes one column"),
        ("SELECT patient, AVG(DISTINCT age, cost) AS x FROM visits GROUP BY patient", "takes one column"),
        ("SELECT patient, SUM(DISTINCT ward) AS x FROM visits GROUP BY patient", "this needs numbers"),
        ("SELECT patient, COUNT(*) AS x FROM visits GROUP BY patient ORDER BY x", "rows have no order"),
        ("SELECT patient, COUNT(*) AS x FROM visits GROUP BY 3", "there is no such column"),
    ],
)
def test_what_is_refused(inner: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM ({inner})")


def test_groups_across_units_are_refused_where_rows_are_wanted() -> None:
    text = "SELECT COUNT(*) FROM visits JOIN (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) c USING (ward)"
    assert "never across" in refusal(ENGINE, text)
    assert "add patient to GROUP BY" in " ".join(refusal(ENGINE, text).split())
