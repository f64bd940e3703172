"""Forms of arithmetic and mathematical functions: numbers or NULL, whatever they are given.

Where an argument has no result (the root of -1), or the result is beyond all floats, it is NULL. NaN and infinite
arguments of curves such as SQRT and SIN give NULL too; sums, products and FLOOR, CEIL, ROUND, TRUNC and ABS keep them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from discreet.base.types import Type
from discreet.engines.postgres.forms_float import (
    BITS,
    HIGHEST,
    INFINITE,
    LOWEST,
    arithmetic,
    last_finite,
    over,
    times,
    total,
    two,
)
from discreet.engines.postgres.forms_powers import power, remainder
from discreet.engines.postgres.literals import WIDE, cast_double, write_constant, write_double, write_whole
from discreet.engines.postgres.once import compute_once, computed
from discreet.engines.postgres.reach import bound_reach
from discreet.engines.shapes import MOST_WHOLE, Form, write_fitting, write_multiple, write_within
from discreet.plan.expressions import Call, Literal
from discreet.plan.functions import count_bits, may_overflow

DOMAINS = {
    "sqrt": (write_double(0.0), HIGHEST),
    "ln": (write_double(5e-324), HIGHEST),
    "log10": (write_double(5e-324), HIGHEST),
    "log2": (write_double(5e-324), HIGHEST),
    "exp": (LOWEST, write_double(math.log(1.7976931348623157e308))),
    "sin": (LOWEST, HIGHEST),
    "cos": (LOWEST, HIGHEST),
    "tan": (LOWEST, HIGHEST),
    "asin": (write_double(-1.0), write_double(1.0)),
    "acos": (write_double(-1.0), write_double(1.0)),
    "atan": (LOWEST, HIGHEST),
    "radians": (LOWEST, HIGHEST),
    "degrees": (write_double(-1e306), write_double(1e306)),
}
"""Where a function of one number has a finite result."""

TINY = 1e-150
"""Below this the sine, tangent and their inverses of a number are the number; some libraries say they underflow."""

LN_2 = write_double(math.log(2.0))

LAST_EXP, LAST_STEP = -745.1332191019411, -744.5
"""Below the first the exponential is zero, between them the smallest float: PostgreSQL raises where it is zero."""


def _double(arguments: list[str], made: Call, place: int = 0) -> str:
    return cast_double(arguments[place], made.arguments[place].type)


def _wide(argument: str, made: Call) -> str:
    """Return a whole number for a result that needs more than 62 bits; others cannot overflow as they are."""
    return f"CAST({argument} AS {WIDE})" if count_bits(made) > 62 else argument


def _whole_double(argument: str) -> str:
    return cast_double(argument, Type.INTEGER)


def _exact(name: str, word: str) -> Form:
    """Whole numbers exactly, or NULL where they have more than 38 digits; others as floats."""
    floats, most = arithmetic(name), write_double(float(MOST_WHOLE))

    def form(arguments: list[str], made: Call) -> str:
        if made.type is not Type.INTEGER:
            return floats(arguments, made)
        if may_overflow(made):
            wide = [_wide(argument, made) for argument in arguments]
            return compute_once(wide, made.arguments, lambda a, b: write_fitting(word, a, b, _whole_double, most))
        return f"({_wide(arguments[0], made)} {word} {_wide(arguments[1], made)})"

    return form


def _one(word: str) -> Form:
    """Minus and ABS: of the least whole number, they need more than 63 bits."""
    return lambda arguments, made: f"{word}({_wide(arguments[0], made) if made.type is Type.INTEGER else arguments[0]})"


def _whole_part(arguments: list[str], made: Call) -> str:
    return compute_once(
        arguments[1:], made.arguments[1:], lambda b: f"div({arguments[0]}, CASE WHEN {b} <> 0 THEN {b} END)"
    )


def _remainder(arguments: list[str], made: Call) -> str:
    if made.type is not Type.INTEGER:
        return remainder([_double(arguments, made, place) for place in (0, 1)], made)
    return compute_once(
        arguments[1:], made.arguments[1:], lambda b: f"({arguments[0]} % CASE WHEN {b} <> 0 THEN {b} END)"
    )


def _sign(arguments: list[str], made: Call) -> str:
    """NaN has no sign; it lies above all numbers."""

    def body(a: str) -> str:
        top = f" AND {a} <= {INFINITE}" if made.arguments[0].type is not Type.INTEGER else ""
        one, less, zero = (write_whole(each) for each in (1, -1, 0))
        return f"(CASE WHEN {a} > 0{top} THEN {one} WHEN {a} < 0 THEN {less} WHEN {a} = 0 THEN {zero} END)"

    return compute_once(arguments, made.arguments, body)


def _stepped(word: str) -> Form:
    """FLOOR, CEIL and TRUNC, which leave whole numbers as they are but where they are parts of a unit."""

    def form(arguments: list[str], made: Call) -> str:
        if len(arguments) > 1:
            wide, unit = f"CAST({arguments[0]} AS {WIDE})", arguments[1]
            found = compute_once([wide], made.arguments[:1], lambda a: write_multiple(word, a, unit))
            return f"div({found}, {unit})"
        return arguments[0] if made.type is Type.INTEGER else f"{word}({arguments[0]})"

    return form


def _away(y: str) -> str:
    """Return a float rounded to a whole one, halves away from zero; PostgreSQL's own rounding takes them to even."""
    return f"(CASE WHEN abs({y} - trunc({y})) < {write_double(0.5)} THEN trunc({y}) ELSE trunc({y}) + sign({y}) END)"


