"""What is not answered is refused with its own text and what to write instead."""

from __future__ import annotations

import pytest

from discreet.query.scalars.refusals import KNOWN, NAMES
from support.hospital import engine_of, refusal
from support.oracle import ENGINE as HOUSE
from support.oracle import assert_same

ENGINE = engine_of()


@pytest.mark.many
@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("repeat('a', CASE WHEN patient = 17 THEN 20000000000 ELSE 0 END) = 'a'", "LPAD or RPAD"),
        ("random() > 0.5", "write a constant"),
        ("now() > at", "$today"),
        ("current_date > seen", "write a constant"),
        ("current_timestamp > at", "write a constant"),
        ("today() > seen", "write a constant"),
        ("uuid()::TEXT = ward", "write a constant"),
        ("nextval('x') = 1", "write a constant"),
        ("regexp_matches(ward, 'n.*')", "use LIKE"),
        ("ward ~ 'n'", "use LIKE"),
        ("regexp_extract(ward, 'n') = ''", "REGEXP_REPLACE"),
        ("ward SIMILAR TO 'n'", "use LIKE"),
        ("date_format(at, '%Y') = '2020'", "write STRFTIME(x, '%Y-%m')"),
        ("md5(ward) = 'x'", "compare the values themselves"),
        ("hash(ward) = 1", "compare the values themselves"),
        ("TRY(age / 0) = 1", "leave TRY out"),
        ("ward[1] = 'n'", "declare plain columns"),
        ("[1, 2] = age", "declare plain columns"),
        ("{'a': 1} = age", "declare plain columns"),
        ("list_transform(ward, x -> x) = 'a'", "declare plain columns"),
        ("ward -> 'a' = 'b'", "declare plain columns"),
        ("string_split(ward, 'o')[1] = 'n'", "write SPLIT_PART(x, ',', 1)"),
        ("list_contains(string_split(ward, ';'), 'n')", "CONTAINS(',' || x || ',', ',a,')"),
        ("make_timestamp(2026, 3, 1, 0, 0, 0) = at", "write MAKE_DATE(year, month, day)"),
        ("levenshtein(ward, 'a') = 2", "the function LEVENSHTEIN is not answered"),
        ("unix_date(seen) = 2", "the function UNIXDATE is not answered"),
        ("unnest(ward) = 'a'", "unnest is a column of a SELECT"),
        ("ward COLLATE NOCASE = 'a'", "LOWER(x)"),
        ("at AT TIME ZONE 'UTC' = at", "UTC"),
        ("lowr(ward) = 'a'", "did you mean LOWER"),
        ("datetrunk('day', at) = at", "did you mean"),
        ("zzzzqqq(ward) = 'a'", "ZZZZQQQ is not answered; docs/sql.md"),
        ("cbrt(cost) = 1", "CBRT is not answered"),
        ("INTERVAL 3 DAY = at", "stands beside a date"),
        ("age & 1 = 1", "these are: "),
    ],
)
def test_refusals_say_what_to_write(condition: str, part: str) -> None:
    told = refusal(ENGINE, f"SELECT COUNT(*) FROM visits WHERE {condition}")
    assert part in told
    assert told.startswith("`")


def test_no_name_is_both_refused_and_suggested() -> None:
    assert not NAMES.keys() & set(KNOWN)


