"""Forms of functions on dates and times, all in UTC and within the years 1 to 9999: what leads out of these is NULL.

Sources give no others, so that only what moves a date, or reads one from a text, has ends to look at.
"""

from __future__ import annotations

import datetime as dt

from discreet.base.types import Type
from discreet.engines.postgres.literals import write_constant, write_plain
from discreet.engines.postgres.once import compute_once
from discreet.engines.shapes import Form, read_count, write_within
from discreet.plan.expressions import Call, Literal

_YEAR = "(?!0000)[0-9]{4}"
_LEAP = "(?!0000)([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
_DAY = (
    f"({_YEAR}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    f"|02-(0[1-9]|1[0-9]|2[0-8]))|{_LEAP}-02-29)"
)
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?"
_MIDNIGHT = "24:00(:00([.]0{1,6})?)?"
ISO_DATE = f"^{_DAY}$"
ISO_TIME = f"^(?!9999-12-31[ T]24){_DAY}([ T]({_CLOCK}|{_MIDNIGHT}))?$"
"""Texts that are dates or times, and no others: a cast that PostgreSQL does not take would be an error."""

LONGEST = 32
"""Bytes of a text that can be one."""

FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)

SIZES = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
}
BEFORE = 62_135_596_800_000_000
"""Microseconds from the year 1 to 1970: a whole number of days, so that nothing that is divided is negative."""


def microseconds(value: str) -> str:
    """Return a point in time as microseconds since 1970, exactly."""
    return f"CAST(extract(epoch FROM {value}) * 1000000 AS BIGINT)"


def _time(value: str, given: Type) -> str:
    return f"CAST({value} AS TIMESTAMP)" if given is Type.DATE else value


def _unit(made: Call) -> str:
    given = made.arguments[0]
    assert isinstance(given, Literal)
    return str(given.value)


def _date_trunc(arguments: list[str], made: Call) -> str:
    """Units from a day on, which leave a date a date."""
    found = f"date_trunc({write_plain(_unit(made))}, {_time(arguments[1], made.arguments[1].type)})"
    return f"CAST({found} AS DATE)" if made.type is Type.DATE else found


def _time_trunc(arguments: list[str], made: Call) -> str:
    return f"date_trunc({write_plain(_unit(made))}, {_time(arguments[1], made.arguments[1].type)})"


def _part(arguments: list[str], made: Call) -> str:
    """Seconds come with their fraction, which is cut off."""
    found = f"date_part({write_plain(_unit(made))}, {_time(arguments[1], made.arguments[1].type)})"
    return f"CAST({f'floor({found})' if _unit(made) == 'second' else found} AS BIGINT)"


def _gap(arguments: list[str], made: Call) -> str:
    """How many times a new unit begins after the first until the second. Dates beside times came here as times."""
    unit, given = _unit(made), [argument.type for argument in made.arguments[1:]]
    kind = Type.TIMESTAMP if Type.TIMESTAMP in given else Type.DATE
    if unit == "day":
        first, second = (each if kind is Type.DATE else f"CAST({each} AS DATE)" for each in arguments[1:])
        return f"CAST({second} - {first} AS BIGINT)"
    times = [_time(each, kind) for each in arguments[1:]]
    if unit in SIZES:
        first, second = (f"(({microseconds(each)} + {BEFORE}) / {SIZES[unit]})" for each in times)
        return f"({second} - {first})"

    def months(a: str, b: str) -> str:
        first, second = (_place(each, unit) for each in (a, b))
        return f"({second} - {first})"

    return compute_once(times, made.arguments[1:], months)


def _place(value: str, unit: str) -> str:
    """Return which year, quarter or month it is, counted from some first one."""
    year = f"CAST(date_part('year', {value}) AS BIGINT)"
    if unit == "year":
        return year
    return f"({year} * {4 if unit == 'quarter' else 12} + CAST(date_part({write_plain(unit)}, {value}) AS BIGINT))"


