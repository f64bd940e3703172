"""What is done to released values: ORDER BY, LIMIT, HAVING, and an outer SELECT around a whole question."""

from __future__ import annotations

import pytest

from support.hospital import asked, bounded, refusal
from support.oracle import ENGINE, assert_same, exactly

INNER = "SELECT ward, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY ward"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT * FROM ({INNER})",
        f"SELECT n * 2 AS m, ward FROM ({INNER}) WHERE n > 3",
        f"SELECT ward FROM ({INNER}) ORDER BY n DESC LIMIT 1",
        f"SELECT n FROM ({INNER} ORDER BY n LIMIT 2) WHERE n > 3",
        f"SELECT n FROM ({INNER} ORDER BY n DESC LIMIT 2) ORDER BY n",
        f"WITH x AS ({INNER}) SELECT ward, c / n AS mean FROM x WHERE n > 0",
        f"SELECT upper(w) AS u FROM (SELECT ward AS w, n FROM ({INNER}))",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 10",
        "SELECT ward || '!' AS w, COUNT(*) + 1 AS n FROM visits GROUP BY ward",
        "SELECT SUM(cost) / COUNT(*) AS mean, ROUND(SUM(age) / 7, 2) AS r FROM visits",
        "SELECT CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END AS word FROM visits",
    ],
)
def test_the_outside_is_plain_sql_over_the_answer(text: str) -> None:
    assert_same(text)


def test_rows_come_in_the_order_of_order_by() -> None:
    rows = exactly(f"SELECT ward, n FROM ({INNER}) ORDER BY n DESC, ward LIMIT 2")
    assert len(rows) == 2
    assert rows[0][1] >= rows[1][1]


def test_an_outer_select_costs_nothing_more() -> None:
    whole = f"SELECT ward, n + 1 AS m FROM ({INNER}) WHERE c > 5 ORDER BY m LIMIT 2"
    assert bounded(ENGINE, whole).plan == bounded(ENGINE, INNER).plan
    finish = asked(ENGINE, whole).finish
    assert (finish.limit, finish.selects) == (2, True)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"SELECT x FROM ({INNER})", "the subquery has no such column"),
        (f"SELECT n FROM ({INNER}) WHERE n", "WHERE takes a condition"),
        (f"SELECT n FROM ({INNER}) HAVING n > 3", "HAVING needs GROUP BY"),
        (f"SELECT * EXCLUDE (n) FROM ({INNER})", "list the columns"),
    ],
)
def test_what_is_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)
