"""Spark's SQL, as a dialect."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.dialect import Dialect
from discreet.engines.spark.forms import FORMS, write_sql
from discreet.engines.spark.forms_time import micros
from discreet.engines.spark.literals import SQL_TYPES, WIDE, quote_name, write_constant, write_domain, write_number
from discreet.engines.spark.once import compute_once

LONGEST = 150_000
"""What Spark parses and plans in a second or two."""

PARTS = 1 << 16
"""Far more than Spark has partitions, so that these get about as many units each."""

NAN_BITS, INFINITE_BITS = 9221120237041090560, 9218868437227405312
FRACTION = 1 << 52
"""The bits of a float below its exponent."""


def write_canonical(value: str, type_: Type) -> str:
    """Return the canonical text of a value."""
    if type_ in (Type.FLOAT, Type.DECIMAL):
        return f"CAST({compute_once(_bits, f'format_string({HEXADECIMAL}, CAST({value} AS DOUBLE))')} AS STRING)"
    if type_ is Type.TIMESTAMP:
        return f"CAST({micros(value)} AS STRING)"
    return f"CAST({value} AS STRING)"


HEXADECIMAL = "'\\u0025a'"
"""Java writes a float exactly by it: -0x1.8p3, 0x0.0000000000001p-1022, 0x0.0p0, NaN, -Infinity; `null` for NULL."""


def _bits(written: str) -> str:
    """Return the 64 bits of a float, as a whole number, from how it is written in hexadecimal digits."""
    digits = f"rpad(regexp_extract({written}, 'x[01][.]([0-9a-f]+)p', 1), 13, '0')"
    below = f"try_cast(conv({digits}, 16, 10) AS BIGINT)"
    exponent = f"try_cast(regexp_extract({written}, 'x1[.][0-9a-f]+p(-?[0-9]+)', 1) AS BIGINT)"
    size = f"(coalesce({exponent} + 1023, 0) * {FRACTION} + {below})"
    return (
        f"(CASE {written} WHEN 'null' THEN NULL WHEN 'NaN' THEN {NAN_BITS} WHEN 'Infinity' THEN {INFINITE_BITS} "
        f"WHEN '-Infinity' THEN {INFINITE_BITS - 2**63} ELSE "
        f"(CASE WHEN startswith({written}, '-') THEN {size} - {2**63 - 1} - 1 ELSE {size} END) END)"
    )


def quotient(above: str, below: str) -> str:
    """Return the quotient of what units scale their sums by; it is far below 10^32, as `division` needs it.

    It is what a row adds, below 2^63, or is made of numbers below 2^96: see `bounding`. Arguments are short, and are
    written twice: what computes them once is not compiled.
    """
    first, second = f"CAST({above} AS {WIDE})", f"CAST({below} AS {WIDE})"
    return f"CAST(({first} - {first} % {second}) / {second} AS {WIDE})"


SPARK = Dialect(
    types=SQL_TYPES,
    wide=WIDE,
    once="",
    forms=FORMS,
    write_sql=write_sql,
    quote_name=quote_name,
    write_constant=write_constant,
    write_number=write_number,
    is_nan=lambda value: f"isnan({value})",
    write_canonical=write_canonical,
    leading_bits=lambda digits: f"CAST(conv(substr({digits}, 1, 15), 16, 10) AS BIGINT)",
    quotient=quotient,
    total=lambda value: f"sum(CAST({value} AS {WIDE}))",
    longest=LONGEST,
    parts=PARTS,
    domain=write_domain,
    halves=lambda value: (f"sum(shiftright({value}, 15))", f"sum({value} & 32767)"),
)
