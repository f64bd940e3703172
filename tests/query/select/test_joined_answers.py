"""Answers joined to public tables and to one another, after their release: as plain SQL joins them."""

from __future__ import annotations

import pytest

from discreet.plan.beside import list_releases
from support.hospital import asked, bounded, refusal
from support.oracle import ENGINE, assert_same, exactly

A = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
B = "SELECT ward, SUM(cost) AS m FROM visits WHERE age > 40 GROUP BY ward"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT t.ward, n / floor AS x FROM ({A}) t JOIN wards USING (ward)",
        f"SELECT w.city, SUM(n) AS s FROM ({A}) t JOIN wards w ON t.ward = w.ward GROUP BY city HAVING SUM(n) > 1",
        f"SELECT * FROM ({A}) t JOIN wards USING (ward) WHERE floor > 1 ORDER BY n DESC",
        f"SELECT t.*, w.city FROM wards w JOIN ({A}) t ON w.ward = t.ward AND floor = 2",
        f"SELECT ward, bed, n * bed AS x FROM ({A}) t LEFT JOIN beds USING (ward) ORDER BY ward, bed",
        f"SELECT ward, bed, ROW_NUMBER() OVER (ORDER BY ward, bed) AS r FROM ({A}) t JOIN beds USING (ward)",
        f"SELECT a.ward, n, m, m / n AS mean FROM ({A}) a JOIN ({B}) b ON a.ward = b.ward",
        f"WITH a AS ({A}), b AS ({B}) SELECT ward, m / n AS x, city FROM a JOIN b USING (ward) JOIN wards USING (ward)",
        f"SELECT b.n - a.n AS gap FROM ({A} HAVING COUNT(*) > 1) a JOIN ({A} ORDER BY n DESC LIMIT 2) b USING (ward)",
        f"SELECT a.ward, floor FROM ({A} ORDER BY n DESC LIMIT 1) a JOIN wards USING (ward)",
        f"SELECT MAX(x) FROM (SELECT n / floor AS x FROM ({A}) t JOIN wards USING (ward))",
        f"SELECT a.ward, n / (SELECT SUM(n) FROM ({A})) AS share FROM ({A}) a JOIN wards USING (ward)",
        f"SELECT a.ward, b.ward AS other FROM ({A}) a JOIN ({A}) b ON a.n = b.n AND a.ward = b.ward",
    ],
)
def test_answers_are_joined_as_plain_sql_joins_them(text: str) -> None:
    assert_same(text)


def test_rows_come_by_key_and_then_by_the_partners_own_order() -> None:
    """Engines hand public rows out as they like."""
    found = exactly(f"SELECT ward, bed FROM ({A}) t JOIN beds USING (ward)")
    assert found == [("north", 1), ("north", 2), ("south", 3)]


def test_a_public_table_changes_nothing_of_what_is_released() -> None:
    joined = f"SELECT t.ward, n / floor AS x FROM ({A}) t JOIN wards USING (ward)"
    assert bounded(ENGINE, joined).plan == bounded(ENGINE, A).plan
    assert not asked(ENGINE, joined).beside


def test_each_answer_is_a_release_and_the_same_one_is_released_once() -> None:
    two = asked(ENGINE, f"SELECT a.ward, n, m FROM ({A}) a JOIN ({B}) b USING (ward)")
    assert len(list_releases(two).questions) == 2
    one = asked(ENGINE, f"WITH t AS ({A}) SELECT a.n - b.n AS gap FROM t a JOIN t b ON a.ward = b.ward")
    assert len(list_releases(one).questions) == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"SELECT COUNT(*) FROM visits JOIN ({A}) t USING (ward)", "never across"),
        (f"SELECT n FROM ({A}) t JOIN visits USING (ward)", "never across"),
        (f"SELECT n FROM ({A}) t JOIN wards ON n > floor", "ON equal columns"),
        (f"SELECT n FROM ({A}) t, wards WHERE t.ward = wards.ward", "ON equal columns"),
        (f"SELECT n FROM ({A}) t RIGHT JOIN wards USING (ward)", "ON equal columns"),
        (f"SELECT n FROM wards LEFT JOIN ({A}) t USING (ward)", "stands first"),
        (f"SELECT n FROM ({A}) t LEFT JOIN wards ON t.ward = wards.ward AND floor > 1", "other conditions around"),
        (f"SELECT n FROM ({A}) t JOIN wards ON t.ward = wards.floor", "joined to their own kind"),
        (f"SELECT n FROM ({B}) t JOIN (SELECT AVG(cost) AS m FROM visits) u USING (m)", "joined to their own kind"),
        (f"SELECT ward FROM ({A}) a JOIN ({B}) b ON a.ward = b.ward", "ward"),
        ("SELECT m FROM (SELECT MODE(ward) AS m FROM visits) t JOIN wards ON t.m = wards.ward", "MODE"),
        (f"SELECT patient FROM ({A}) t JOIN wards USING (ward)", "patient"),
    ],
)
def test_other_joins_are_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)
