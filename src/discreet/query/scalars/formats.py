"""Texts of dates and times, read and written by constant formats: all made from functions that engines have alike.

A format has parts such as %Y, and letters that stand for themselves. Numbers have all their digits, and names are
English, whatever the language of an engine.
"""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.coercion import fit_constant, to_time
from discreet.query.scalars.times import Read, Reader

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

NUMBERS = {
    "Y": ("year", 4),
    "m": ("month", 2),
    "d": ("day", 2),
    "H": ("hour", 2),
    "M": ("minute", 2),
    "S": ("second", 2),
    "j": ("doy", 3),
}
"""Parts of a format that are numbers: of what, and with how many digits."""

NAMES = {"B": ("month", MONTHS, 9), "b": ("month", MONTHS, 3), "A": ("isodow", DAYS, 9), "a": ("isodow", DAYS, 3)}
"""Parts that are names: of what, which, and how many of their letters at most."""

WRITTEN = "%Y %y %m %d %H %M %S %j %B %b %A %a and %%"
READABLE = {"Y": 4, "y": 2, "m": 2, "b": 3, "d": 2, "H": 2, "M": 2, "S": 2}
"""Parts that a text is read by, and how many letters each of them has."""

LONGEST_FORMAT = 100
EMPTY = ("", "None")
"""An empty format, and what sqlglot makes of one."""

Pieces = list[tuple[str, str]]
"""Of a format: (part, "") for one such as %Y, and ("", letters) for what stands for itself."""


def read_month_name(node: exp.Expression, read: Read) -> Expression:
    """MONTHNAME(x)."""
    refuse_other_parts(node, {"this"})
    return _name(to_time(read(node.this)), "B")


def read_day_name(node: exp.Expression, read: Read) -> Expression:
    """DAYNAME(x)."""
    refuse_other_parts(node, {"this"})
    return _name(to_time(read(node.this)), "A")


def read_strftime(node: exp.Expression, read: Read) -> Expression:
    """STRFTIME(x, 'format'), or the other way round, as in DuckDB."""
    refuse_other_parts(node, {"this", "format"})
    first, second = read(node.this), read(node.args["format"])
    if isinstance(first, Literal) and isinstance(first.value, str) and not isinstance(second, Literal):
        first, second = second, first
    value = to_time(first)
    pieces = [_write_piece(node, each, value) for each in _split(node, second)]
    if all(isinstance(each, Literal) for each in pieces):
        missing = call("is_null", value)
        return call("case", missing, Literal(None, Type.TEXT), reduce(_join, pieces))
    return reduce(_join, pieces)


def read_strptime(node: exp.Expression, read: Read) -> Expression:
    """STRPTIME(text, 'format'), NULL where the text does not look so, or where there is no such date or hour."""
    given = node.expressions if isinstance(node, exp.Anonymous) else [node.this, node.args.get("format")]
    if len(given) != 2 or given[1] is None:
        raise QueryError(f"{quote_sql(node)}: write STRPTIME(text, '%Y-%m-%d')")
    value, pieces = fit_constant(read(given[0]), Type.TEXT), _split(node, read(given[1]))
    parts, pattern, place = dict[str, Expression](), "", 1
    for part, letters in pieces:
        if not part:
            pattern, place = pattern + _escape(letters), place + len(letters)
            continue
        name = {"y": "Y", "b": "m"}.get(part, part)
        if part not in READABLE or name in parts:
            listed = ", ".join(f"%{each}" for each in READABLE)
            raise QueryError(f"{quote_sql(node)}: a text is read by {listed}, each of them once")
        piece = call("substring", value, _whole(place), _whole(READABLE[part]))
        parts[name] = _read_piece(part, piece)
        pattern, place = pattern + "_" * READABLE[part], place + READABLE[part]
    if "Y" not in parts:
        raise QueryError(f"{quote_sql(node)}: the format needs a year, %Y or %y")
    right = call("like", value, _text(pattern), _text("!"))
    if "H" in parts:  # the end of a day is no hour here
        right = call("and", right, call("ne", parts["H"], _text("24")))
    day = _list([parts["Y"], *(parts.get(each, _text("01")) for each in "md")], "-")
    hour = _list([parts.get(each, _text("00")) for each in "HMS"], ":")
    whole = _list([day, hour], " ") if parts.keys() & set("HMS") else day
    return call("case", right, call("as_timestamp", whole), Literal(None, Type.TIMESTAMP))


