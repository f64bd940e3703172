"""Floats rounded to whole ones and to digits, as DuckDB and C do it, signs of zeros included.

Spark's own FLOOR and CEIL go through 64 bits and its ROUND through decimal texts. All here is made from `rint`, the
nearest whole float, halves to the even one; infinite floats and NaN stay what they are.
"""

from __future__ import annotations

import math

from discreet.engines.spark.literals import WIDE, write_whole
from discreet.engines.spark.once import compute_once


def floored(value: str) -> str:
    """Return the greatest whole float that is not above."""
    return compute_once(_floor, value)


def ceiled(value: str) -> str:
    """Return the least whole float that is not below."""
    return compute_once(_ceil, value)


def toward_zero(value: str) -> str:
    """Return the whole part."""
    return compute_once(lambda x: f"(CASE WHEN {x} < 0 THEN {_ceil(x)} ELSE {_floor(x)} END)", value)


def _floor(x: str) -> str:
    return f"(CASE WHEN rint({x}) > {x} THEN rint({x}) - 1 ELSE rint({x}) END)"


def _ceil(x: str) -> str:
    return f"(- {_floor(f'(- {x})')})"


def nearest(value: str, digits: int) -> str:
    """Return the float rounded to digits as DuckDB does: scaled, rounded with halves away from zero, scaled back.

    Where scaling leaves the floats, the value stays as it is.
    """
    if digits == 0:
        return compute_once(_away, value)
    scale = f"CAST('{math.pow(10, abs(digits))!r}' AS DOUBLE)"
    up, down = ("*", "/") if digits > 0 else ("/", "*")

    def body(x: str) -> str:
        found = f"({compute_once(_away, f'({x} {up} {scale})')} {down} {scale})"
        return compute_once(
            lambda y, z: f"(CASE WHEN abs({y}) < CAST('Infinity' AS DOUBLE) THEN {y} ELSE {z} END)", found, x
        )

    return compute_once(body, value)


def _away(x: str) -> str:
    """Return the nearest whole float, halves away from zero; the difference to `rint` is exact."""
    more = f"WHEN {x} > 0 AND {x} - rint({x}) = 0.5D THEN rint({x}) + 1"
    less = f"WHEN {x} < 0 AND {x} - rint({x}) = -0.5D THEN rint({x}) - 1"
    return f"(CASE {more} {less} ELSE rint({x}) END)"


def rounded_whole(value: str, digits: int) -> str:
    """Return a whole number of at most 125 bits rounded to a multiple of 10^-digits, halves away from zero.

    10^38 has 39 digits, and half of it is above all such numbers.
    """
    if digits >= 0:
        return value
    if digits <= -38:
        return f"({value} * {write_whole(0)})"
    unit, half = write_whole(10**-digits), write_whole(10**-digits // 2)

    def body(x: str) -> str:
        away = f"CAST({x} + (CASE WHEN {x} < 0 THEN - {half} ELSE {half} END) AS {WIDE})"
        return f"({away} - {away} % {unit})"

    return compute_once(body, value)
