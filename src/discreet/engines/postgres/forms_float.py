"""Sums, products and quotients of floats as IEEE 754 has them: infinite above all floats, and zero below.

PostgreSQL raises where finite numbers overflow, and where a product or quotient of others than zero is zero. Here such
rows are found first, exactly, by the same operation on numbers scaled by powers of two; scaling those changes nothing
else. Where a constant or the reach of the arguments rules it out there is no guard, and where one side is a constant a
comparison with the last number that is safe is all there is.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines.postgres.literals import cast_double, write_constant, write_double
from discreet.engines.postgres.once import compute_once
from discreet.engines.postgres.reach import Reach, bound_reach
from discreet.engines.shapes import Form
from discreet.plan.expressions import Call, Expression, Literal

MOST = sys.float_info.max
INFINITE, NEGATIVE = write_double(math.inf), write_double(-math.inf)
ZERO, MINUS_ZERO = write_double(0.0), write_double(-0.0)
HIGHEST, LOWEST = write_double(MOST), write_double(-MOST)
BITS = "('x' || encode(float8send({}), 'hex'))::bit(64)::bigint"
MANTISSA = f"(({BITS} & 4503599627370495) | 4503599627370496)::numeric"


def two(power: int) -> str:
    """Return a power of two."""
    return write_double(math.ldexp(1.0, power))


def constant_of(expression: Expression) -> float | None:
    """Return the float that a constant is, None for all else."""
    if isinstance(expression, Literal) and isinstance(expression.value, int | Fraction):
        return float(expression.value)
    return None


def arithmetic(name: str) -> Form:
    """Return the form of add, sub, mul or div on floats; the second argument of div is not zero."""

    def form(arguments: list[str], made: Call) -> str:
        if any(isinstance(each, Literal) and each.value is None for each in made.arguments):
            return write_constant(None, Type.FLOAT)
        written = [cast_double(each, argument.type) for each, argument in zip(arguments, made.arguments, strict=True)]
        first, second = made.arguments
        return _FORMS[name](written, first, second)

    return form


def _sum(sign: str) -> Callable[[list[str], Expression, Expression], str]:
    def form(written: list[str], first: Expression, second: Expression) -> str:
        highs = bound_reach(first)[1], bound_reach(second)[1]
        if max(highs) <= 1023 or min(highs) <= 970:
            return f"({written[0]} {sign} {written[1]})"
        return compute_once(written, (first, second), lambda a, b: total(a, b, sign))

    return form


def total(a: str, b: str, sign: str = "+") -> str:
    """Return a + b or a - b.

    For a >= 2^1023 > 0 and b > 0 the sum is infinite if and only if it is at least MOST + 2^970, the middle between
    the largest float and 2^1024, that is b >= (MOST - a) + 2^970; the right side is exact (Sterbenz 1974).
    """
    same = f"({a} > 0) {'=' if sign == '+' else '<>'} ({b} > 0)"
    over = f"least(abs({a}), abs({b})) >= ({HIGHEST} - greatest(abs({a}), abs({b}))) + {two(970)}"
    return (
        f"(CASE WHEN abs({a}) < {two(1023)} AND abs({b}) < {two(1023)} THEN {a} {sign} {b} "
        f"WHEN abs({a}) > {HIGHEST} OR abs({b}) > {HIGHEST} THEN {a} {sign} {b} "
        f"WHEN {same} THEN CASE WHEN {over} THEN CASE WHEN {a} > 0 THEN {INFINITE} ELSE {NEGATIVE} END "
        f"ELSE {a} {sign} {b} END ELSE {a} {sign} {b} END)"
    )


def _product(written: list[str], first: Expression, second: Expression) -> str:
    for value, other, at in ((first, second, 1), (second, first, 0)):
        factor = constant_of(value)
        if factor is not None:
            return compute_once([written[at]], [other], lambda a, c=factor, o=other: times(a, c, bound_reach(o)))
    (low, high), (least, most) = bound_reach(first), bound_reach(second)
    if low + least >= -1074 and high + most <= 1024:
        return f"({written[0]} * {written[1]})"
    return compute_once(written, (first, second), product)


def times(a: str, factor: float, within: Reach = (-1074, 1024)) -> str:
    """Return a * factor for a constant."""
    value, size, exponent = f"{a} * {write_double(factor)}", abs(factor), math.frexp(factor)[1]
    if size in (0.0, 1.0):
        return f"({value})"
    if size > 1 and within[1] + exponent > 1024:
        last = last_finite(lambda x: x * size)
        return _guarded(a, value, f"abs({a}) <= {write_double(last)}", _signed(a, factor, INFINITE, NEGATIVE))
    if size < 1 and within[0] + exponent - 1 < -1074:
        first = first_nonzero(lambda x: x * size)
        return _guarded(a, value, f"abs({a}) >= {write_double(first)}", _signed(a, factor, ZERO, MINUS_ZERO))
    return f"({value})"


def product(a: str, b: str) -> str:
    """Return a * b.

    It is infinite if and only if both are above 1 and the product scaled by 2^-1200 is at least 2^-176. It is zero if
    and only if both are at most 1 and the product is at most 2^-1075, scaled by 2^1074 at most 1/2; where the scaled
    one is rounded to just 1/2, the product of the mantissas tells on which side it is.
    """
    big, small = f"greatest(abs({a}), abs({b}))", f"least(abs({a}), abs({b}))"
    scaled = f"({small} * {two(537)}) * ({big} * {two(537)})"
    above = f"{MANTISSA.format(f'{small} * {two(537)}')} * {MANTISSA.format(f'{big} * {two(537)}')}"
    zero = _two_signed(a, b, ZERO, MINUS_ZERO)
    return (
        f"(CASE WHEN {big} < {two(511)} AND {small} > {two(-500)} THEN {a} * {b} "
        f"WHEN {a} = 0 OR {b} = 0 OR {big} > {HIGHEST} THEN {a} * {b} "
        f"WHEN {small} > 1 THEN CASE WHEN ({big} * {two(-600)}) * ({small} * {two(-600)}) >= {two(-176)} "
        f"THEN {_two_signed(a, b, INFINITE, NEGATIVE)} ELSE {a} * {b} END "
        f"WHEN {big} > 1 OR {small} > {two(-500)} THEN {a} * {b} "
        f"WHEN {scaled} < {two(-1)} THEN {zero} WHEN {scaled} > {two(-1)} THEN {a} * {b} "
        f"WHEN {above} BETWEEN {2**105 + 1} AND {3 * 2**104} THEN {a} * {b} ELSE {zero} END)"
    )


def _quotient(written: list[str], first: Expression, second: Expression) -> str:
    below, above = constant_of(second), constant_of(first)
    if below is not None:
        if below == 0:
            return write_constant(None, Type.FLOAT)
        return compute_once([written[0]], [first], lambda a: over(a, below, bound_reach(first)))
    if above is not None:
        return compute_once([written[1]], [second], lambda b: under(above, b, bound_reach(second)))
    (low, high), (least, most) = bound_reach(first), bound_reach(second)
    if low - most >= -1074 and high - least <= 1024:
        return compute_once(written, (first, second), lambda a, b: f"({a} / CASE WHEN {b} <> 0 THEN {b} END)")
    return compute_once(written, (first, second), quotient)


def over(a: str, divisor: float, within: Reach = (-1074, 1024)) -> str:
    """Return a / divisor for a constant that is not zero."""
    value, size, exponent = f"{a} / {write_double(divisor)}", abs(divisor), math.frexp(divisor)[1]
    if size < 1 and within[1] - exponent + 1 > 1024:
        last = last_finite(lambda x: x / size)
        return _guarded(a, value, f"abs({a}) <= {write_double(last)}", _signed(a, divisor, INFINITE, NEGATIVE))
    if size > 1 and within[0] - exponent < -1074:
        first = first_nonzero(lambda x: x / size)
        return _guarded(a, value, f"abs({a}) >= {write_double(first)}", _signed(a, divisor, ZERO, MINUS_ZERO))
    return f"({value})"


def under(above: float, b: str, within: Reach = (-1074, 1024)) -> str:
    """Return above / b for a constant, NULL where b is zero."""
    value = f"{write_double(above)} / CASE WHEN {b} <> 0 THEN {b} END"
    size, exponent = abs(above), math.frexp(above)[1]
    if above == 0 or (exponent - within[0] <= 1024 and exponent - 1 - within[1] >= -1074):
        return f"({value})"
    first = first_nonzero(lambda x: 0.0 if size / x == math.inf else x)
    last = last_finite(lambda x: math.inf if size / x == 0.0 else x)
    return (
        f"(CASE WHEN abs({b}) BETWEEN {write_double(first)} AND {write_double(last)} "
        f"OR abs({b}) > {HIGHEST} THEN {value} "
        f"WHEN {b} = 0 THEN NULL WHEN abs({b}) < {write_double(first)} THEN {_signed(b, above, INFINITE, NEGATIVE)} "
        f"ELSE {_signed(b, above, ZERO, MINUS_ZERO)} END)"
    )


def quotient(a: str, b: str) -> str:
    """Return a / b, NULL where b is zero.

    A quotient of scaled numbers is at the edge if and only if the quotient is: no quotient of floats lies between an
    edge and the next float above it. Scaling happens in two ranges of b, so that nothing overflows on the way.
    """
    x, y = f"abs({a})", f"abs({b})"
    most, least = _two_signed(a, b, INFINITE, NEGATIVE), _two_signed(a, b, ZERO, MINUS_ZERO)
    return (
        f"(CASE WHEN {b} = 0 THEN NULL "
        f"WHEN {x} BETWEEN {two(-500)} AND {two(500)} AND {y} BETWEEN {two(-500)} AND {two(500)} THEN {a} / {b} "
        f"WHEN {a} = 0 OR {x} > {HIGHEST} OR {y} > {HIGHEST} THEN {a} / {b} "
        f"WHEN {y} < 1 THEN CASE WHEN {x} < {two(-50)} THEN {a} / {b} "
        f"WHEN CASE WHEN {y} >= {two(-100)} THEN ({x} * {two(-200)}) / {y} >= {two(824)} "
        f"ELSE ({x} * {two(-600)}) / ({y} * {two(500)}) >= {two(-76)} END THEN {most} ELSE {a} / {b} END "
        f"WHEN {x} > {two(-51)} THEN {a} / {b} "
        f"WHEN CASE WHEN {y} <= {two(100)} THEN ({x} * {two(200)}) / {y} <= {two(-875)} "
        f"ELSE ({x} * {two(600)}) / ({y} * {two(-500)}) <= {two(25)} END THEN {least} ELSE {a} / {b} END)"
    )


def _guarded(a: str, value: str, safe: str, beyond: str) -> str:
    return f"(CASE WHEN {safe} OR {a} = 0 OR abs({a}) > {HIGHEST} THEN {value} ELSE {beyond} END)"


def _signed(a: str, factor: float, positive: str, negative: str) -> str:
    first, second = (positive, negative) if factor > 0 else (negative, positive)
    return f"CASE WHEN {a} > 0 THEN {first} WHEN {a} < 0 THEN {second} END"


def _two_signed(a: str, b: str, positive: str, negative: str) -> str:
    return (
        f"CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL WHEN ({a} > 0) = ({b} > 0) THEN {positive} ELSE {negative} END"
    )


def last_finite(rule: Callable[[float], float]) -> float:
    """Return the largest float at which an increasing rule is finite."""
    return _largest(lambda x: rule(x) < math.inf)


def first_nonzero(rule: Callable[[float], float]) -> float:
    """Return the smallest positive float at which an increasing rule is not zero."""
    return math.nextafter(_largest(lambda x: rule(x) == 0.0), math.inf)


def _largest(holds: Callable[[float], bool]) -> float:
    """Return the largest float for which a condition holds that holds up to some float: their bits are in order."""

    def at(bits: int) -> float:
        found: float = struct.unpack("<d", struct.pack("<q", bits))[0]
        return found

    low, high = 0, 0x7FEFFFFFFFFFFFFF
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(at(middle)) else (low, middle - 1)
    return at(low)


_FORMS: dict[str, Callable[[list[str], Expression, Expression], str]] = {
    "add": _sum("+"),
    "sub": _sum("-"),
    "mul": _product,
    "div": _quotient,
}
