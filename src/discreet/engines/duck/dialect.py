"""DuckDB's SQL, as a dialect."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.dialect import Dialect
from discreet.engines.duck.forms import FORMS, write_sql
from discreet.engines.duck.literals import SQL_TYPES, quote_name, write_constant, write_number

NAN_BITS = "9221120237041090560"


def write_canonical(value: str, type_: Type) -> str:
    """Return the canonical text of a value."""
    if type_ in (Type.FLOAT, Type.DECIMAL):
        bits = f"CAST(CAST(CAST({value} AS DOUBLE) AS BIT) AS BIGINT)"
        return f"(CASE WHEN isnan(CAST({value} AS DOUBLE)) THEN '{NAN_BITS}' ELSE CAST({bits} AS VARCHAR) END)"
    if type_ is Type.TIMESTAMP:
        return f"CAST(epoch_us({value}) AS VARCHAR)"
    return f"CAST({value} AS VARCHAR)"


DUCKDB = Dialect(
    types=SQL_TYPES,
    wide="HUGEINT",
    once="MATERIALIZED",
    forms=FORMS,
    write_sql=write_sql,
    quote_name=quote_name,
    write_constant=write_constant,
    write_number=write_number,
    is_nan=lambda value: f"isnan({value})",
    write_canonical=write_canonical,
    leading_bits=lambda digits: f"CAST('0x' || substr({digits}, 1, 15) AS BIGINT)",
    quotient=lambda above, below: f"({above} // {below})",
    total=lambda value: f"sum({value})",
    sends_rows=True,
    heavy_first=True,
)
