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


def quote_name(name: str) -> str:
    """Return a name as an identifier, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def write_plain(value: str) -> str:
    """Return a string constant without a type, whatever it holds: backslashes are letters like others."""
    return "'" + value.replace("'", "''") + "'"


def write_text(value: str) -> str:
    """Return a text that is compared byte by byte, whatever collation the database has."""
    return collate_bytewise(f"{write_plain(value)}::text")


def collate_bytewise(value: str) -> str:
    """Return a text that is compared byte by byte: of other collations some cannot be searched, and none is ours."""
    return f'({value} COLLATE "C")'


def write_constant(value: object, type_: Type) -> str:
    """Return a constant of that type."""
    if value is None:
        missing = f"CAST(NULL AS {SQL_TYPES[type_]})"
        return collate_bytewise(missing) if type_ is Type.TEXT else missing
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return write_whole(value) if abs(value) < 1 << 126 else write_number(Fraction(value))
    if isinstance(value, Fraction):
        return write_number(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP {write_plain(value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=' '))}"
    if isinstance(value, dt.date):
        return f"DATE {write_plain(value.isoformat())}"
    return write_text(str(value))


def write_whole(value: int) -> str:
    """Return a whole number: a BIGINT where it fits, since those are fast."""
    return f"{write_plain(str(value))}::{'BIGINT' if abs(value) < 1 << 63 else WIDE}"


def write_number(value: Fraction) -> str:
    """Return a DOUBLE PRECISION constant: the nearest float."""
    return write_double(float(value))


def write_double(value: float) -> str:
    """Return just this float, infinite ones and both zeros included."""
    return f"{write_plain(repr(value))}::float8"


def cast_double(argument: str, given: Type) -> str:
    """Return a number as a float."""
    return f"CAST({argument} AS DOUBLE PRECISION)" if given is Type.INTEGER else argument


def cast_working(argument: str, given: Type, wanted: Type) -> str:
    """Return an argument in the type that is computed in: whole numbers stay exact beside others."""
    return cast_double(argument, given) if wanted in (Type.FLOAT, Type.DECIMAL) else argument
