"""Subqueries in place of a value: answers of their own beside released values, and nowhere among private rows."""

from __future__ import annotations

import pytest

from support.hospital import asked, refusal
from support.oracle import ENGINE, assert_same, exactly

WARDS = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM visits) AS share FROM visits GROUP BY ward",
        "WITH t AS (SELECT COUNT(*) AS n FROM visits) SELECT ward, COUNT(*) / (SELECT n FROM t) FROM visits GROUP BY 1",
        f"WITH t AS ({WARDS}) SELECT ward, n / (SELECT SUM(n) FROM t) AS s FROM t",
        f"WITH t AS ({WARDS}) SELECT ward, n - (SELECT MAX(n) FROM t) AS s FROM t WHERE n < (SELECT MAX(n) FROM t)",
        f"SELECT SUM(n) / (SELECT COUNT(DISTINCT patient) FROM visits) AS per FROM ({WARDS})",
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING COUNT(*) > (SELECT COUNT(*) / 9 FROM visits)",
        "SELECT ward, COUNT(*) FROM visits GROUP BY 1 ORDER BY (SELECT COUNT(*) FROM visits), COUNT(*) DESC LIMIT 2",
        "SELECT COUNT(*) / (SELECT COUNT(*) + (SELECT COUNT(*) FROM visits) FROM visits WHERE age > 30) FROM visits",
        f"SELECT ward, COUNT(*), (SELECT n FROM ({WARDS}) ORDER BY n DESC LIMIT 1) AS most FROM visits GROUP BY ward",
        "SELECT ward, SUM(COUNT(*) + (SELECT COUNT(*) FROM visits)) OVER (ORDER BY ward) FROM visits GROUP BY ward",
        "SELECT ward, COUNT(*), (SELECT ward FROM visits GROUP BY ward ORDER BY ward LIMIT 1) FROM visits GROUP BY 1",
    ],
)
def test_an_answer_in_place_of_a_value_is_that_of_plain_sql(text: str) -> None:
    assert_same(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)",
        "SELECT COUNT(*) FILTER (WHERE age > (SELECT AVG(age) FROM visits)) FROM visits",
        "SELECT SUM(age - (SELECT AVG(age) FROM visits)) FROM visits",
        "SELECT age > (SELECT AVG(age) FROM visits) AS old, COUNT(*) FROM visits GROUP BY old",
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient AND a.age > (SELECT 1 FROM visits)",
        "SELECT COUNT(*) FROM (SELECT patient, cost - (SELECT AVG(cost) FROM visits) AS d FROM visits) WHERE d > 0",
        "SELECT COUNT(*) FROM (SELECT patient FROM visits GROUP BY patient HAVING COUNT(*) > (SELECT 1 FROM visits))",
        "SELECT MODE(CASE WHEN age > (SELECT AVG(age) FROM visits) THEN 1 ELSE 0 END) FROM visits",
    ],
)
def test_no_private_row_meets_an_answer(text: str) -> None:
    """What one unit does to it would reach the rows of all others, before any noise is on them."""
    assert "in place of a value" in refusal(ENGINE, text)


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward LIMIT 1", "one column"),
        ("SELECT COUNT(*) FROM visits GROUP BY ward", "has one row"),
        ("SELECT COUNT(*) FROM visits GROUP BY ward LIMIT 2", "has one row"),
        (f"SELECT MAX(n) FROM ({WARDS}) GROUP BY ward", "has one row"),
        ("SELECT age FROM visits", "neither grouped by nor aggregated"),
        ("SELECT COUNT(*) FROM visits w WHERE w.ward = v.ward", "no table 'v'"),
        ("SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM visits", "in place of a value"),
    ],
)
def test_an_answer_in_place_of_a_value_has_one_row_and_one_column(inner: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT ward, COUNT(*) / ({inner}) AS x FROM visits v GROUP BY ward")


def test_an_answer_without_a_row_is_null() -> None:
    inner = f"SELECT n FROM ({WARDS}) WHERE n > 1000000 ORDER BY n LIMIT 1"
    assert exactly(f"SELECT COUNT(*) + ({inner}) AS x FROM visits") == [(None,)]


def test_keys_are_not_chosen_by_scores_where_their_values_are_released_anyway() -> None:
    best = f"WITH t AS ({WARDS}) SELECT ward, (SELECT MAX(n) FROM t) AS most FROM t ORDER BY n DESC LIMIT 1"
    assert asked(ENGINE, best).pick is None
    alone = "SELECT COUNT(*), (SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1) FROM visits"
    assert asked(ENGINE, alone).beside[0].pick is not None


def test_there_are_not_too_many() -> None:
    counted = " + ".join(f"(SELECT COUNT(*) FROM visits WHERE age > {age})" for age in range(9))
    assert "more than 8 answers" in refusal(ENGINE, f"SELECT COUNT(*) + {counted} FROM visits")
