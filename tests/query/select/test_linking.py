"""Comma lists, CROSS JOIN and NATURAL JOIN are the joins that they mean, and no looser ones."""

from __future__ import annotations

import pytest

from support.hospital import asked, refusal
from support.oracle import ENGINE, assert_same

SAME = [
    (
        "SELECT COUNT(*) FROM visits v, stays s WHERE v.patient = s.who AND age > 30",
        "SELECT COUNT(*) FROM visits v JOIN stays s ON v.patient = s.who WHERE age > 30",
    ),
    (
        "SELECT COUNT(*) FROM visits, stays WHERE patient = who",
        "SELECT COUNT(*) FROM visits JOIN stays ON patient = who",
    ),
    (
        "SELECT floor, COUNT(*) FROM visits v CROSS JOIN wards w WHERE (w.ward = v.ward) AND floor < 3 GROUP BY floor",
        "SELECT floor, COUNT(*) FROM visits v JOIN wards w ON w.ward = v.ward WHERE floor < 3 GROUP BY floor",
    ),
    (
        "SELECT COUNT(*) FROM wards w, beds b, visits v WHERE v.ward = w.ward AND b.ward = w.ward",
        "SELECT COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward JOIN beds b ON b.ward = w.ward",
    ),
    (
        "SELECT COUNT(*) FROM visits a, visits b WHERE a.patient = b.patient AND a.ward = b.ward AND a.age < b.age",
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient AND a.ward = b.ward WHERE a.age < b.age",
    ),
    (
        "SELECT COUNT(*) FROM visits v, stays s LEFT JOIN wards w ON w.ward = s.ward WHERE v.patient = s.who",
        "SELECT COUNT(*) FROM visits v JOIN stays s ON v.patient = s.who LEFT JOIN wards w ON w.ward = s.ward",
    ),
    (
        "SELECT COUNT(*) FROM visits v, (SELECT who, days FROM stays WHERE days > 2) s WHERE s.who = v.patient",
        "SELECT COUNT(*) FROM visits v JOIN (SELECT who, days FROM stays WHERE days > 2) s ON s.who = v.patient",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT v.patient, floor FROM visits v, wards w WHERE v.ward = w.ward) WHERE floor > 1",
        "SELECT COUNT(*) FROM (SELECT v.patient, floor FROM visits v JOIN wards w ON v.ward = w.ward) WHERE floor > 1",
    ),
]


@pytest.mark.parametrize(("text", "meant"), SAME)
def test_a_comma_list_is_the_join_that_where_says(text: str, meant: str) -> None:
    assert asked(ENGINE, text) == asked(ENGINE, meant)
    assert_same(text)


def test_a_natural_join_is_on_all_columns_that_both_have() -> None:
    text = "SELECT COUNT(*) FROM (SELECT ward FROM visits) NATURAL JOIN (SELECT ward AS place FROM visits)"
    assert "share no column" in refusal(ENGINE, text)
    text = "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits) v NATURAL JOIN wards"
    assert asked(ENGINE, text) == asked(
        ENGINE, "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits) v JOIN wards USING (ward)"
    )
    both = "SELECT COUNT(*) FROM visits v NATURAL JOIN (SELECT patient, ward FROM visits) w"
    assert asked(ENGINE, both) == asked(ENGINE, both.replace("NATURAL JOIN", "JOIN") + " USING (patient, ward)")
    assert_same(both)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM visits v, stays s",
        "SELECT COUNT(*) FROM visits v, stays s WHERE v.patient = s.who OR age > 3",
        "SELECT COUNT(*) FROM visits v, stays s WHERE NOT v.patient = s.who",
        "SELECT COUNT(*) FROM visits v, stays s WHERE v.patient = v.patient",
        "SELECT COUNT(*) FROM visits v, stays s WHERE v.patient <= s.who",
        "SELECT COUNT(*) FROM visits v, stays s WHERE v.ward = s.ward",
        "SELECT COUNT(*) FROM visits v, stays s WHERE v.patient + 0 = s.who",
    ],
)
def test_private_tables_are_never_joined_across_people(text: str) -> None:
    assert "joined on the unit" in refusal(ENGINE, text) or "may not be read" in refusal(ENGINE, text)


def test_a_column_that_several_tables_have_must_say_whose_it_is() -> None:
    text = "SELECT COUNT(*) FROM visits v, stays s, wards w WHERE patient = who AND ward = w.ward"
    assert "needs ON" in refusal(ENGINE, text)
    assert "'ward' is a column of several tables" in refusal(
        ENGINE, "SELECT COUNT(*) FROM visits, stays WHERE patient = who AND ward = 'icu'"
    )


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*), COUNT(days) AS d FROM visits v LEFT JOIN stays s ON s.who = v.patient AND s.days > 20",
        "SELECT COUNT(*), SUM(days) FROM visits LEFT JOIN stays ON who = patient AND (days > 30 OR days IS NULL)",
        "SELECT COUNT(*), COUNT(s.x) AS d FROM visits v "
        "LEFT JOIN (SELECT who, days AS x FROM stays) s ON s.who = v.patient AND x > 20 AND x < 40",
        "SELECT COUNT(*) FROM visits v LEFT JOIN visits w ON v.patient = w.patient AND w.age > 40 WHERE w.age IS NULL",
    ],
)
def test_a_left_join_keeps_rows_whose_partners_fail_a_condition(text: str) -> None:
    assert_same(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM visits v LEFT JOIN stays s ON s.who = v.patient AND v.age > 20",
        "SELECT COUNT(*) FROM visits v LEFT JOIN wards w ON w.ward = v.ward AND w.floor > v.age",
        "SELECT COUNT(*) FROM visits v LEFT JOIN stays s ON s.days > 3",
    ],
)
def test_other_conditions_of_a_left_join_are_refused(text: str) -> None:
    assert "ON of a LEFT JOIN takes equal columns" in refusal(ENGINE, text)