def read_make_date(node: exp.Expression, read: Read) -> Expression:
    """MAKE_DATE(year, month, day), NULL where there is no such date."""
    names = ("year", "month", "day")
    refuse_other_parts(node, {*names, "this", "fill_format"})
    if any(node.args.get(name) is None for name in names):
        raise QueryError(f"{quote_sql(node)}: write MAKE_DATE(year, month, day)")
    values = [fit_constant(read(node.args[name]), Type.INTEGER) for name in names]
    above = [call("ge", each, _whole(1)) for each in values]
    below = [call("le", each, _whole(most)) for each, most in zip(values, (9999, 12, 31), strict=True)]
    right = reduce(lambda a, b: call("and", a, b), [*above, *below])
    written = _list([_pad(each, digits) for each, digits in zip(values, (4, 2, 2), strict=True)], "-")
    return call("case", right, call("as_date", written), Literal(None, Type.DATE))


def write_seconds(first: Expression, seconds: Expression) -> Expression:
    """Return the time so many seconds after a day begins."""
    day = call("plus_days", first, call("as_integer", call("floor", call("div", seconds, _whole(86_400)))))
    rest = call("sub", seconds, call("mul", call("date_diff", _text("day"), first, day), _whole(86_400)))
    parts = [call("int_div", call("mod", rest, _whole(60 * size)), _whole(size)) for size in (60, 1)]
    clock = [_pad(each, 2) for each in (call("int_div", rest, _whole(3600)), *parts)]
    return call("as_timestamp", _list([call("as_text", day), _list(clock, ":")], " "))


def _split(node: exp.Expression, found: Expression) -> Pieces:
    """Return the pieces of a constant format."""
    if not isinstance(found, Literal) or not isinstance(found.value, str) or found.value in EMPTY:
        raise QueryError(f"{quote_sql(node)}: the format must be a constant text such as '%Y-%m'")
    if len(found.value) > LONGEST_FORMAT:
        raise QueryError(f"{quote_sql(node)}: the format has more than {LONGEST_FORMAT} letters; write a shorter one")
    pieces: Pieces = []
    letters = iter(found.value)
    for letter in letters:
        part = next(letters, "") if letter == "%" else ""
        if part in ("", "%") and letter + part != "%":
            before = pieces.pop()[1] if pieces and not pieces[-1][0] else ""
            pieces.append(("", before + letter))
        elif part in NUMBERS or part in NAMES or part == "y":
            pieces.append((part, ""))
        else:
            raise QueryError(f"{quote_sql(node)}: %{part} is no part that is answered; these are: {WRITTEN}")
    return pieces


def _write_piece(node: exp.Expression, piece: tuple[str, str], value: Expression) -> Expression:
    part, letters = piece
    if not part:
        return _text(letters)
    if part == "y":
        return _pad(call("mod", _part("year", value), _whole(100)), 2)
    if part in NAMES:
        return _name(value, part)
    name, digits = NUMBERS[part]
    return _pad(_part(name, value), digits)


def _name(value: Expression, part: str) -> Expression:
    """Return a name out of a text that holds all of them, each at a multiple of its place."""
    name, names, letters = NAMES[part]
    listed = _text("".join(each[:letters].ljust(letters) for each in names))
    start = call("sub", call("mul", _part(name, value), _whole(letters)), _whole(letters - 1))
    return call("rtrim", call("substring", listed, start, _whole(letters)))


def _read_piece(part: str, piece: Expression) -> Expression:
    """Return a year of four digits, or a month of two; NULL where it is no month's name."""
    if part == "y":
        return _join(call("case", call("lt", piece, _text("69")), _text("20"), _text("19")), piece)
    if part != "b":
        return piece
    listed = _text("".join(each[:3].lower() for each in MONTHS))
    place = call("strpos", listed, call("lower", piece))
    right = call("eq", call("mod", place, _whole(3)), _whole(1))
    number = _pad(call("int_div", call("add", place, _whole(2)), _whole(3)), 2)
    return call("case", right, number, Literal(None, Type.TEXT))


def _part(name: str, value: Expression) -> Expression:
    return call("date_part", _text(name), value)


def _pad(number: Expression, digits: int) -> Expression:
    return call("right", _join(_text("0" * digits), call("as_text", number)), _whole(digits))


def _list(texts: list[Expression], between: str) -> Expression:
    return reduce(lambda a, b: _join(_join(a, _text(between)), b), texts)


def _join(a: Expression, b: Expression) -> Expression:
    if isinstance(a, Literal) and isinstance(b, Literal):
        return _text(f"{a.value}{b.value}")
    return call("join", a, b)


def _escape(letters: str) -> str:
    return "".join(f"!{each}" if each in "!%_" else each for each in letters)


def _text(value: str) -> Literal:
    return Literal(value, Type.TEXT)


def _whole(value: int) -> Literal:
    return Literal(value, Type.INTEGER)


READERS: dict[type[exp.Expression], Reader] = {
    exp.Monthname: read_month_name,
    exp.Dayname: read_day_name,
    exp.TimeToStr: read_strftime,
    exp.StrToTime: read_strptime,
    exp.DateFromParts: read_make_date,
}
NAMED: dict[str, Reader] = {"try_strptime": read_strptime}
