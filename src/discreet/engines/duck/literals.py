"""Names, constants and types as DuckDB's SQL, whatever they hold."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from discreet.base.types import Type

SQL_TYPES = {
    Type.BOOLEAN: "BOOLEAN",
    Type.INTEGER: "BIGINT",
    Type.DECIMAL: "DOUBLE",
    Type.FLOAT: "DOUBLE",
    Type.TEXT: "VARCHAR",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}
"""What columns are cast to where they are read; decimals become the nearest floats."""


def quote_name(name: str) -> str:
    """Return a name as an identifier, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def write_text(value: str) -> str:
    """Return a string constant, whatever it holds."""
    return "'" + value.replace("'", "''") + "'"


def write_constant(value: object, type_: Type) -> str:
    """Return a constant of that type."""
    if value is None:
        return f"CAST(NULL AS {SQL_TYPES[type_]})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return f"CAST({write_text(str(value))} AS HUGEINT)" if abs(value) < 1 << 126 else write_number(Fraction(value))
    if isinstance(value, Fraction):
        return write_number(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP {write_text(value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=' '))}"
    if isinstance(value, dt.date):
        return f"DATE {write_text(value.isoformat())}"
    return write_text(str(value))


def write_number(value: Fraction) -> str:
    """Return a DOUBLE constant: the nearest float."""
    return f"CAST({write_text(repr(float(value)))} AS DOUBLE)"


def cast_working(argument: str, type_: Type) -> str:
    """Return an argument in the type that is computed in: whole numbers in 128 bits, all others as they are."""
    return f"CAST({argument} AS {'HUGEINT' if type_ is Type.INTEGER else SQL_TYPES[type_]})"
