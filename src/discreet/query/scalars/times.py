"""Functions on dates and times, as sqlglot reads them: units and parts are constants, and all is in UTC."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.coercion import TIMES, to_time

Read = Callable[[exp.Expression], Expression]
Reader = Callable[[exp.Expression, Read], Expression]

MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
}
DAYS = {"day": 1, "week": 7}
MONTHS = {"month": 1, "quarter": 3, "year": 12}
UNITS = (*MICROSECONDS, *DAYS, *MONTHS)

SPELLINGS = {
    "dayofweek": "dow",
    "weekday": "dow",
    "dayofyear": "doy",
    "dayofmonth": "day",
    "weekofyear": "week",
    "dayofweekiso": "isodow",
}
PARTS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow", "isodow", "doy")

SHORT: dict[type[exp.Expression], str] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Week: "week",
    exp.WeekOfYear: "week",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.Hour: "hour",
    exp.Minute: "minute",
    exp.Second: "second",
    exp.DayOfWeek: "dow",
    exp.DayOfWeekIso: "isodow",
    exp.DayOfYear: "doy",
}

FARTHEST = {"plus_months": 200_000, "plus_days": 5_000_000, "plus_microseconds": 10**18}
"""More than this leads out of the calendar from everywhere in it."""


def short_part(node: exp.Expression, read: Read) -> Expression:
    """YEAR(x), MONTH(x) and the like."""
    refuse_other_parts(node, {"this"})
    return _part(node, SHORT[type(node)], read(node.this))


def read_extract(node: exp.Expression, read: Read) -> Expression:
    """EXTRACT(part FROM x)."""
    refuse_other_parts(node, {"this", "expression"})
    return _part(node, node.this.name, read(node.expression))


def read_date_part(node: exp.Expression, read: Read) -> Expression:
    """DATE_PART('part', x)."""
    arguments = node.expressions
    if len(arguments) != 2 or not (isinstance(arguments[0], exp.Literal) and arguments[0].is_string):
        raise QueryError(f"{quote_sql(node)}: write DATE_PART('month', x), the part as a constant")
    return _part(node, arguments[0].name, read(arguments[1]))


def read_weekday(node: exp.Expression, read: Read) -> Expression:
    """WEEKDAY(x), which in DuckDB counts from Sunday as 0."""
    if len(node.expressions) != 1:
        raise QueryError(f"{quote_sql(node)}: write WEEKDAY(x)")
    return _part(node, "dow", read(node.expressions[0]))


def _part(node: exp.Expression, name: str, value: Expression) -> Expression:
    part = name.lower()
    part = SPELLINGS.get(part, part)
    part = part.removesuffix("s") if part.removesuffix("s") in PARTS else part
    if part not in PARTS:
        raise QueryError(
            f"{quote_sql(node)}: {name.lower()!r} is no part that is answered; these are: {', '.join(PARTS)}"
        )
    return call("date_part", Literal(part, Type.TEXT), to_time(value))


def read_date_trunc(node: exp.Expression, read: Read) -> Expression:
    """DATE_TRUNC('unit', x): a date stays a date where the unit is a day or longer."""
    refuse_other_parts(node, {"this", "unit", "input_type_preserved"})
    unit, value = _unit(node, node.args.get("unit")), to_time(read(node.this))
    return call("time_trunc" if unit in MICROSECONDS else "date_trunc", Literal(unit, Type.TEXT), value)


def read_date_diff(node: exp.Expression, read: Read) -> Expression:
    """DATE_DIFF('unit', a, b): how many times a new unit begins after a until b."""
    refuse_other_parts(node, {"this", "expression", "unit", "date_part_boundary"})
    unit = _unit(node, node.args.get("unit"))
    if unit == "week":
        raise QueryError(f"{quote_sql(node)}: weeks begin on different days elsewhere; use DATE_DIFF('day', a, b) // 7")
    first, second = to_time(read(node.expression)), to_time(read(node.this))
    return call("date_diff", Literal(unit, Type.TEXT), first, second)


def read_last_day(node: exp.Expression, read: Read) -> Expression:
    """LAST_DAY(x): the last day of its month."""
    refuse_other_parts(node, {"this"})
    return call("last_day", to_time(read(node.this)))


def read_shifted(node: exp.Expression, read: Read) -> Expression | None:
    """Return what + or - means where dates stand on a side, and None where none do."""
    sides = (node.this, node.expression)
    sign = -1 if isinstance(node, exp.Sub) else 1
    for value, step in (sides, sides[::-1]) if sign == 1 else (sides,):
        if isinstance(step, exp.Interval):
            if isinstance(value, exp.Interval):
                raise QueryError(f"{quote_sql(node)}: add intervals to a date one by one, as in seen + INTERVAL 3 DAY")
            return _stepped(step, sign, to_time(read(value)), read)
    return None


def read_shifted_days(node: exp.Expression, first: Expression, second: Expression) -> Expression | None:
    """Return a date plus or minus days, or the days between two dates; None where neither side is a date or time."""
    minus = isinstance(node, exp.Sub)
    if not {first.type, second.type} & set(TIMES):
        return None
    if minus and first.type in TIMES and (second.type in TIMES or second.type is Type.TEXT):
        first, second = to_time(first), to_time(second)
    elif minus and first.type is Type.TEXT:
        first = to_time(first)
    if minus and first.type is second.type is Type.DATE:
        return call("date_diff", Literal("day", Type.TEXT), second, first)
    if minus and first.type in TIMES and second.type in TIMES:
        raise QueryError(f"{quote_sql(node)}: how far apart is asked with DATE_DIFF('hour', a, b)")
    if not minus and second.type in TIMES:
        first, second = second, first
    if first.type is Type.DATE and second.type is Type.INTEGER and not isinstance(second, Literal):
        return call("plus_days", first, call("neg", second) if minus else second)
    days = second.value if isinstance(second, Literal) and second.type is Type.INTEGER else None
    if first.type is not Type.DATE or not isinstance(days, int):
        raise QueryError(
            f"{quote_sql(node)}: to a date days are added, as in seen + 3, and to a time an INTERVAL 3 DAY"
        )
    return _plus(node, "plus_days", first, -days if minus else days)


def _stepped(step: exp.Expression, sign: int, value: Expression, read: Read) -> Expression:
    refuse_other_parts(step, {"this", "unit"})
    told = step.this
    unit = _unit(step, step.args.get("unit")) if step.args.get("unit") is not None else None
    if isinstance(told, exp.Literal) and told.is_string:
        count = _count(str(told.this))
    else:
        found = read(told) if isinstance(told, exp.Expression) else None
        count = found.value if isinstance(found, Literal) and found.type is Type.INTEGER else None  # type: ignore[assignment]
    if unit is None or not isinstance(count, int):
        raise QueryError(f"{quote_sql(step)}: an interval is one whole number and one unit, as in INTERVAL 3 DAY")
    for name, sizes in (("plus_months", MONTHS), ("plus_days", DAYS), ("plus_microseconds", MICROSECONDS)):
        if unit in sizes:
            return _plus(step, name, value, sign * count * sizes[unit])
    raise AssertionError(unit)


def _plus(node: exp.Expression, name: str, value: Expression, count: int) -> Expression:
    if abs(count) > FARTHEST[name]:
        raise QueryError(f"{quote_sql(node)}: this leads out of the calendar, which has the years 1 to 9999")
    return call(name, value, Literal(count, Type.INTEGER))


def _count(text: str) -> int | None:
    digits = text.strip().removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else None


def _unit(node: exp.Expression, given: exp.Expression | None) -> str:
    name = given.name.lower() if given is not None else ""
    unit = name if name in UNITS else name.removesuffix("s")
    if unit not in UNITS:
        raise QueryError(f"{quote_sql(node)}: {name!r} is no unit that is answered; these are: {', '.join(UNITS)}")
    return unit


READERS: dict[type[exp.Expression], Callable[[exp.Expression, Read], Expression]] = {
    **dict.fromkeys(SHORT, short_part),
    exp.Extract: read_extract,
    exp.TimestampTrunc: read_date_trunc,
    exp.DateTrunc: read_date_trunc,
    exp.DateDiff: read_date_diff,
    exp.LastDay: read_last_day,
}
NAMED = {"date_part": read_date_part, "datepart": read_date_part, "weekday": read_weekday}
