"""Forms of functions on dates and times, all in UTC: those outside the years 1 to 9999, or infinite, give NULL.

DuckDB's own functions raise at the ends of its calendar; here an argument that could bring one there is NULL first.
"""

from __future__ import annotations

import datetime as dt

from discreet.base.types import Type
from discreet.engines.duck.literals import cast_working, write_constant, write_text
from discreet.engines.duck.once import compute_once, hold_within
from discreet.engines.shapes import Form, read_count
from discreet.plan.expressions import Call

YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
ISO_DATE = f"^ *({YEAR}-[0-9]{{2}}-[0-9]{{2}}) *$"
ISO_TIME = f"^ *({YEAR}-[0-9]{{2}}-[0-9]{{2}}([ T][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}([.][0-9]{{1,6}})?)?)?) *$"
"""What a text of a date or a time looks like: no zones, no words such as epoch, infinity or today, and no year 0."""

FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)


def _between(value: str, type_: Type, low: dt.datetime, high: dt.datetime) -> str:
    """Return the date or time, NULL outside of these ends."""
    if type_ is Type.DATE:
        return hold_within(value, write_constant(low.date(), type_), write_constant(high.date(), type_))
    return hold_within(value, *(f"TIMESTAMP {write_text(end.isoformat(sep=' '))}" for end in (low, high)))


def _safe(value: str, type_: Type) -> str:
    return _between(value, type_, FIRST, LAST)


def _date_trunc(arguments: list[str], made: Call) -> str:
    """Units from a day on, which leave a date a date."""
    kind = "DATE" if made.type is Type.DATE else "TIMESTAMP"
    return f"CAST(date_trunc({arguments[0]}, {_safe(arguments[1], made.arguments[1].type)}) AS {kind})"


def _time_trunc(arguments: list[str], made: Call) -> str:
    return f"date_trunc({arguments[0]}, CAST({_safe(arguments[1], made.arguments[1].type)} AS TIMESTAMP))"


def _part(arguments: list[str], made: Call) -> str:
    return f"date_part({arguments[0]}, CAST({_safe(arguments[1], made.arguments[1].type)} AS TIMESTAMP))"


def _gap(arguments: list[str], made: Call) -> str:
    """Dates beside times came here as times."""
    types = [argument.type for argument in made.arguments[1:]]
    kind = Type.TIMESTAMP if Type.TIMESTAMP in types else Type.DATE
    first, second = (_safe(argument, kind) for argument in arguments[1:])
    return f"date_diff({arguments[0]}, {first}, {second})"


def _constant(made: Call) -> int:
    count = read_count(made.arguments[1])
    assert count is not None
    return count


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
    safe = _between(arguments[0], made.type, dt.datetime(*low, 1), last)
    return f"CAST({safe} + to_months({months}) AS {made.type.name})"


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
        value = arguments[0] if given is made.type else f"TRY_CAST({arguments[0]} AS TIMESTAMP)"
        return f"CAST({_between(value, made.type, low, high)} + to_{unit}({count}) AS {made.type.name})"

    return form


def _plus_counted(arguments: list[str], made: Call) -> str:
    """A date so many days later; which number is not NULL depends on how far the ends of the calendar are."""
    assert made.type is Type.DATE
    first, last = (write_constant(end.date(), Type.DATE) for end in (FIRST, LAST))

    def body(d: str, n: str) -> str:
        inside = f"{n} >= CAST({first} - {d} AS HUGEINT) AND {n} <= CAST({last} - {d} AS HUGEINT)"
        return f"({d} + CAST((CASE WHEN {inside} THEN {n} END) AS INTEGER))"

    return compute_once(body, _safe(arguments[0], Type.DATE), cast_working(arguments[1], Type.INTEGER))


def _to_date(arguments: list[str], made: Call) -> str:
    value = arguments[0]
    if made.arguments[0].type is Type.TEXT:
        value = f"regexp_extract({value}, {write_text(ISO_DATE)}, 1)"
    return f"TRY_CAST({value} AS DATE)"


def _to_timestamp(arguments: list[str], made: Call) -> str:
    """The last day may end at 24:00 as every other, and that is in the year 10000."""
    if made.arguments[0].type is not Type.TEXT:
        return f"TRY_CAST({arguments[0]} AS TIMESTAMP)"
    found = f"TRY_CAST(regexp_extract({arguments[0]}, {write_text(ISO_TIME)}, 1) AS TIMESTAMP)"
    return compute_once(lambda x: f"nullif({x}, TIMESTAMP '10000-01-01 00:00:00')", found)


TIMES: dict[str, Form] = {
    "date_trunc": _date_trunc,
    "time_trunc": _time_trunc,
    "date_part": _part,
    "date_diff": _gap,
    "last_day": lambda arguments, made: f"last_day({_safe(arguments[0], made.arguments[0].type)})",
    "plus_months": _plus_months,
    "plus_days": _plus("days"),
    "plus_microseconds": _plus("microseconds"),
    "as_date": _to_date,
    "as_timestamp": _to_timestamp,
}
