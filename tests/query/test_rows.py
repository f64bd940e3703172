"""FROM and JOIN: one private table, and public ones in which no row finds two partners."""

from __future__ import annotations

import pyarrow as pa
import pytest

from questions import HOSPITAL, POLICY, answered, asked, engine_of, refusal, sums

ENGINE = engine_of()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELECT COUNT(*)", "no FROM"),
        ("SELECT COUNT(*) FROM nobody", "there is no table 'nobody'"),
        ("SELECT COUNT(*) FROM wards", "is public"),
        ("SELECT COUNT(*) FROM main.visits", "db is not answered"),
        ("SELECT COUNT(*) FROM 'visits.parquet'", "there is no table"),
        ("SELECT COUNT(*) FROM read_csv('x')", "FROM takes a table"),
        ("SELECT COUNT(*) FROM (SELECT * FROM visits)", "subqueries are not answered"),
        ("SELECT COUNT(*) FROM (visits)", "subqueries are not answered"),
        ("SELECT COUNT(*) FROM (VALUES (1)) v", "FROM takes a table"),
        ("SELECT COUNT(*) FROM visits AS v(a, b)", "columns is not answered"),
        ("SELECT COUNT(*) FROM visits@x", "the name of a table is a word"),
        ("SELECT COUNT(*) FROM visits TABLESAMPLE 10%", "sample is not answered"),
        ("SELECT COUNT(*) FROM ONLY visits", "only is not answered"),
        ("SELECT COUNT(*) FROM visits WITH ORDINALITY", "ordinality is not answered"),
        ("SELECT COUNT(*) FROM visits AT (VERSION => 1)", "when is not answered"),
        ("SELECT COUNT(*) FROM visits PIVOT (COUNT(*) FOR ward IN ('a'))", "pivots is not answered"),
        ("SELECT COUNT(*) FROM visits, wards", "needs ON"),
        ("SELECT COUNT(*) FROM visits CROSS JOIN wards", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits JOIN wards", "needs ON"),
        ("SELECT COUNT(*) FROM visits NATURAL JOIN wards", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits ASOF JOIN wards ON visits.ward = wards.ward", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits POSITIONAL JOIN wards", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits SEMI JOIN wards USING (ward)", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits ANTI JOIN wards USING (ward)", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits RIGHT JOIN wards USING (ward)", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits FULL JOIN wards USING (ward)", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits OUTER JOIN wards USING (ward)", "only JOIN and LEFT JOIN"),
        ("SELECT COUNT(*) FROM visits JOIN LATERAL wards ON TRUE", "FROM takes a table"),
        ("SELECT COUNT(*) FROM visits JOIN (wards JOIN beds USING (floor)) USING (ward)", "FROM takes a table"),
        ("SELECT COUNT(*) FROM visits JOIN wards w(a) USING (ward)", "columns is not answered"),
        ("SELECT COUNT(*) FROM visits JOIN people USING (ward)", "is private"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON TRUE", "ON takes equalities"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward <> wards.ward", "ON takes equalities"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward OR sick", "ON takes equalities"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward AND floor > 1", "ON takes equalities"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON wards.ward = wards.ward", "ON takes equalities"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON wards.ward = 'north'", "ON takes columns"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON x.visits.ward = wards.ward", "db is not answered"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = x.wards.ward", "db is not answered"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.age = wards.floor", "is not unique"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.cost = wards.code", "join columns of one type"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.seen = wards.opened", "join columns of one type"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.secret = wards.ward", "no column 'secret'"),
        ("SELECT COUNT(*) FROM visits JOIN wards visits USING (ward)", "two tables are called"),
        ("SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward WHERE ward = 'a'", "of several tables"),
        ("SELECT COUNT(*) FROM visits WHERE v.age > 3", "there is no table 'v'"),
        ("SELECT COUNT(*) FROM visits WHERE main.visits.age > 3", "db is not answered"),
    ],
)
def test_what_is_refused(text: str, part: str) -> None:
    assert part in refusal(ENGINE, text)


def test_lookups_mean_what_duckdb_means() -> None:
    joins = "JOIN wards USING (ward) LEFT JOIN beds ON beds.floor = wards.floor"
    text = f"SELECT kind, COUNT(*) FROM visits {joins} GROUP BY kind"
    assert [lookup.keep for lookup in asked(ENGINE, text).lookups] == [False, True]
    assert sums(answered(ENGINE, text)) == ((1, 2),)
    for join, count in (("JOIN", 3), ("LEFT JOIN", 4), ("INNER JOIN", 3), ("LEFT OUTER JOIN", 4)):
        assert sums(answered(ENGINE, f"SELECT COUNT(*) FROM visits {join} wards USING (ward)")) == ((count,),)


def test_a_public_table_with_a_key_twice_is_never_joined() -> None:
    twice = pa.table({"ward": ["north", "north"], "floor": pa.array([1, 2], pa.int64())})
    engine = engine_of(POLICY, {**HOSPITAL, "wards": twice})
    assert "so rows would multiply" in refusal(engine, "SELECT COUNT(*) FROM people JOIN wards USING (ward)")
