"""An outer SELECT that aggregates an answer: groups of released rows, and nothing but these."""

from __future__ import annotations

import pytest

from support.hospital import asked, bounded, refusal
from support.oracle import ENGINE, assert_same, exactly

A = "SELECT ward, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY ward"
LETTERS = f"SELECT LEFT(ward, 1) AS letter, SUM(n) AS s FROM ({A}) GROUP BY letter"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT MAX(n), AVG(n), MIN(c), SUM(n) FROM ({A})",
        f"SELECT COUNT(*), COUNT(n), COUNT(DISTINCT n > 35), STDDEV(n), MEDIAN(c), VAR_POP(n) FROM ({A})",
        f"SELECT MAX(ward), MAX(n) - MIN(n) AS spread, SUM(n * 2) / COUNT(*) AS m FROM ({A})",
        f"SELECT b, SUM(n) AS s, COUNT(*) AS k FROM (SELECT n > 35 AS b, n FROM ({A})) GROUP BY b HAVING SUM(n) > 1",
        f"SELECT LEFT(ward, 1) AS l, SUM(n) FROM ({A}) GROUP BY l ORDER BY SUM(n) DESC",
        f"SELECT LEFT(ward, 1) AS l, SUM(n) FROM ({A}) GROUP BY 1 LIMIT 3",
        f"SELECT LEFT(ward, 1) || 'x' AS l, SUM(n) FILTER (WHERE n > 3) AS s FROM ({A}) GROUP BY LEFT(ward, 1)",
        f"SELECT WARD, SUM(n) AS s, RANK() OVER (ORDER BY SUM(n)) AS r FROM ({A}) GROUP BY ward",
        "SELECT MAX(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n LIMIT 2)",
        f"SELECT COUNT(*) AS k, SUM(n) AS s FROM ({A}) WHERE n > 35",
        f"WITH x AS ({A}) SELECT MAX(n) FROM x WHERE ward <> 'icu'",
        f"SELECT MAX(s), COUNT(*) FROM ({LETTERS})",
        "SELECT MAX(r) FROM (SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ward)",
        f"SELECT SUM(DISTINCT k) FROM (SELECT n // 1000 AS k FROM ({A}))",
    ],
)
def test_aggregates_over_an_answer_are_those_of_plain_sql(text: str) -> None:
    assert_same(text)


def test_an_answer_without_rows_has_one_row_of_aggregates() -> None:
    assert exactly(f"SELECT COUNT(*), SUM(n) FROM ({A}) WHERE n > 1000000") == [(0, None)]
    assert exactly(f"SELECT ward, COUNT(*) FROM ({A}) WHERE n > 1000000 GROUP BY ward") == []


def test_a_redefined_unit_is_a_key_as_any_other() -> None:
    """Its groups are released one by one, at their price; groups of the real unit are rows of one unit each."""
    inner = "SELECT COUNT(*) AS n FROM (SELECT {} AS patient FROM visits) GROUP BY patient"
    redefined, real = inner.format("age % 3"), inner.format("patient")
    assert bounded(ENGINE, f"SELECT AVG(n) FROM ({redefined})").plan == bounded(ENGINE, redefined).plan
    assert not asked(ENGINE, f"SELECT AVG(n) FROM ({real})").finish.stages


def test_best_keys_are_chosen_only_where_nothing_is_computed_across_rows() -> None:
    """A window needs released values, so no key is chosen by scores that are not released."""
    key = "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1"
    assert asked(ENGINE, key).pick is not None
    ranked = "SELECT ward, RANK() OVER () AS r FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1"
    assert asked(ENGINE, ranked).pick is None
    assert asked(ENGINE, f"SELECT ward FROM ({A}) GROUP BY ward ORDER BY MAX(n) LIMIT 1").pick is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"SELECT MAX(n), ward FROM ({A})", "neither grouped by nor aggregated"),
        (f"SELECT * FROM ({A}) GROUP BY n", "name the columns"),
        (f"SELECT MAX(MAX(n)) FROM ({A})", "in no other one"),
        (f"SELECT MAX(n) FROM ({A}) WHERE MAX(n) > 2", "in no other one"),
        (f"SELECT MAX(cost) FROM ({A})", "no such column"),
        (f"SELECT MAX(n) FROM ({A}) GROUP BY cost", "no such column"),
        (f"SELECT MAX(n) FROM ({A}) GROUP BY 2", "no such column in the SELECT"),
        (f"SELECT MAX(n) FROM ({A}) GROUP BY 'x'", "takes columns of the subquery"),
        (f"SELECT MAX(n) FROM ({A}) GROUP BY ROLLUP (ward)", "an answer is grouped once"),
        (f"SELECT STRING_AGG(ward) FROM ({A})", "are answered over released values"),
        (f"SELECT SUM(ward) FROM ({A})", "needs numbers"),
        (f"SELECT MAX(n) AS m FROM ({A}) HAVING m", "HAVING takes a condition"),
        ("SELECT COUNT(*) FROM (SELECT ward FROM visits GROUP BY ward)", "write COUNT(DISTINCT key)"),
        ("SELECT COUNT(*) FROM (SELECT MODE(ward) AS m FROM visits)", "MODE is chosen"),
        ("SELECT *, RANK() OVER () FROM (SELECT MODE(ward) AS m FROM visits)", "MODE is chosen"),
        (
            "SELECT ARG_MAX(ward, n) FROM (SELECT ward, COUNT(*) AS n, RANK() OVER () AS r FROM visits GROUP BY ward)",
            "and windows",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE cost > (SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM visits))",
            "subquery",
        ),
        (f"SELECT COUNT(*) FROM visits JOIN ({A}) USING (ward)", "never across"),
    ],
)
def test_what_is_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)
