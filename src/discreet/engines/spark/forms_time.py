"""Forms of functions on dates and times, all in UTC: those outside the years 1 to 9999 give NULL."""

from __future__ import annotations

import datetime as dt

from discreet.base.types import Type
from discreet.engines.shapes import Form, read_count
from discreet.engines.spark.literals import cast_working, write_constant, write_moment, write_text
from discreet.engines.spark.once import compute_once, held
from discreet.plan.expressions import Call, Literal

ISO_DATE = r"\A *([0-9]{4}-[0-9]{2}-[0-9]{2}) *\z"
ISO_TIME = r"\A *([0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?)?) *\z"
"""What a text of a date or a time looks like: no zones and no words such as epoch or today."""

MIDNIGHT = r"\A *([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]24:00(:00([.]0{1,6})?)? *\z"
"""The end of a day, which is the next one's beginning."""

FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)
EPOCH = write_moment(dt.datetime(1970, 1, 1))

MICROSECONDS = {
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
DAY = 86_400_000_000
MONTHS = {"month": 1, "quarter": 3, "year": 12}

PARTS = {
    "year": "year({})",
    "quarter": "quarter({})",
    "month": "month({})",
    "week": "weekofyear({})",
    "day": "day({})",
    "hour": "hour({})",
    "minute": "minute({})",
    "second": "second({})",
    "dow": "(dayofweek({}) - 1)",
    "isodow": "(weekday({}) + 1)",
    "doy": "dayofyear({})",
}


def micros(value: str) -> str:
    """Return the microseconds from 1970 to a point in time, whatever the session's zone."""
    return f"timestampdiff(MICROSECOND, {EPOCH}, {value})"


def bounded(value: str, type_: Type, low: dt.datetime = FIRST, high: dt.datetime = LAST) -> str:
    """Return the date or time, NULL outside of these ends."""
    if type_ is Type.DATE:
        return held(value, write_constant(low.date(), type_), write_constant(high.date(), type_))
    return held(value, write_moment(low), write_moment(high))


def _unit(made: Call) -> str:
    given = made.arguments[0]
    assert isinstance(given, Literal)
    return str(given.value)


def _constant(made: Call) -> int:
    count = read_count(made.arguments[1])
    assert count is not None
    return count


def _date_trunc(arguments: list[str], made: Call) -> str:
    """Units from a day on, which leave a date a date."""
    unit, day = _unit(made), cast_working(arguments[1], Type.DATE)
    return cast_working(day if unit == "day" else f"trunc({day}, '{unit}')", made.type)


def _time_trunc(arguments: list[str], made: Call) -> str:
    unit, value = MICROSECONDS[_unit(made)], cast_working(arguments[1], Type.TIMESTAMP)
    return compute_once(lambda x: f"timestampadd(MICROSECOND, - pmod({micros(x)}, {unit}L), {x})", value)


def _part(arguments: list[str], made: Call) -> str:
    return PARTS[_unit(made)].format(cast_working(arguments[1], Type.TIMESTAMP))


def _gap(arguments: list[str], made: Call) -> str:
    """How many units begin after the first until the second; dates beside times came here as times."""
    unit, (first, second) = _unit(made), arguments[1:]
    if unit == "day":
        return f"datediff({cast_working(second, Type.DATE)}, {cast_working(first, Type.DATE)})"
    count = _months if unit in MONTHS else _beginnings
    return f"({count(second, unit)} - {count(first, unit)})"


def _months(value: str, unit: str) -> str:
    """Return the number of a month, quarter or year, counted from the year 0."""
    if unit == "year":
        return f"year({value})"
    return compute_once(lambda x: f"(year({x}) * {12 // MONTHS[unit]} + {unit}({x}))", value)


def _beginnings(value: str, unit: str) -> str:
    """Return the number of an hour, minute, ..., counted from 1970."""
    size = MICROSECONDS[unit]
    return compute_once(
        lambda x: f"(({x} - pmod({x}, {size}L)) DIV {size}L)", micros(cast_working(value, Type.TIMESTAMP))
    )


def _shifted(month: dt.datetime, months: int) -> tuple[int, int] | None:
    """Return the year and month so many months later, None where the calendar has ended."""
    year, place = divmod(month.year * 12 + month.month - 1 + months, 12)
    return (year, place + 1) if 1 <= year <= 9999 else None


def _plus_months(arguments: list[str], made: Call) -> str:
    """The same day of another month, or its last one. Whole months of arguments are left out at the ends."""
    months = _constant(made)
    low, high = _shifted(FIRST, max(-months, 0)), _shifted(LAST, -max(months, 0))
    if low is None or high is None:
        return write_constant(None, made.type)
    last = (
        LAST
        if high == (9999, 12)
        else dt.datetime(high[0] + high[1] // 12, high[1] % 12 + 1, 1) - dt.timedelta(microseconds=1)
    )
    return f"({bounded(arguments[0], made.type, dt.datetime(*low, 1), last)} + INTERVAL '{months}' MONTH)"


def _plus(size: int) -> Form:
    """So many times some microseconds later; a date to which less than days are added becomes a time."""

    def form(arguments: list[str], made: Call) -> str:
        if read_count(made.arguments[1]) is None:
            return _plus_counted(arguments, made)
        count = _constant(made)
        try:
            step = dt.timedelta(microseconds=count * size)
            low, high = FIRST - min(step, dt.timedelta()), LAST - max(step, dt.timedelta())
        except OverflowError:
            return write_constant(None, made.type)
        value = bounded(cast_working(arguments[0], made.type), made.type, low, high)
        if made.type is Type.DATE:
            return f"date_add({value}, {count})"
        return f"timestampadd(MICROSECOND, {count * size}L, {value})"

    return form


def _plus_counted(arguments: list[str], made: Call) -> str:
    """A date so many days later; which number is not NULL depends on how far the ends of the calendar are."""
    assert made.type is Type.DATE
    first, last = (write_constant(end.date(), Type.DATE) for end in (FIRST, LAST))

    def body(d: str, n: str) -> str:
        inside = f"{n} BETWEEN datediff({first}, {d}) AND datediff({last}, {d})"
        return f"date_add({d}, CAST((CASE WHEN {inside} THEN {n} END) AS INT))"

    return compute_once(body, bounded(arguments[0], Type.DATE), cast_working(arguments[1], Type.INTEGER))


def _last_day(arguments: list[str], made: Call) -> str:
    return f"last_day({cast_working(arguments[0], Type.DATE)})"


def _to_date(arguments: list[str], made: Call) -> str:
    if made.arguments[0].type is not Type.TEXT:
        return cast_working(arguments[0], Type.DATE)
    return bounded(f"try_cast(regexp_extract({arguments[0]}, {write_text(ISO_DATE)}, 1) AS DATE)", Type.DATE)


def _to_timestamp(arguments: list[str], made: Call) -> str:
    if made.arguments[0].type is not Type.TEXT:
        return cast_working(arguments[0], Type.TIMESTAMP)

    def body(x: str) -> str:
        plain = f"try_cast(regexp_extract({x}, {write_text(ISO_TIME)}, 1) AS TIMESTAMP_NTZ)"
        ended = f"try_cast(regexp_extract({x}, {write_text(MIDNIGHT)}, 1) AS TIMESTAMP_NTZ)"
        return f"coalesce({plain}, timestampadd(MICROSECOND, {DAY}L, {ended}))"

    return bounded(compute_once(body, arguments[0]), Type.TIMESTAMP)


TIMES: dict[str, Form] = {
    "date_trunc": _date_trunc,
    "time_trunc": _time_trunc,
    "date_part": _part,
    "date_diff": _gap,
    "last_day": _last_day,
    "plus_months": _plus_months,
    "plus_days": _plus(DAY),
    "plus_microseconds": _plus(1),
    "as_date": _to_date,
    "as_timestamp": _to_timestamp,
}
