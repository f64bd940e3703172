"""Texts of dates and times are those of DuckDB, in English and with all digits; what has no date is NULL."""

from __future__ import annotations

import datetime as dt

import duckdb
import pyarrow as pa
import pytest

from support.hospital import answered, engine_of, refusal, sums

WORDS = [
    "2024-02-29",
    "29/02/24",
    "2023-02-29",
    "03:59 1969",
    "Feb 05 2024",
    "ebm 05 2024",
    "2024-2-29",
    None,
    "a%_!24",
    "2024/02/29",
    "ebm 2024",
]
ROWS = pa.table(
    {
        "d": pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2024, 2, 29), dt.date(1970, 9, 6), None]),
        "m": pa.array([dt.datetime(1, 1, 1), dt.datetime(2024, 2, 29, 23, 59, 58, 999_999), None, None, None]),
        "i": pa.array([0, 1, 29, -3, None], pa.int64()),
    }
)
TEXTS = pa.table({"s": pa.array(WORDS)})
POLICY = "[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n[tables.w]\nrows_are_units = true\n"
ENGINE = engine_of(POLICY, {"t": ROWS, "w": TEXTS})
PLAIN = duckdb.connect(":memory:", config={"threads": 1})
PLAIN.register("t", ROWS)
PLAIN.register("w", TEXTS)
FORMATS = ["%Y-%m-%d", "%y/%j", "%A, %d %B %Y", "%a %b", "%H:%M:%S", "100%% %Y", "x", "it's %m"]


def count(condition: str, table: str = "t") -> int:
    (found,) = sums(answered(ENGINE, f"SELECT COUNT(*) FROM {table} WHERE {condition}"))
    return found[0]


@pytest.mark.many
@pytest.mark.parametrize("column", ["d", "m"])
@pytest.mark.parametrize("written", FORMATS)
def test_times_are_written_as_duckdb_writes_them(column: str, written: str) -> None:
    quoted = written.replace("'", "''")
    for (text,) in PLAIN.execute(f"SELECT strftime({column}, '{quoted}') FROM t").fetchall():
        condition = "IS NULL" if text is None else "= '" + text.replace("'", "''") + "'"
        both = f"strftime({column}, '{quoted}') {condition}", f"strftime('{quoted}', {column}) {condition}"
        wanted = PLAIN.execute(f"SELECT COUNT(*) FROM t WHERE {both[0]}").fetchall()
        assert [(count(each),) for each in both] == wanted * 2


@pytest.mark.parametrize("name", ["monthname", "dayname"])
def test_names_are_english(name: str) -> None:
    days = pa.table({"d": [dt.date(2024, 1, 1) + dt.timedelta(days=30 * each) for each in range(12)]})
    engine = engine_of("[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n", {"t": days})
    for (text,) in PLAIN.execute(f"SELECT DISTINCT {name}(d) FROM days").fetchall():
        wanted = PLAIN.execute(f"SELECT COUNT(*) FROM days WHERE {name}(d) = '{text}'").fetchall()
        assert sums(answered(engine, f"SELECT COUNT(*) FROM t WHERE {name}(d) = '{text}'")) == tuple(wanted)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("%Y-%m-%d", ["2024-02-29"]),
        ("%d/%m/%y", ["2024-02-29"]),
        ("%H:%M %Y", ["1969-01-01 03:59:00"]),
        ("%b %d %Y", ["2024-02-05"]),
        ("a%%_!%y", ["2024-01-01"]),
        ("%b %Y", []),
    ],
)
def test_texts_are_read_or_null(written: str, found: list[str]) -> None:
    for name in ("strptime", "try_strptime"):
        read = f"{name}(s, '{written}')"
        assert count(f"{read} IS NOT NULL", "w") == len(found)
        for each in found:
            assert count(f"{read} = TIMESTAMP '{each}'", "w") == 1
            assert PLAIN.execute(f"SELECT TRY_STRPTIME(s, '{written}') FROM w WHERE s IS NOT NULL").fetchall()


def test_every_month_is_read_by_its_name() -> None:
    for month in range(1, 13):
        told = f"upper(strftime(DATE '2024-{month:02d}-03', '%b')) || ' 2024'"
        assert count(f"strptime({told}, '%b %Y') = DATE '2024-{month:02d}-01'", "w") == len(WORDS)


def test_an_hour_that_ends_the_day_and_a_year_of_two_digits() -> None:
    assert count("strptime('24:00 2024', '%H:%M %Y') IS NULL", "w") == len(WORDS)
    assert count("strptime('68', '%y') = DATE '2068-01-01' AND strptime('69', '%y') = DATE '1969-01-01'", "w") == len(
        WORDS
    )


def test_dates_are_made_from_numbers_or_null() -> None:
    assert count("make_date(2024, 2, i) = DATE '2024-02-29'") == 1
    assert count("make_date(2023, 2, i) IS NULL") == 4
    assert count("make_date(i, 1, 1) = DATE '0001-01-01' OR make_date(i * 10000, 1, 1) IS NOT NULL") == 1
    assert count("make_date(9999, 12, 31) = DATE '9999-12-31' AND make_date(12024, 1, 1) IS NULL") == 5


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("strftime(d, '%q') = ''", "%q is no part that is answered; these are: %Y"),
        ("strftime(d, 'a%') = ''", "% is no part"),
        ("strftime(d, '') = ''", "the format must be a constant"),
        ("strftime(d, monthname(d)) = ''", "the format must be a constant"),
        (f"strftime(d, '{'x' * 101}') = ''", "more than 100 letters"),
        ("strftime(i, '%Y') = ''", "cannot be applied to"),
        ("strptime(i, '%Y') = d", "cannot be applied to"),
        ("strptime(monthname(d), '%B') = d", "a text is read by %Y, %y, %m"),
        ("strptime(monthname(d), '%y%Y') = d", "each of them once"),
        ("strptime(monthname(d), '%m') = d", "the format needs a year"),
        ("try_strptime(monthname(d)) = d", "write STRPTIME"),
        ("make_date(2026) = d", "write MAKE_DATE(year, month, day)"),
        ("make_date(2026, 1.5, 2) = d", "cast to INTEGER"),
        ("monthname(i) = 'May'", "cannot be applied to"),
    ],
)
def test_what_is_refused(condition: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM t WHERE {condition}")
