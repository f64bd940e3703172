"""Windows over released values: as plain SQL has them, at the price of the question without them, never over rows."""

from __future__ import annotations

import pytest

from discreet.plan.windows import Computed
from support.hospital import asked, bounded, refusal
from support.oracle import ENGINE, assert_same, exactly

G = "FROM visits GROUP BY ward"
TWO = "FROM visits WHERE sick IN (TRUE, FALSE) GROUP BY ward, sick"
ALL_ROWS = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
ROWS = "window functions look at other people's rows; use GROUP BY"

ANSWERED = [
    f"SELECT ward, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS total {G}",
    f"SELECT ward, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER () AS share {G}",
    f"SELECT ward, RANK() OVER (ORDER BY COUNT(*) DESC) AS r, ROW_NUMBER() OVER (ORDER BY ward) AS w {G}",
    f"SELECT ward, DENSE_RANK() OVER (ORDER BY COUNT(*) > 35) AS d, CUME_DIST() OVER (ORDER BY COUNT(*)) AS c {G}",
    f"SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward) AS r, SUM(COUNT(*)) OVER (ORDER BY COUNT(*) > 35) AS q {G}",
    f"SELECT ward, LAG(COUNT(*)) OVER (ORDER BY ward) AS l, LEAD(COUNT(*), 2, 7) OVER (ORDER BY ward DESC) AS e {G}",
    f"SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS r {G}",
    f"SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward ROWS 1 PRECEDING) AS r {G}",
    f"SELECT ward, NTILE(2) OVER (ORDER BY ward) AS q, PERCENT_RANK() OVER (ORDER BY COUNT(*)) AS p {G}",
    f"SELECT ward, AVG(COUNT(*)) OVER () AS a, MIN(COUNT(*)) OVER () AS b, MAX(SUM(cost)) OVER () AS c {G}",
    f"SELECT ward, MEDIAN(COUNT(*)) OVER () AS m, STDDEV(SUM(cost)) OVER () AS s, VAR_POP(COUNT(*)) OVER () AS v {G}",
    f"SELECT ward, FIRST_VALUE(ward) OVER (ORDER BY COUNT(*)) AS a, COUNT(*) OVER () AS wards, COUNT(*) AS n {G}",
    f"SELECT ward, LAST_VALUE(ward) OVER (ORDER BY COUNT(*) {ALL_ROWS}) AS b, COUNT(*) AS n {G}",
    f"SELECT ward, SUM(COUNT(*)) FILTER (WHERE ward <> 'icu') OVER () AS t {G}",
    f"SELECT ward, sick, COUNT(*) AS n, SUM(COUNT(*)) OVER (PARTITION BY ward) AS t {TWO}",
    f"SELECT ward, sick, RANK() OVER (PARTITION BY sick ORDER BY COUNT(*) DESC NULLS FIRST) AS r {TWO}",
    f"SELECT ward, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t {G} HAVING COUNT(*) > 35",
    f"SELECT ward, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t {G} ORDER BY RANK() OVER (ORDER BY COUNT(*)) LIMIT 2",
    f"SELECT ward, COUNT(*) AS n, SUM(n) OVER () AS t {G}",
    f"SELECT ward, r FROM (SELECT ward, RANK() OVER (ORDER BY COUNT(*) DESC) AS r {G}) WHERE r <= 2",
    f"SELECT *, RANK() OVER (ORDER BY n DESC) AS r FROM (SELECT ward, COUNT(*) AS n {G})",
    f"SELECT *, SUM(n) OVER () AS t FROM (SELECT ward, COUNT(*) AS n {G}) WHERE n > 35",
    f"SELECT *, SUM(n) OVER () AS t FROM (SELECT ward, COUNT(*) AS n {G} ORDER BY n LIMIT 2)",
    f"SELECT r, SUM(r) OVER () AS t FROM (SELECT RANK() OVER (ORDER BY COUNT(*)) AS r {G})",
    "SELECT ward, SUM(COUNT(*)) OVER () AS t, COUNT(*) AS n FROM visits GROUP BY ALL",
    "SELECT SUM(COUNT(*)) OVER () AS n FROM visits",
    f"SELECT ward, RANK() OVER (ORDER BY ward) AS r {G}",
]


@pytest.mark.parametrize("text", ANSWERED)
def test_windows_over_released_values_are_those_of_plain_sql(text: str) -> None:
    assert_same(text)


@pytest.mark.parametrize("text", ANSWERED)
def test_only_released_columns_are_read(text: str) -> None:
    """Whatever a finish reads is a column of the released table."""
    question = asked(ENGINE, text)
    columns = [each for stage in question.finish.stages for each in stage.columns]
    assert columns
    assert all(isinstance(each, Computed) and each.relation == "released" for each in columns)


