"""Functions on dates and times give what Python's calendar gives, and NULL outside the years 1 to 9999."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call
from support.worst_values import nasty

DATES = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999))


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return nasty()


def literal(value: Any) -> Expression:
    if isinstance(value, dt.datetime):
        return Literal(value.replace(tzinfo=dt.UTC), Type.TIMESTAMP)
    if isinstance(value, dt.date):
        return Literal(value, Type.DATE)
    return Literal(value, Type.INTEGER if isinstance(value, int) else Type.TEXT)


def value(connection: duckdb.DuckDBPyConnection, name: str, *arguments: Any) -> Any:
    return connection.execute(f"SELECT {write_sql(call(name, *map(literal, arguments)))}").fetchall()[0][0]


PARTS: dict[str, Callable[[dt.datetime], int]] = {
    "year": lambda at: at.year,
    "quarter": lambda at: (at.month + 2) // 3,
    "month": lambda at: at.month,
    "week": lambda at: at.isocalendar().week,
    "day": lambda at: at.day,
    "hour": lambda at: at.hour,
    "minute": lambda at: at.minute,
    "second": lambda at: at.second,
    "dow": lambda at: at.isoweekday() % 7,
    "isodow": lambda at: at.isoweekday(),
    "doy": lambda at: at.timetuple().tm_yday,
}

BEGINNINGS: dict[str, Callable[[dt.datetime], dt.datetime]] = {
    "year": lambda at: dt.datetime(at.year, 1, 1),
    "quarter": lambda at: dt.datetime(at.year, (at.month - 1) // 3 * 3 + 1, 1),
    "month": lambda at: dt.datetime(at.year, at.month, 1),
    "week": lambda at: dt.datetime(at.year, at.month, at.day) - dt.timedelta(days=at.weekday()),
    "day": lambda at: dt.datetime(at.year, at.month, at.day),
    "hour": lambda at: at.replace(minute=0, second=0, microsecond=0),
    "minute": lambda at: at.replace(second=0, microsecond=0),
    "second": lambda at: at.replace(microsecond=0),
    "millisecond": lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000),
    "microsecond": lambda at: at,
}


@given(MOMENTS, st.sampled_from(sorted(PARTS)))
def test_parts(connection: duckdb.DuckDBPyConnection, at: dt.datetime, part: str) -> None:
    assert value(connection, "date_part", part, at) == PARTS[part](at)
    midnight = dt.datetime(at.year, at.month, at.day)
    assert value(connection, "date_part", part, at.date()) == PARTS[part](midnight)


@given(MOMENTS, st.sampled_from(sorted(BEGINNINGS)))
def test_beginnings(connection: duckdb.DuckDBPyConnection, at: dt.datetime, unit: str) -> None:
    name = "time_trunc" if unit in ("hour", "minute", "second", "millisecond", "microsecond") else "date_trunc"
    assert value(connection, name, unit, at) == BEGINNINGS[unit](at)
    wanted = BEGINNINGS[unit](dt.datetime(at.year, at.month, at.day))
    assert value(connection, name, unit, at.date()) == (wanted.date() if name == "date_trunc" else wanted)


UNITS = {"hour": 3600, "minute": 60, "second": 1, "day": 86400}


@given(MOMENTS, MOMENTS, st.sampled_from(["year", "quarter", "month", *UNITS]))
def test_gaps_count_beginnings(
    connection: duckdb.DuckDBPyConnection, a: dt.datetime, b: dt.datetime, unit: str
) -> None:
    first, second = (BEGINNINGS[unit](each) for each in (a, b))
    months = (second.year - first.year) * 12 + second.month - first.month
    size = {"year": 12, "quarter": 3, "month": 1}.get(unit)
    wanted = months // size if size else (second - first) // dt.timedelta(seconds=UNITS[unit])
    assert value(connection, "date_diff", unit, a, b) == wanted


def plus_months(at: dt.date, months: int) -> dt.date | None:
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return None
    return at.replace(year=year, month=month + 1, day=min(at.day, calendar.monthrange(year, month + 1)[1]))


@given(DATES | MOMENTS, st.integers(-130_000, 130_000) | st.integers(-30, 30))
def test_months_later(connection: duckdb.DuckDBPyConnection, at: dt.date, months: int) -> None:
    assert value(connection, "plus_months", at, months) == plus_months(at, months)


def later(at: Any, **step: int) -> Any:
    try:
        return at + dt.timedelta(**step)
    except OverflowError:
        return None


@given(DATES | MOMENTS, st.integers(-5_000_000, 5_000_000) | st.integers(-30, 30))
def test_days_later(connection: duckdb.DuckDBPyConnection, at: dt.date, days: int) -> None:
    assert value(connection, "plus_days", at, days) == later(at, days=days)


@given(MOMENTS, st.integers(-(10**18), 10**18) | st.integers(-(10**6), 10**6))
def test_moments_later(connection: duckdb.DuckDBPyConnection, at: dt.datetime, microseconds: int) -> None:
    assert value(connection, "plus_microseconds", at, microseconds) == later(at, microseconds=microseconds)


def test_the_ends_of_the_calendar_are_kept_and_no_more(connection: duckdb.DuckDBPyConnection) -> None:
    first, last = dt.date(1, 1, 1), dt.date(9999, 12, 31)
    assert value(connection, "plus_days", last, 1) is None
    assert value(connection, "plus_days", first, -1) is None
    assert value(connection, "plus_days", first, 3652058) == last
    assert value(connection, "plus_months", last, 1) is None
    assert value(connection, "plus_months", dt.date(9999, 11, 30), 1) == dt.date(9999, 12, 30)
    assert value(connection, "plus_months", first, -1) is None
    assert value(connection, "last_day", dt.date(2024, 2, 3)) == dt.date(2024, 2, 29)
    assert value(connection, "last_day", last) == last


@pytest.mark.parametrize("name", ["date_trunc", "time_trunc", "date_part", "date_diff", "last_day", "plus_days"])
def test_what_lies_outside_the_calendar_is_null(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    for column in (Column("t", "d", Type.DATE), Column("t", "m", Type.TIMESTAMP)):
        units = {"date_trunc": "month", "time_trunc": "hour", "date_part": "year", "date_diff": "day"}
        head = [literal(units[name])] if name in units else []
        tail = [column] if name == "date_diff" else [literal(0)] if name == "plus_days" else []
        made = call(name, *head, column, *tail)
        kind = "DATE" if column.type is Type.DATE else "TIMESTAMP"
        inside = f"t.{column.name} BETWEEN {kind} '0001-01-01' AND {kind} '9999-12-31 23:59:59.999999'"
        (found,) = connection.execute(f"SELECT count(*) FILTER ({inside}), count({write_sql(made)}) FROM t").fetchall()
        assert found[0] == found[1] == 5


@pytest.mark.parametrize(
    ("text", "date", "moment"),
    [
        ("2020-02-29", dt.date(2020, 2, 29), dt.datetime(2020, 2, 29)),
        (" 2020-02-29 ", dt.date(2020, 2, 29), dt.datetime(2020, 2, 29)),
        ("2020-02-30", None, None),
        ("2020-02-29 10:30", None, dt.datetime(2020, 2, 29, 10, 30)),
        ("2020-02-29 24:00", None, dt.datetime(2020, 3, 1)),
        ("9999-12-31 24:00", None, None),
        ("2020-02-29T10:30:01.5", None, dt.datetime(2020, 2, 29, 10, 30, 1, 500000)),
        ("2020-02-29 10:30:00+02", None, None),
        ("infinity", None, None),
        ("epoch", None, None),
        ("today", None, None),
        ("2020-01-01 (BC)", None, None),
        ("2020-02-29\n", None, None),
        ("", None, None),
    ],
)
def test_only_plain_dates_and_times_are_read(
    connection: duckdb.DuckDBPyConnection, text: str, date: Any, moment: Any
) -> None:
    assert value(connection, "as_date", text) == date
    assert value(connection, "as_timestamp", text) == moment


@pytest.mark.parametrize("text", ["9999-12-31 24:00", " 9999-12-31T24:00:00.0 "])
def test_the_end_of_the_last_day_is_no_time(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """It is in the year 10000, which Python's calendar does not have: as a key, it would make the question fail."""
    assert value(connection, "as_timestamp", text) is None
    assert value(connection, "as_timestamp", text.replace("31", "30")) == dt.datetime(9999, 12, 31)
