"""Columns: bounds, steps and categories, and whether they fit a type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from fractions import Fraction

from discreet.base.types import Digits, Type
from discreet.policy import exact
from discreet.policy.model import MOST_LONGEST, Bound, DeclaredColumn, Value
from discreet.policy.problems import quote, quote_value
from discreet.policy.section import Section

DECIMAL = re.compile(r"decimal\( ?([0-9]{1,3}) ?, ?([0-9]{1,3}) ?\)")
MOST_DIGITS = 37
"""Digits of a decimal: as many whole numbers of 126 bits hold."""

KEYS = ("type", "lower", "upper", "step", "values", "longest")
INTEGERS = range(-(2**63), 2**63)
STEPS = (Fraction(1, 10**100), Fraction(10**100))
"""The smallest and the largest step that a grid can have."""


def read_column(name: str, section: Section) -> DeclaredColumn:
    """Return what a section declares about a column; what is wrong is left out and noted."""
    lower, upper = _bounds(section)
    step, values = _step(section, lower, upper), _values(section)
    type_, digits = _type(section)
    column = DeclaredColumn(name, type_, lower, upper, step, values, _longest(section, values), digits)
    misfits = list(find_misfits(column, column.type)) if column.type else []
    for wrong, remedy in misfits:
        section.wrong((), wrong, remedy)
    if not misfits and column.values and lower is not None and upper is not None:
        _check_inside(section, column.values, lower, upper)
    return column


def find_misfits(column: DeclaredColumn, type_: Type) -> Iterator[tuple[str, str]]:
    """Yield (what is wrong, remedy) for each declared fact that columns of this type cannot have."""
    for word, bound in (("lower", column.lower), ("upper", column.upper)):
        if bound is not None and not _bound_fits(bound, type_):
            yield f"{word} = {_shown(bound)} is no bound for a column of type {type_}", _BOUNDS[type_]
    if column.step is not None and not type_.numeric:
        yield f"step is for numbers, and the column's type is {type_}", "take step out"
    if column.longest is not None and type_ is not Type.TEXT:
        yield f"longest is for texts, and the column's type is {type_}", "take longest out"
    wrong = [value for value in column.values or () if not _value_fits(value, type_)]
    if wrong:
        yield f"values has {_shown(wrong[0])}, which no column of type {type_} holds", _VALUES[type_]


_BOUNDS = {
    Type.BOOLEAN: "take lower and upper out: a boolean is 0 or 1 already",
    Type.INTEGER: "write whole numbers of at most 64 bits",
    Type.DECIMAL: "write numbers",
    Type.FLOAT: "write numbers",
    Type.TEXT: 'take lower and upper out, or write values = ["...", "..."]',
    Type.DATE: "write dates, such as lower = 2020-01-01",
    Type.TIMESTAMP: "write points in time, such as lower = 2020-01-01T00:00:00Z",
}
_VALUES = {
    Type.BOOLEAN: "write true and false",
    Type.INTEGER: "write whole numbers of at most 64 bits, without quotes",
    Type.DECIMAL: "write whole numbers, without quotes",
    Type.FLOAT: "write whole numbers, without quotes",
    Type.TEXT: 'write text in quotes, such as values = ["north", "south"]',
    Type.DATE: "write dates without quotes, such as values = [2020-01-01]",
    Type.TIMESTAMP: "write points in time without quotes, such as values = [2020-01-01T00:00:00Z]",
}


def _bound_fits(bound: Bound, type_: Type) -> bool:
    if isinstance(bound, Fraction):
        whole = bound.denominator == 1 and int(bound) in INTEGERS
        return type_.numeric and (whole or type_ is not Type.INTEGER)
    return type_ is (Type.TIMESTAMP if isinstance(bound, datetime) else Type.DATE)


def _value_fits(value: Value, type_: Type) -> bool:
    if isinstance(value, bool):
        return type_ is Type.BOOLEAN
    if isinstance(value, int):
        return type_.numeric and (value in INTEGERS or type_ is not Type.INTEGER)
    if isinstance(value, str):
        return type_ is Type.TEXT
    return type_ is (Type.TIMESTAMP if isinstance(value, datetime) else Type.DATE)


def _type(section: Section) -> tuple[Type | None, Digits | None]:
    """Return the type, and of a decimal such as decimal(15,2) its digits."""
    name = section.content.get("type")
    if name is None or name in list(Type):
        return None if name is None else Type(name), None
    found = DECIMAL.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        section.wrong("type", f"is {quote_value(name)}", "write one of " + ", ".join(quote(word) for word in Type))
        return None, None
    digits, scale = (int(each) for each in found.groups())
    if not 1 <= digits <= MOST_DIGITS or scale > digits:
        remedy = f"write at most {MOST_DIGITS} digits, and no more behind the point than there are"
        section.wrong("type", f"is {quote_value(name)}", f'{remedy}, such as type = "decimal(15,2)"')
        return None, None
    return Type.DECIMAL, (digits, scale)


def _bounds(section: Section) -> tuple[Bound | None, Bound | None]:
    lower, upper = (_bound(section, word) for word in ("lower", "upper"))
    given = [word for word in ("lower", "upper") if word in section]
    if len(given) == 1:
        missing = "upper" if given == ["lower"] else "lower"
        section.wrong((), f"{given[0]} is there and {missing} is missing", "write both lower and upper, or neither")
        return None, None
    if lower is None or upper is None:
        return None, None
    if type(lower) is not type(upper):
        wrong = f"lower = {_shown(lower)} and upper = {_shown(upper)} are of different kinds"
        section.wrong((), wrong, "write two numbers, two dates or two points in time")
        return None, None
    if not lower < upper:  # type: ignore[operator]
        wrong = f"lower = {_shown(lower)} is not below upper = {_shown(upper)}"
        section.wrong((), wrong, "write the least value as lower and the greatest as upper")
        return None, None
    return lower, upper


def _bound(section: Section, word: str) -> Bound | None:
    value = section.content.get(word)
    if isinstance(value, date):
        return _in_utc(value)
    return section.number(word, f"write a number, a date or a point in time without quotes, such as {word} = 0")


def _step(section: Section, lower: Bound | None, upper: Bound | None) -> Fraction | None:
    step = section.number("step", "write a number above 0, such as step = 0.01")
    if step is None:
        return None
    if not STEPS[0] <= step <= STEPS[1] or max(step.numerator, step.denominator) > 10**120:
        section.wrong("step", f"is {exact.write_number(step)}", "write a number above 0, such as step = 0.01")
    elif isinstance(lower, Fraction) and isinstance(upper, Fraction):
        if step <= upper - lower:
            return step
        section.wrong("step", "is wider than upper - lower", "write a smaller step")
    elif "lower" not in section and "upper" not in section:
        section.wrong("step", "is for columns with bounds", "write lower and upper as well")
    elif isinstance(lower, date):
        section.wrong("step", "is for numbers", "take step out")
    return None


def _values(section: Section) -> tuple[Value, ...] | None:
    values = section.content.get("values")
    if values is None:
        return None
    remedy = 'write all categories of one kind, such as values = ["north", "south"]'
    if not isinstance(values, list) or not values:
        section.wrong("values", f"is {quote_value(values)}", remedy)
        return None
    kinds = {type(value) for value in values}
    if not kinds <= {str, int, bool, date, datetime}:
        section.wrong("values", "has what is no text, whole number, true, false, date or point in time", remedy)
        return None
    if len(kinds) > 1:
        section.wrong("values", "has values of different kinds", remedy)
        return None
    if any(len(value) > MOST_LONGEST for value in values if isinstance(value, str)):
        section.wrong("values", f"has a text of more than {MOST_LONGEST} letters", "write shorter ones")
        return None
    found: list[Value] = [_in_utc(value) if isinstance(value, date) else value for value in values]
    for value in (value for value, count in Counter(found).items() if count > 1):
        section.wrong("values", f"{_shown(value)} is there twice", "write each once")
    return tuple(found)


def _longest(section: Section, values: tuple[Value, ...] | None) -> int | None:
    longest = section.whole("longest")
    if longest is None:
        return None
    least = max((len(value) for value in values or () if isinstance(value, str)), default=1)
    if longest > MOST_LONGEST:
        section.wrong("longest", f"is {longest}", f"write at most {MOST_LONGEST} letters")
    elif longest < least:
        section.wrong("longest", f"is {longest}, and the longest of the values has {least} letters", "take it out")
    else:
        return longest
    return None


def _check_inside(section: Section, values: tuple[Value, ...], lower: Bound, upper: Bound) -> None:
    kind = Fraction if type(values[0]) is int else type(values[0])
    if type(lower) is not kind:
        section.wrong((), "values and bounds are of different kinds", "write numbers for both, or take one of them out")
        return
    for value in values:
        if not lower <= value <= upper:  # type: ignore[operator]
            wrong = f"the value {_shown(value)} is outside of lower and upper"
            section.wrong("values", wrong, "take it out or widen the bounds")


def _in_utc(value: date) -> date:
    """Return a datetime in UTC, one without an offset being in UTC already; a date as it is."""
    if not isinstance(value, datetime):
        return value
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:  # the first or the last day of the calendar
        return value.replace(tzinfo=UTC)


def _shown(value: Bound | Value) -> str:
    if isinstance(value, Fraction):
        return exact.write_number(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return quote_value(value)