def _rounded(arguments: list[str], made: Call) -> str:
    given = made.arguments[1] if len(made.arguments) > 1 else None
    digits = given.value if isinstance(given, Literal) and isinstance(given.value, int) else 0
    if made.type is Type.INTEGER:
        return arguments[0] if digits >= 0 else compute_once(arguments[:1], made.arguments[:1], _hundreds(-digits))
    if digits == 0:
        return compute_once(
            arguments[:1],
            made.arguments[:1],
            lambda a: f"(CASE WHEN abs({a}) <= {HIGHEST} THEN {_away(a)} ELSE {a} END)",
        )
    return compute_once(arguments[:1], made.arguments[:1], _digits(digits))


def _hundreds(zeros: int) -> Callable[[str], str]:
    unit, half = write_whole(10**zeros), write_whole(10**zeros // 2)
    return lambda a: f"(CAST(sign({a}) AS {WIDE}) * (div(abs(CAST({a} AS {WIDE})) + {half}, {unit}) * {unit}))"


def _digits(digits: int) -> Callable[[str], str]:
    """Return the rounding of a float to digits as DuckDB does it: x * 10^d is rounded, then divided by 10^d.

    What overflows on the way has no such digits and stays as it is.
    """
    unit = math.pow(10.0, abs(digits))
    last = write_double(last_finite(lambda x: x * unit))

    def fine(a: str) -> str:
        scaled = _named(f"{a} * {write_double(unit)}", lambda y: f"{_away(y)} / {write_double(unit)}")
        return f"(CASE WHEN abs({a}) <= {last} THEN {scaled} ELSE {a} END)"

    def coarse(a: str) -> str:
        rounded = _named(f"{a} / {write_double(unit)}", _away)
        scaled = _named(rounded, lambda y: f"CASE WHEN abs({y}) <= {last} THEN {y} * {write_double(unit)} ELSE {a} END")
        return (
            f"(CASE WHEN abs({a}) > {HIGHEST} THEN {a} "
            f"WHEN abs({a}) < {write_double(unit / 4)} THEN {a} * {write_double(0.0)} "
            f"ELSE {scaled} END)"
        )

    return fine if digits > 0 else coarse


def _named(value: str, body: Callable[[str], str]) -> str:
    return f"(SELECT {body('w.y')} FROM (SELECT {value} AS y OFFSET 0) AS w)"


def _log2(a: str, safe: str) -> str:
    """Return the logarithm of base 2, which PostgreSQL does not have: an exponent, and the logarithm of the rest.

    The rest is between sqrt(1/2) and sqrt(2), so that nothing is lost near 1, and a power of two has just its exponent.
    """
    exponent = f"CAST(({BITS.format(a)} >> 52) - 1023 AS DOUBLE PRECISION)"
    split = computed(
        "v.e AS e, v.x * power(2::float8, -v.e) AS m",
        f"CASE WHEN v.m > {write_double(math.sqrt(2.0))} THEN v.e + 1 + ln(v.m / 2) / {LN_2} "
        f"ELSE v.e + ln(v.m) / {LN_2} END",
    )
    normal = computed(f"{a} AS x, {exponent} AS e", split)
    return f"(CASE WHEN {a} BETWEEN {two(-1022)} AND {HIGHEST} THEN {normal} ELSE ln({safe}) / {LN_2} END)"


def _curve(word: str) -> Form:
    low, high = DOMAINS[word]

    def form(arguments: list[str], made: Call) -> str:
        inner = bound_reach(made.arguments[0])

        def body(a: str) -> str:
            safe = write_within(a, low, high)
            if word == "radians":
                return f"(CASE WHEN {a} BETWEEN {low} AND {high} THEN {times(a, math.pi / 180, inner)} END)"
            if word == "degrees":
                return f"(CASE WHEN {a} BETWEEN {low} AND {high} THEN {times(a, 180 / math.pi, (inner[0], 1017))} END)"
            if word == "exp":
                return (
                    f"(CASE WHEN {a} < {write_double(LAST_EXP)} "
                    f"THEN CASE WHEN {a} >= {low} THEN {write_double(0.0)} END "
                    f"WHEN {a} < {write_double(LAST_STEP)} THEN {write_double(5e-324)} "
                    f"WHEN {a} <= {high} THEN exp({a}) END)"
                )
            if word in ("sin", "tan", "asin", "atan"):
                return f"(CASE WHEN abs({a}) < {write_double(TINY)} THEN {a} ELSE {word}({safe}) END)"
            if word == "log2":
                return _log2(a, safe)
            return f"{'log' if word == 'log10' else word}({safe})"

        return compute_once([_double(arguments, made)], made.arguments, body)

    return form


def _angle(arguments: list[str], made: Call) -> str:
    written = [_double(arguments, made, place) for place in (0, 1)]
    return compute_once(
        written,
        made.arguments,
        lambda a, b: f"atan2({write_within(a, LOWEST, HIGHEST)}, {write_within(b, LOWEST, HIGHEST)})",
    )


def _bucket(arguments: list[str], made: Call) -> str:
    """0 below, one more than there are buckets above; NULL and NaN are in none. Ends and their number are constants."""
    ends = [each.value for each in made.arguments[1:] if isinstance(each, Literal)]
    low, high, count = (float(each) for each in ends)  # type: ignore[arg-type]
    last, width = write_whole(int(count)), high - low

    def body(a: str) -> str:
        above = f"({a} - {write_double(low)})" if abs(low) < 2.0**970 else total(a, write_double(low), "-")
        if math.isinf(width):
            inside = f"CASE WHEN {above} = {INFINITE} THEN {last} ELSE {write_whole(1)} END"
        else:
            share = _named(above, lambda y: over(y, width))
            inside = f"least(CAST(floor({share} * {write_double(count)}) AS BIGINT) + 1, {last})"
        return (
            f"(CASE WHEN {a} < {write_double(low)} THEN {write_whole(0)} WHEN {a} < {write_double(high)} THEN {inside} "
            f"WHEN {a} <= {INFINITE} THEN {write_whole(int(count) + 1)} END)"
        )

    if len(ends) != 3 or None in ends:
        return write_constant(None, Type.INTEGER)
    return compute_once([_double(arguments, made)], made.arguments[:1], body)


MATH: dict[str, Form] = {
    "add": _exact("add", "+"),
    "sub": _exact("sub", "-"),
    "mul": _exact("mul", "*"),
    "neg": _one("-"),
    "div": arithmetic("div"),
    "int_div": _whole_part,
    "mod": _remainder,
    "abs": _one("abs"),
    "sign": _sign,
    "floor": _stepped("floor"),
    "ceil": _stepped("ceil"),
    "trunc": _stepped("trunc"),
    "round": _rounded,
    **{word: _curve(word) for word in DOMAINS},
    "pow": lambda arguments, made: power([_double(arguments, made, place) for place in (0, 1)], made),
    "atan2": _angle,
    "width_bucket": _bucket,
}
