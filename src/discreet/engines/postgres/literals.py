"""Names, constants and types as PostgreSQL's SQL, whatever they hold."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from discreet.base.types import Type

SQL_TYPES = {
    Type.BOOLEAN: "BOOLEAN",
    Type.INTEGER: "BIGINT",
    Type.DECIMAL: "DOUBLE PRECISION",
    Type.FLOAT: "DOUBLE PRECISION",
    Type.TEXT: "TEXT",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}
"""What columns are cast to where they are read; decimals become the nearest floats."""

WIDE = "NUMERIC"
"""What whole numbers are computed in where 63 bits may not hold them."""


def quoted(name: str) -> str:
    """Return a name as an identifier, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def plain(value: str) -> str:
    """Return a string constant without a type, whatever it holds: backslashes are letters like others."""
    return "'" + value.replace("'", "''") + "'"


def text(value: str) -> str:
    """Return a text that is compared byte by byte, whatever collation the database has."""
    return bytewise(f"{plain(value)}::text")


def bytewise(value: str) -> str:
    """Return a text that is compared byte by byte: of other collations some cannot be searched, and none is ours."""
    return f'({value} COLLATE "C")'


def constant(value: object, type_: Type) -> str:
    """Return a constant of that type."""
    if value is None:
        missing = f"CAST(NULL AS {SQL_TYPES[type_]})"
        return bytewise(missing) if type_ is Type.TEXT else missing
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return whole(value) if abs(value) < 1 << 126 else number(Fraction(value))
    if isinstance(value, Fraction):
        return number(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP {plain(value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=' '))}"
    if isinstance(value, dt.date):
        return f"DATE {plain(value.isoformat())}"
    return text(str(value))


def whole(value: int) -> str:
    """Return a whole number: a BIGINT where it fits, since those are fast."""
    return f"{plain(str(value))}::{'BIGINT' if abs(value) < 1 << 63 else WIDE}"


def number(value: Fraction) -> str:
    """Return a DOUBLE PRECISION constant: the nearest float."""
    return double(float(value))


def double(value: float) -> str:
    """Return just this float, infinite ones and both zeros included."""
    return f"{plain(repr(value))}::float8"


def as_double(argument: str, given: Type) -> str:
    """Return a number as a float."""
    return f"CAST({argument} AS DOUBLE PRECISION)" if given is Type.INTEGER else argument


def working(argument: str, given: Type, wanted: Type) -> str:
    """Return an argument in the type that is computed in: whole numbers stay exact beside others."""
    return as_double(argument, given) if wanted in (Type.FLOAT, Type.DECIMAL) else argument