@pytest.mark.parametrize(
    ("windows", "plain"),
    [
        (f"SELECT ward, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS t {G}", f"SELECT ward, COUNT(*) AS n {G}"),
        (f"SELECT ward, COUNT(*), RANK() OVER (ORDER BY SUM(cost)) AS r {G}", f"SELECT COUNT(*), SUM(cost) {G}"),
        (f"SELECT MAX(n) FROM (SELECT ward, COUNT(*) AS n {G})", f"SELECT ward, COUNT(*) AS n {G}"),
        (f"SELECT ward FROM (SELECT ward, COUNT(*) AS n {G} ORDER BY n LIMIT 2) ORDER BY 1", f"SELECT COUNT(*) {G}"),
    ],
)
def test_what_is_released_is_that_of_the_question_without_them(windows: str, plain: str) -> None:
    """Plan and choice are the same, so noise and charge are."""
    with_, without = bounded(ENGINE, windows), bounded(ENGINE, plain)
    assert with_.plan == without.plan
    assert with_.pick is without.pick is None


def test_ties_are_broken_by_the_order_of_keys() -> None:
    rows = exactly(f"SELECT ward, ROW_NUMBER() OVER (ORDER BY COUNT(*) < 0) AS r, COUNT(*) AS n {G} ORDER BY r")
    assert [row[0] for row in rows] == ["north", "south", "icu"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(cost) OVER () FROM visits",
        "SELECT COUNT(*) OVER () FROM visits",
        "SELECT ROW_NUMBER() OVER (ORDER BY cost) FROM visits",
        "SELECT COUNT(*), SUM(cost) OVER () FROM visits",
        f"SELECT ward, SUM(cost) OVER () {G}",
        f"SELECT ward, SUM(secret) OVER () {G}",
        f"SELECT ward, COUNT(*), RANK() OVER (ORDER BY cost) {G}",
        f"SELECT ward, COUNT(*), LAG(age) OVER (ORDER BY ward) {G}",
        f"SELECT ward, COUNT(*), RANK() OVER (PARTITION BY patient ORDER BY COUNT(*)) {G}",
        f"SELECT ward, SUM(COUNT(*)) FILTER (WHERE age > 3) OVER () {G}",
        "SELECT COUNT(*) FROM visits WHERE RANK() OVER (ORDER BY cost) < 3",
        "SELECT COUNT(*) FROM visits WHERE SUM(COUNT(*)) OVER () > 3",
        "SELECT SUM(RANK() OVER (ORDER BY cost)) FROM visits",
        "SELECT SUM(COUNT(*) OVER ()) FROM visits",
        "SELECT AVG(r) FROM (SELECT patient, RANK() OVER (ORDER BY SUM(cost)) AS r FROM visits GROUP BY patient)",
        "SELECT AVG(r) FROM (SELECT patient, SUM(COUNT(*)) OVER () AS r FROM visits GROUP BY patient)",
        "SELECT AVG(r) FROM (SELECT SUM(cost) OVER () AS r FROM visits)",
        "SELECT DISTINCT ROW_NUMBER() OVER () FROM visits",
        "SELECT COUNT(*) FROM visits GROUP BY RANK() OVER (ORDER BY ward)",
        "SELECT COUNT(*) FILTER (WHERE RANK() OVER (ORDER BY cost) < 2) FROM visits",
    ],
)
def test_windows_over_rows_are_refused(text: str) -> None:
    assert ROWS in refusal(ENGINE, text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"SELECT ward, COUNT(*) AS n {G} HAVING RANK() OVER (ORDER BY COUNT(*)) < 2", "put WHERE around"),
        (f"SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r {G} HAVING r < 2", "put WHERE around"),
        (f"SELECT SUM(SUM(COUNT(*)) OVER ()) OVER () {G}", "a window stands in no other"),
        (f"SELECT n FROM (SELECT COUNT(*) AS n {G}) WHERE RANK() OVER (ORDER BY n) < 2", "a subquery in FROM"),
        (f"SELECT RANK() OVER (ORDER BY SUM(n)), n FROM (SELECT COUNT(*) AS n {G})", "neither grouped by"),
        (f"SELECT NTH_VALUE(COUNT(*), 2) OVER () {G}", "as windows ROW_NUMBER"),
        (f"SELECT SUM(COUNT(*)) OVER (ORDER BY ward RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) {G}", "a frame is"),
        (f"SELECT SUM(COUNT(*)) OVER (ORDER BY 1) {G}", "no such column"),
        (f"SELECT RANK() FILTER (WHERE ward = 'icu') OVER (), COUNT(*) {G}", "FILTER stands after an aggregate"),
        (f"SELECT LAG(COUNT(*), COUNT(*)) OVER (ORDER BY ward) {G}", "a constant whole number"),
        (f"SELECT LAG(COUNT(*), 1, 'x') OVER (ORDER BY ward) {G}", "a constant of the type"),
        (f"SELECT SUM(ward) OVER (), COUNT(*) {G}", "needs numbers"),
        (f"SELECT SUM(COUNT(*)) OVER w {G} WINDOW w AS ()", "window functions look at"),
        ("SELECT MODE(ward), RANK() OVER () FROM visits", "chosen by itself"),
    ],
)
def test_what_is_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)
