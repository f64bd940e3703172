"""Dates and times mean what DuckDB means by the same text; units, parts and steps are constants."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from support.hospital import answered, engine_of, refusal, sums

DAY = 86_400_000_000
ROWS = pa.table(
    {
        "d": pa.array([0, 1, -1, 18262, None, 2932896, -719162, 5, 31, 20_000], pa.date32()),
        "m": pa.array([0, 1, -1, 18262 * DAY, None, 10**15, -(10**15), 5 * DAY - 1, 31 * DAY, 0], pa.timestamp("us")),
        "i": pa.array(range(10), pa.int64()),
    }
)
ENGINE = engine_of("[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n", {"t": ROWS})
PLAIN = duckdb.connect(":memory:", config={"threads": 1})
PLAIN.register("given", ROWS)
PLAIN.execute("CREATE TABLE t AS SELECT * FROM given").fetchall()


@pytest.mark.many
@pytest.mark.parametrize(
    "condition",
    [
        "DATE_TRUNC('month', d) = '1970-01-01'",
        "DATE_TRUNC('week', m) = '1969-12-29'",
        "DATETRUNC('hour', m) = TIMESTAMP '1970-01-05 23:00:00'",
        "EXTRACT(year FROM d) = 1970",
        "EXTRACT('month' FROM m) = 1",
        "DATE_PART('doy', d) = 1",
        "DATEPART('isodow', m) = 4",
        "YEAR(d) = 1970 AND MONTH(d) = 1 AND DAY(d) = 2",
        "HOUR(m) = 23 AND MINUTE(m) = 59 AND SECOND(m) = 59",
        "QUARTER(d) = 4",
        "DAYOFWEEK(d) = 4",
        "WEEKDAY(m) = 4",
        "EXTRACT(dow FROM m) = 3",
        "ISODOW(d) = 3",
        "DAYOFYEAR(d) = 365",
        "DAYOFMONTH(d) = 31",
        "WEEK(d) = 1",
        "WEEKOFYEAR(m) = 1",
        "DATE_DIFF('day', d, DATE '1970-01-05') = 4",
        "DATEDIFF('month', m, TIMESTAMP '1970-03-01 00:00:00') = 1",
        "DATE_DIFF('year', d, m) = 0",
        "DATE_DIFF('hours', TIMESTAMP '1970-01-01 00:00:00', m) = -1",
        "m + INTERVAL 1 DAY > '1970-01-02 00:00:00'",
        "m - INTERVAL '3' HOUR < '1970-01-01'",
        "INTERVAL 2 WEEK + m > '1970-01-14 00:00:00'",
        "m + INTERVAL (-1) MONTH < '1970-01-01'",
        "d - 1 = '1969-12-31'",
        "1 + d = DATE '1970-01-02'",
        "d + CAST(i AS INTEGER) = DATE '1970-01-03'",
        "d - CAST(i AS INTEGER) BETWEEN DATE '1960-01-01' AND DATE '1969-12-31'",
        "d - DATE '1969-12-31' = 1",
        "DATE '1970-01-03' - d = 2",
        "LAST_DAY(m) = '1970-01-31'",
        "d::DATE + INTERVAL 0 DAY + INTERVAL 90 MINUTE = TIMESTAMP '1970-01-01 01:30:00'",
    ],
)
def test_every_function_means_what_duckdb_means(condition: str) -> None:
    text = f"SELECT COUNT(*) FROM t WHERE {condition}"
    assert sums(answered(ENGINE, text)) == (PLAIN.execute(text).fetchall()[0],)


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("DATE_TRUNC('hour', d) = TIMESTAMP '1970-01-01 00:00:00'", 1),
        ("d + INTERVAL 1 DAY IS NULL", 2),
        ("d - INTERVAL 1 QUARTER IS NULL", 2),
        ("d + INTERVAL 1 MONTH = '1970-02-28'", 0),
        ("CAST(d + INTERVAL 1 DAY AS TEXT) = '1970-01-02'", 1),
        ("DATE_TRUNC('month', '1970-01-31') = d", 1),
        ("'1970-01-02' - d = 1", 1),
        ("d - '1970-01-01' = 1", 1),
        ("d + INTERVAL ($n) DAY = '1970-01-04'", 1),
        ("d + $n = '1970-01-04'", 1),
    ],
)
def test_what_is_fixed_here(condition: str, count: int) -> None:
    assert sums(answered(ENGINE, f"SELECT COUNT(*) FROM t WHERE {condition}", {"n": 3})) == ((count,),)


def test_a_date_does_not_leave_the_calendar() -> None:
    """The rows hold the first and the last day; numbers of any size lead to none."""
    for count, missing in (("i", 2), ("-i", 2), ("i * 9223372036854775807", 9), ("i * i * 9223372036854775807", 9)):
        text = f"SELECT COUNT(*) FROM t WHERE d + {count} IS NULL"
        assert sums(answered(ENGINE, text)) == ((missing,),), count


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("DATE_TRUNC('decade', d) = d", "these are: microsecond"),
        ("DATE_TRUNC('week(monday)', d) = d", "these are: microsecond"),
        ("EXTRACT(epoch FROM m) = 1", "these are: year"),
        ("EXTRACT(century FROM m) = 1", "these are: year"),
        ("DATE_PART(i, m) = 1", "the part as a constant"),
        ("DATE_PART('year') = 1", "the part as a constant"),
        ("WEEKDAY(d, d) = 1", "WEEKDAY(x)"),
        ("WEEK(d, d) = 1", "is not answered"),
        ("YEAR(i) = 1", "cannot be applied to"),
        ("DATE_DIFF('week', d, d) = 1", "// 7"),
        ("DATE_DIFF('day', i, d) = 1", "cannot be applied to"),
        ("d + INTERVAL '1 month 2 days' = d", "one whole number and one unit"),
        ("d + INTERVAL (i) DAY = d", "one whole number and one unit"),
        ("d + INTERVAL 1.5 DAY = d", "one whole number and one unit"),
        ("d + INTERVAL 1 DECADE = d", "these are: microsecond"),
        ("d + INTERVAL 999999999 DAY = d", "out of the calendar"),
        ("d + 999999999 = d", "out of the calendar"),
        ("d + INTERVAL 1 DAY * 2 = d", "stands beside a date"),
        ("INTERVAL 1 DAY + INTERVAL 1 DAY + d = d", "one by one"),
        ("m + 1 = m", "to a date days are added"),
        ("i - d = d", "to a date days are added"),
        ("m - m = m", "DATE_DIFF('hour', a, b)"),
        ("d * 2 = d", "cannot be applied to"),
        ("i + INTERVAL 1 DAY = d", "cannot be applied to"),
        ("INTERVAL 1 DAY - d = d", "stands beside a date"),
        ("DATE_ADD(d, INTERVAL 1 DAY) = d", "is not answered"),
        ("d + 'x' = d", "to a date days are added"),
    ],
)
def test_what_is_refused(condition: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM t WHERE {condition}")
