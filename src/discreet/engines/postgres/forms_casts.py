"""Casts to booleans and numbers: what does not fit is NULL.

PostgreSQL 15 has no cast that gives NULL in place of an error, so that texts are looked at first, by regular
expressions that let nothing through but what the cast takes, and numbers by their size.
"""

from __future__ import annotations

import sys
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines.postgres.literals import write_double, write_plain, write_whole
from discreet.engines.postgres.once import compute_once
from discreet.engines.shapes import Form, write_within
from discreet.plan.expressions import Call

WHOLE = "^ *[+-]?[0-9]+ *$"
DECIMAL = "^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?0*[0-9]{1,3})? *$"
"""What a text of a number looks like: no underscores, hexadecimals or words, which engines read differently."""

PLAIN = "^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+) *$"
"""One without an exponent, which engines take for a decimal in different ways."""

LONGEST = 400
"""Texts with more letters are no numbers."""

YES, NO = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")


def _exact(value: Fraction) -> str:
    """Return a fraction with a power of two below it as a decimal, exactly."""
    digits = value.denominator.bit_length() - 1
    return f"{write_plain(f'{value.numerator * 5**digits}e-{digits}')}::numeric"


OVERFLOW = write_whole(int(sys.float_info.max) + 2**970)
UNDERFLOW = _exact(Fraction(1, 2**1075))
"""Decimals from the first on are beyond all floats; those up to the second are nearest to zero."""


def _to_boolean(arguments: list[str], made: Call) -> str:
    given = made.arguments[0].type
    if given is Type.BOOLEAN:
        return arguments[0]
    if given is not Type.TEXT:
        return f"({arguments[0]} <> 0)"
    yes, no = (write_plain(f"^({'|'.join(words)})$") for words in (YES, NO))
    return compute_once(
        arguments, made.arguments, lambda a: f"(CASE WHEN {a} ~* {yes} THEN TRUE WHEN {a} ~* {no} THEN FALSE END)"
    )


def _to_integer(arguments: list[str], made: Call) -> str:
    """Floats go to the nearest whole number, halves to the even one; what 64 bits do not hold is NULL."""
    given = made.arguments[0].type
    if given is Type.BOOLEAN:
        return f"CAST(CAST({arguments[0]} AS INTEGER) AS BIGINT)"
    if given is Type.TEXT:
        return compute_once(arguments, made.arguments, _whole_of_text)
    low, high = (
        (write_whole(-(2**63)), write_whole(2**63))
        if given is Type.INTEGER
        else (write_double(-(2.0**63)), write_double(2.0**63))
    )
    return compute_once(
        arguments,
        made.arguments,
        lambda a: f"(CASE WHEN {a} >= {low} AND {a} < {high} THEN CAST({a} AS BIGINT) END)",
    )


def _whole_of_text(a: str) -> str:
    number = f"CAST(btrim({a}, ' ') AS NUMERIC)"
    return (
        f"(CASE WHEN length({a}) > {LONGEST} OR NOT {a} ~ {write_plain(WHOLE)} THEN NULL "
        f"WHEN {number} BETWEEN {write_whole(-(2**63))} AND {write_whole(2**63 - 1)} THEN CAST({number} AS BIGINT) END)"
    )


def _to_decimal(arguments: list[str], made: Call) -> str:
    """Whole numbers that are not too large, and texts of numbers in last places, halves away from zero."""
    most, unit = arguments[1:]
    if made.arguments[0].type is not Type.TEXT:
        return compute_once(arguments[:1], made.arguments[:1], lambda a: write_within(a, f"-{most}", most))
    return compute_once(arguments[:1], made.arguments[:1], lambda a: _places_of_text(a, most, unit))


def _places_of_text(a: str, most: str, unit: str) -> str:
    places = f"round(CAST(btrim({a}, ' ') AS NUMERIC) * {unit}, 0)"
    return (
        f"(CASE WHEN length({a}) > {LONGEST} OR NOT {a} ~ {write_plain(PLAIN)} THEN NULL "
        f"WHEN abs({places}) <= {most} THEN {places} END)"
    )


def _to_float(arguments: list[str], made: Call) -> str:
    """Numbers and texts of them; a whole number may stand for so many parts of a unit."""
    given = made.arguments[0].type
    if len(arguments) > 1:
        return f"(CAST({arguments[0]} AS DOUBLE PRECISION) / CAST({arguments[1]} AS DOUBLE PRECISION))"
    if given is Type.TEXT:
        return compute_once(arguments, made.arguments, _float_of_text)
    if given is Type.BOOLEAN:
        return f"CAST(CAST({arguments[0]} AS INTEGER) AS DOUBLE PRECISION)"
    return f"CAST({arguments[0]} AS DOUBLE PRECISION)"


def _float_of_text(a: str) -> str:
    size = f"abs(CAST(btrim({a}, ' ') AS NUMERIC))"
    zero = (
        f"CASE WHEN {a} LIKE '%-%' AND btrim({a}, ' ') LIKE '-%' THEN {write_double(-0.0)} ELSE {write_double(0.0)} END"
    )
    return (
        f"(CASE WHEN length({a}) > {LONGEST} OR NOT {a} ~ {write_plain(DECIMAL)} THEN NULL "
        f"WHEN {size} BETWEEN '1e-300'::numeric AND '1e300'::numeric THEN CAST(btrim({a}, ' ') AS DOUBLE PRECISION) "
        f"WHEN {size} >= {OVERFLOW} THEN NULL WHEN {size} <= {UNDERFLOW} THEN {zero} "
        f"ELSE CAST(btrim({a}, ' ') AS DOUBLE PRECISION) END)"
    )


CASTS: dict[str, Form] = {
    "as_boolean": _to_boolean,
    "as_integer": _to_integer,
    "as_decimal": _to_decimal,
    "as_float": _to_float,
}
