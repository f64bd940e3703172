"""Powers and remainders of floats: PostgreSQL raises on many of the first and has none of the second."""

from __future__ import annotations

import math

from discreet.engines.postgres.forms_float import BITS, HIGHEST, INFINITE, MINUS_ZERO, ZERO, product, two
from discreet.engines.postgres.literals import write_double
from discreet.engines.postgres.once import compute_once, computed
from discreet.plan.expressions import Call

ONE = write_double(1.0)


def power(written: list[str], made: Call) -> str:
    """Return a^b where it is finite, zero with its sign where it is below all floats, NULL elsewhere."""
    return compute_once(written, made.arguments, _power)


def _power(a: str, b: str) -> str:
    zero = _zero(a, b)
    far = f"CASE WHEN {a} = -1 THEN {ONE} WHEN (abs({a}) < 1) = ({b} > 0) THEN {ZERO} END"
    near = computed(f"ln(abs({a})) * {write_double(1 / math.log(2.0))} * {b} AS t, {a} AS a, {b} AS b", _by_size())
    return (
        f"(CASE WHEN {b} = 0 OR {a} = 1 THEN CASE WHEN {a} IS NOT NULL AND {b} IS NOT NULL THEN {ONE} END "
        f"WHEN {a} > {INFINITE} OR {b} > {INFINITE} THEN NULL "
        f"WHEN abs({b}) > {two(70)} THEN {far} "
        f"WHEN {a} = 0 THEN CASE WHEN {b} > 0 THEN {zero} END "
        f"WHEN abs({a}) = {INFINITE} THEN CASE WHEN {b} < 0 THEN {zero} END "
        f"WHEN {a} < 0 AND {b} <> trunc({b}) THEN NULL "
        f"WHEN abs({b}) < {two(-70)} THEN CASE WHEN {a} IS NOT NULL THEN {ONE} END ELSE {near} END)"
    )


def _zero(a: str, b: str) -> str:
    return f"(CASE WHEN {_negative(a)} AND {_odd(b)} THEN {MINUS_ZERO} ELSE {ZERO} END)"


def _by_size() -> str:
    """Return the power by `t`, the power of two that its size is: PostgreSQL raises beyond the ends.

    Where `t` is too coarse to tell, it is the square of |a|^(b / 2).
    """
    squared = computed(f"{product('v.h', 'v.h')} AS p, v.a AS a, v.b AS b", _with_sign())
    root = computed("power(abs(v.a), v.b / 2) AS h, v.a AS a, v.b AS b", squared)
    return (
        f"CASE WHEN v.t < {write_double(-1075.1)} THEN {_zero('v.a', 'v.b')} "
        f"WHEN v.t BETWEEN {write_double(-1073.9)} AND {write_double(1023.9)} THEN power(v.a, v.b) "
        f"WHEN v.t <= {write_double(1024.1)} THEN {root} END"
    )


def _with_sign() -> str:
    return f"CASE WHEN v.p <= {HIGHEST} THEN CASE WHEN {_negative('v.a')} AND {_odd('v.b')} THEN -v.p ELSE v.p END END"


def _negative(a: str) -> str:
    """Return whether a number has the sign of minus, as -0.0 has."""
    return f"atan2({a}, -1) < 0"


def _odd(b: str) -> str:
    return f"(CASE WHEN abs({b}) < {two(53)} AND {b} = trunc({b}) THEN CAST({b} AS BIGINT) % 2 <> 0 ELSE FALSE END)"


def remainder(written: list[str], made: Call) -> str:
    """Return a - n * b for the whole n = trunc(a / b), exactly, with the sign of a; NULL where there is none."""
    return compute_once(written, made.arguments, _remainder)


def _remainder(a: str, b: str) -> str:
    """Small whole numbers are divided as such, others as mantissas times powers of two."""
    small = _signed(a, f"CAST(abs(CAST({a} AS BIGINT) % CAST({b} AS BIGINT)) AS DOUBLE PRECISION)")
    parts = ", ".join(f"{BITS.format(f'abs({each})')} AS {name}" for name, each in (("x", a), ("y", b)))
    split = ", ".join(
        f"((v.{n} & 4503599627370495) + CASE WHEN v.{n} >> 52 > 0 THEN 4503599627370496 ELSE 0 END)::numeric AS m{n}, "
        f"greatest(v.{n} >> 52, 1) - 1075 AS e{n}"
        for n in "xy"
    )
    shifted = [f"v.m{n} * power(2::numeric, (v.e{n} - least(v.ex, v.ey))::numeric)" for n in "xy"]
    found = computed(split, f"CAST(trunc({shifted[0]}) % trunc({shifted[1]}) AS DOUBLE PRECISION) * {_two_to()}")
    large = _signed(a, computed(parts, found))
    return (
        f"(CASE WHEN {b} = 0 OR abs({a}) > {HIGHEST} OR {b} > {INFINITE} THEN NULL "
        f"WHEN abs({a}) < abs({b}) THEN {a} "
        f"WHEN abs({a}) < {two(53)} AND {a} = trunc({a}) AND {b} = trunc({b}) THEN {small} "
        f"WHEN {a} IS NOT NULL AND {b} IS NOT NULL THEN {large} END)"
    )


def _two_to() -> str:
    return "power(2::float8, least(v.ex, v.ey)::float8)"


def _signed(a: str, size: str) -> str:
    return f"(CASE WHEN {_negative(a)} THEN -1 ELSE 1 END * {size})"
