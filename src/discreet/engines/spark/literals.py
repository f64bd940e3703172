"""Names, constants and types as Spark's SQL, whatever they hold."""

from __future__ import annotations

import datetime as dt
import json
import string
from collections.abc import Sequence
from fractions import Fraction

from discreet.base.types import Type

WIDE = "DECIMAL(38,0)"
"""What whole numbers are computed in: more than the 126 bits that they are proven to fit."""

SQL_TYPES = {
    Type.BOOLEAN: "BOOLEAN",
    Type.INTEGER: "BIGINT",
    Type.DECIMAL: "DOUBLE",
    Type.FLOAT: "DOUBLE",
    Type.TEXT: "STRING",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP_NTZ",
}
"""What columns are cast to where they are read; points in time have no zone, since all are in UTC."""

PLAIN = frozenset(string.ascii_letters + string.digits + " ")
"""Characters that mean themselves in a string constant, alone and beside one another."""


def quote_name(name: str) -> str:
    """Return a name as an identifier, whatever it holds. Sessions must not substitute variables: these have no escape.

    >>> quote_name("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def write_text(value: str) -> str:
    r"""Return a string constant, whatever it holds: no quote, backslash or ${...} can end it or be replaced in it.

    >>> print(write_text("it's ${x}"))
    'it\u0027s \u0024\u007Bx\u007D'
    """
    return "'" + "".join(letter if letter in PLAIN else _escaped(ord(letter)) for letter in value) + "'"


def _escaped(code: int) -> str:
    return f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}"


def write_constant(value: object, type_: Type) -> str:
    """Return a constant of that type."""
    if value is None:
        return f"CAST(NULL AS {SQL_TYPES[type_]})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return write_whole(value) if abs(value) < 1 << 126 else write_number(Fraction(value))
    if isinstance(value, Fraction):
        return write_number(value)
    if isinstance(value, dt.datetime):
        return write_moment(value.astimezone(dt.UTC).replace(tzinfo=None))
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return write_text(str(value))


def write_domain(values: Sequence[object], type_: Type) -> str:
    """Return a table of constants and their places, from one string: Spark takes twenty times as long for VALUES."""
    largest = max((abs(value) for value in values if isinstance(value, int)), default=0)
    kind = SQL_TYPES[type_]
    if type_ is Type.INTEGER and largest >= 1 << 63:
        kind = WIDE if largest < 1 << 126 else SQL_TYPES[Type.FLOAT]
    listed = write_text(json.dumps([None if value is None else _written(value, type_) for value in values]))
    places = f"SELECT posexplode(from_json({listed}, 'array<string>')) AS (p, c)"
    return f"(SELECT CAST(c AS {kind}), p FROM ({places}) AS q)"


def _written(value: object, type_: Type) -> str:
    """Return what is cast to a constant of that type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Fraction):
        return str(value) if type_ is Type.INTEGER else repr(float(value))
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def write_whole(value: int) -> str:
    """Return a whole number of at most 38 digits."""
    return f"CAST('{value}' AS {WIDE})"


def write_number(value: Fraction) -> str:
    """Return a DOUBLE constant: the nearest float."""
    return f"CAST('{float(value)!r}' AS DOUBLE)"


def write_moment(value: dt.datetime) -> str:
    """Return a point in time, given in UTC and without a zone."""
    return f"TIMESTAMP_NTZ '{value.isoformat(sep=' ')}'"


def cast_working(argument: str, type_: Type) -> str:
    """Return an argument in the type that is computed in: whole numbers in 38 digits, all others as they are."""
    return f"CAST({argument} AS {WIDE if type_ is Type.INTEGER else SQL_TYPES[type_]})"