def _last_day(arguments: list[str], made: Call) -> str:
    month = f"date_trunc('month', {_time(arguments[0], made.arguments[0].type)})"
    return f"CAST({month} + INTERVAL '1 month -1 day' AS DATE)"


def _constant(made: Call) -> int:
    count = read_count(made.arguments[1])
    assert count is not None
    return count


def _between(value: str, type_: Type, low: dt.datetime, high: dt.datetime) -> str:
    """Return the date or time, NULL outside of these ends."""
    if type_ is Type.DATE:
        return write_within(value, write_constant(low.date(), type_), write_constant(high.date(), type_))
    return write_within(value, *(f"TIMESTAMP {write_plain(end.isoformat(sep=' '))}" for end in (low, high)))


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
    year, month = high
    last = LAST if high == (9999, 12) else dt.datetime(year + month // 12, month % 12 + 1, 1) - dt.timedelta.resolution
    first = dt.datetime(*low, 1)

    def body(a: str) -> str:
        moved = f"{_between(a, made.type, first, last)} + INTERVAL '{months} months'"
        return f"CAST({moved} AS {made.type.name})"

    return compute_once(arguments[:1], made.arguments[:1], body)


def _plus(unit: str) -> Form:
    """Days or microseconds later; a date to which less than days are added becomes a time."""

    def form(arguments: list[str], made: Call) -> str:
        if read_count(made.arguments[1]) is None:
            return _plus_counted(arguments, made)
        count, given = _constant(made), made.arguments[0].type
        try:
            step = dt.timedelta(**{unit: count})
            low, high = FIRST - min(step, dt.timedelta()), LAST - max(step, dt.timedelta())
        except OverflowError:
            return write_constant(None, made.type)
        value = arguments[0] if given is made.type else f"CAST({arguments[0]} AS TIMESTAMP)"
        step_ = str(count) if made.type is Type.DATE else f"INTERVAL '{count} {unit}'"
        return compute_once(
            [value], made.arguments[:1], lambda a: f"({_between(a, made.type, low, high)} + {step_.join('()')})"
        )

    return form


def _plus_counted(arguments: list[str], made: Call) -> str:
    """A date so many days later; which number is not NULL depends on how far the ends of the calendar are."""
    assert made.type is Type.DATE
    first, last = (write_constant(end.date(), Type.DATE) for end in (FIRST, LAST))

    def body(d: str, n: str) -> str:
        inside = f"{n} BETWEEN {first} - {d} AND {last} - {d}"
        return f"({d} + CAST((CASE WHEN {inside} THEN {n} END) AS INTEGER))"

    return compute_once(arguments, made.arguments, body)


def _read(arguments: list[str], made: Call, pattern: str, kind: str) -> str:
    """Return the date or time that a text is, spaces around it apart; only a short one is compared with a pattern.

    On a long one that holds spaces only, PostgreSQL would try the pattern from every one of them on.
    """
    return compute_once(
        [f"btrim({arguments[0]}, ' ')"],
        [made],
        lambda a: (
            f"(CASE WHEN octet_length({a}) > {LONGEST} THEN NULL "
            f"WHEN {a} ~ {write_plain(pattern)} THEN CAST({a} AS {kind}) END)"
        ),
    )


def _to_date(arguments: list[str], made: Call) -> str:
    if made.arguments[0].type is not Type.TEXT:
        return f"CAST({arguments[0]} AS DATE)"
    return _read(arguments, made, ISO_DATE, "DATE")


def _to_timestamp(arguments: list[str], made: Call) -> str:
    if made.arguments[0].type is not Type.TEXT:
        return f"CAST({arguments[0]} AS TIMESTAMP)"
    return _read(arguments, made, ISO_TIME, "TIMESTAMP")


TIMES: dict[str, Form] = {
    "date_trunc": _date_trunc,
    "time_trunc": _time_trunc,
    "date_part": _part,
    "date_diff": _gap,
    "last_day": _last_day,
    "plus_months": _plus_months,
    "plus_days": _plus("days"),
    "plus_microseconds": _plus("microseconds"),
    "as_date": _to_date,
    "as_timestamp": _to_timestamp,
}