TABLE = [
    ("SELECT * FROM visits", "rows are not released", "SELECT COUNT(*) FROM visits"),
    (
        "SELECT age FROM visits",
        "add GROUP BY age or use an aggregate",
        "SELECT age, COUNT(*) FROM visits WHERE age >= 0 GROUP BY age",
    ),
    (
        "SELECT patient, COUNT(*) FROM visits GROUP BY patient",
        "`patient`: groups by the unit would be about single people",
        "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM visits GROUP BY patient)",
    ),
    (
        "SELECT p, COUNT(*) FROM (SELECT patient AS p FROM visits) GROUP BY p",
        "`p`: groups by the unit",
        "SELECT n, COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) GROUP BY n",
    ),
    (
        "SELECT COUNT(*) OVER () FROM visits",
        "window functions look at other people's rows; use GROUP BY",
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY cost) AS r FROM visits) WHERE r = 1",
        "window functions look at other people's rows",
        "SELECT COUNT(*) FROM (SELECT cost AS r FROM visits) WHERE r = 1",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 1)",
        "`LIMIT 1`: inside a subquery rows have no order",
        "SELECT COUNT(*) FROM (SELECT * FROM visits) LIMIT 1",
    ),
    (
        "SELECT SUM(cost) FROM (SELECT cost FROM visits ORDER BY cost)",
        "put ORDER BY and LIMIT at the end",
        "SELECT SUM(cost) AS s FROM (SELECT cost FROM visits) ORDER BY s",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT DISTINCT ward FROM visits)",
        "DISTINCT would list rows",
        "SELECT COUNT(DISTINCT ward) FROM visits",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT ward FROM visits GROUP BY ward)",
        "answers are not aggregated again",
        "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits GROUP BY patient, ward)",
    ),
    ("SELECT SUM(random()) FROM visits", "its value changes", "SELECT SUM(age) FROM visits"),
    ("SELECT COUNT(*) FROM range(10)", "functions and files are not read", "SELECT COUNT(*) FROM visits"),
    ("SELECT COUNT(*) FROM read_csv('x.csv')", "functions and files are not read", "SELECT COUNT(*) FROM visits"),
    ("SELECT COUNT(*) FROM 'x.csv'", "there is no table 'x.csv'", "SELECT COUNT(*) FROM visits"),
    ("SELECT COUNT(*) FROM 'visits.parquet'", "did you mean 'visits'?", "SELECT COUNT(*) FROM visits"),
    ("SELECT COUNT(*) FROM visits, unnest([1, 2])", "name its column", "SELECT COUNT(*) FROM visits"),
    (
        "SELECT COUNT(*) FROM visits WHERE repeat(ward, 9) = 'a'",
        "its text could be of any length",
        "SELECT COUNT(*) FROM visits WHERE lpad(ward, 9, 'a') = 'aaaanorth'",
    ),
    ("SELECT 1; SELECT COUNT(*) FROM visits", "one question at a time", "SELECT COUNT(*) FROM visits;"),
    ("DELETE FROM visits", "is not a SELECT", "SELECT COUNT(*) FROM visits"),
    ("ATTACH 'x.db'", "is not a SELECT", "SELECT COUNT(*) FROM visits"),
    ("PRAGMA database_list", "is not a SELECT", "SELECT COUNT(*) FROM visits"),
    (
        "SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)",
        "`(SELECT AVG(cost) FROM visits)`",
        "SELECT COUNT(*) FROM visits WHERE cost > 20",
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE cost > (SELECT AVG(cost) FROM visits w WHERE w.patient = v.patient)",
        "ask the inner question by itself",
        "SELECT COUNT(*) FROM visits v JOIN (SELECT patient, AVG(cost) AS m FROM visits GROUP BY patient) w "
        "ON w.patient = v.patient WHERE v.cost > w.m",
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM stays s WHERE s.who = v.patient AND s.days > v.age)",
        "the outside is compared by equality alone",
        "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM stays s WHERE s.who = v.patient AND s.days > 20)",
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM stays WHERE days > 5)",
        "EXISTS must compare the units",
        "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM stays WHERE days > 5 AND who = visits.patient)",
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE age IN (SELECT days FROM stays)",
        "patient IN (SELECT patient FROM ...)",
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT who FROM stays)",
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT who FROM stays) OR age > 5",
        "answered as a condition of its own, joined by AND",
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT who FROM stays) AND age > 5",
    ),
    (
        "SELECT ward FROM (SELECT ward, COUNT(*) FROM visits GROUP BY ward) WHERE ward IN (SELECT ward FROM wards)",
        "over an answer write it inside of that",
        "SELECT ward, COUNT(*) AS n FROM visits WHERE ward IN (SELECT ward FROM wards) GROUP BY ward",
    ),
    (
        "SELECT (SELECT COUNT(*) FROM visits), (SELECT COUNT(*) FROM stays)",
        "several answers: SELECT COUNT(*), (SELECT COUNT(*) FROM patients) FROM visits",
        "SELECT COUNT(*), (SELECT COUNT(*) FROM stays) FROM visits",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT patient FROM visits EXCEPT SELECT who FROM stays)",
        "EXCEPT compares rows of different people",
        "SELECT COUNT(DISTINCT patient) FROM visits WHERE patient NOT IN (SELECT who FROM stays)",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT patient FROM visits INTERSECT SELECT who FROM stays)",
        "INTERSECT compares rows of different people",
        "SELECT COUNT(DISTINCT patient) FROM visits WHERE patient IN (SELECT who FROM stays)",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT ward FROM visits UNION SELECT ward FROM stays)",
        "write UNION ALL",
        "SELECT COUNT(*) FROM (SELECT ward FROM visits UNION ALL SELECT ward FROM stays)",
    ),
    (
        "SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM stays",
        "ask each by itself",
        "SELECT COUNT(*) FROM (SELECT 1 AS x FROM visits UNION ALL SELECT 1 AS x FROM stays)",
    ),
    (
        "SELECT COUNT(*) FROM visits CROSS JOIN wards",
        "needs ON with equal columns",
        "SELECT COUNT(*) FROM visits JOIN wards USING (ward)",
    ),
    ("SELECT COUNT(*) FROM visits, wards", "needs ON", "SELECT COUNT(*) FROM visits JOIN wards USING (ward)"),
    (
        "SELECT COUNT(*) FROM visits JOIN wards ON floor > 1",
        "every row meets all of them",
        "SELECT COUNT(*) FROM visits JOIN wards ON visits.ward = wards.ward AND floor > 1",
    ),
    (
        "SELECT COUNT(*) FROM visits v JOIN stays s ON v.ward = s.ward",
        "add patient to the columns of JOIN",
        "SELECT COUNT(*) FROM visits v JOIN stays s ON v.ward = s.ward AND v.patient = s.who",
    ),
    (
        "SELECT COUNT(*) FROM visits, stays",
        "private tables are joined on the unit",
        "SELECT COUNT(*) FROM visits JOIN stays ON who = patient",
    ),
    (
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient OR a.age = b.age",
        "private tables are joined on the unit",
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient AND a.age = b.age",
    ),
    (
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient + 0 = b.patient",
        "private tables are joined on the unit",
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT 1 AS patient, ward FROM visits) a JOIN visits b ON a.patient = b.patient",
        "private tables are joined on the unit",
        "SELECT COUNT(*) FROM (SELECT patient, ward FROM visits) a JOIN visits b ON a.patient = b.patient",
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT 1 AS who FROM stays)",
        "a subquery in WHERE is answered for the unit alone",
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT who AS x FROM stays)",
    ),
    (
        "SELECT COUNT(*) FROM visits a LEFT JOIN stays s ON s.who = a.patient JOIN visits b ON b.patient = s.who",
        "private tables are joined on the unit",
        "SELECT COUNT(*) FROM visits a LEFT JOIN stays s ON s.who = a.patient JOIN visits b ON b.patient = a.patient",
    ),
    (
        "SELECT COUNT(*) FROM visits JOIN staff USING (patient)",
        "'staff' and 'visits' do not speak of the same people",
        "SELECT COUNT(*) FROM visits JOIN secrets USING (patient)",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT age FROM visits UNION ALL SELECT age FROM people)",
        "do not speak of the same people",
        "SELECT COUNT(*) FROM (SELECT age FROM people UNION ALL SELECT age FROM people)",
    ),
    (
        "SELECT COUNT(*) FROM people a JOIN people b USING (age)",
        "each row is a unit of its own here",
        "SELECT COUNT(*) FROM people",
    ),
    (
        "SELECT COUNT(*) FROM wards LEFT JOIN visits USING (ward)",
        "an outer join must keep the private side",
        "SELECT COUNT(*) FROM visits LEFT JOIN wards USING (ward)",
    ),
    (
        "SELECT COUNT(*) FROM visits RIGHT JOIN wards USING (ward)",
        "the private side first",
        "SELECT COUNT(*) FROM visits JOIN wards USING (ward)",
    ),
    (
        "SELECT COUNT(*) FROM visits FULL JOIN stays ON who = patient",
        "JOIN and LEFT JOIN ON equal columns are answered",
        "SELECT COUNT(*) FROM visits LEFT JOIN stays ON who = patient",
    ),
    (
        "WITH RECURSIVE x AS (SELECT age FROM visits UNION ALL SELECT age + 1 FROM x) SELECT COUNT(*) FROM x",
        "leave RECURSIVE out",
        "WITH x AS (SELECT age FROM visits) SELECT COUNT(*) FROM x",
    ),
    (
        "WITH x AS (SELECT age FROM x) SELECT COUNT(*) FROM x",
        "there is no table 'x'",
        "WITH x AS (SELECT age FROM visits) SELECT COUNT(*) FROM x",
    ),
    (
        "SELECT COUNT(*) FROM visits v, LATERAL (SELECT v.age) w",
        "LATERAL",
        "SELECT COUNT(*) FROM (SELECT age FROM visits) w",
    ),
    (
        "SELECT SUM(COUNT(*)) FROM visits",
        "an aggregate cannot stand here",
        "SELECT SUM(n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)",
    ),
    (
        "SELECT SUM(n) FROM (SELECT patient, SUM(COUNT(*)) AS n FROM visits GROUP BY patient)",
        "an aggregate cannot stand here",
        "SELECT SUM(n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)",
    ),
    (
        "SELECT SUM(m) FROM (SELECT patient, MEDIAN(age) AS m FROM visits GROUP BY patient)",
        "inside a subquery COUNT, SUM, AVG, MIN and MAX are answered",
        "SELECT SUM(m) FROM (SELECT patient, MAX(age) AS m FROM visits GROUP BY patient)",
    ),
    (
        "SELECT SUM(secret) FROM visits",
        "no column 'secret'",
        "SELECT SUM(age) FROM visits",
    ),
    (
        "SELECT SUM(patient) FROM secrets",
        "`patient` is hidden",
        "SELECT COUNT(DISTINCT patient) FROM secrets",
    ),
]


@pytest.mark.many
@pytest.mark.parametrize(("question", "words", "instead"), TABLE, ids=[row[0] for row in TABLE])
def test_what_would_tell_of_others_is_refused_and_what_to_write_is_answered(
    question: str, words: str, instead: str
) -> None:
    told = refusal(HOUSE, question)
    assert words in told
    assert "; " in told or ": " in told
    if "DISTINCT ward" not in instead:
        assert_same(instead)
