"""Forms of arithmetic, mathematical functions and casts: numbers or NULL, whatever they are given.

Where an argument has no result (the root of -1), or the result is beyond all floats, it is NULL. NaN and infinite
arguments of curves such as SQRT and SIN give NULL too; sums, products and FLOOR, CEIL, ROUND, TRUNC and ABS keep them.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines.duck.literals import cast_working, write_number, write_text
from discreet.engines.duck.once import compute_once, hold_within
from discreet.engines.shapes import MOST_WHOLE, Form, count_zeros, write_fitting, write_multiple
from discreet.plan.expressions import Call, Literal
from discreet.plan.functions import may_overflow

MOST = write_number(Fraction(sys.float_info.max))
LEAST = write_number(Fraction(-sys.float_info.max))
TINY = write_number(Fraction(5e-324))
ZERO, ONE, MINUS_ONE = write_number(Fraction(0)), write_number(Fraction(1)), write_number(Fraction(-1))

DOMAINS = {
    "sqrt": (ZERO, MOST),
    "exp": (LEAST, write_number(Fraction(math.log(sys.float_info.max)))),
    "ln": (TINY, MOST),
    "log10": (TINY, MOST),
    "log2": (TINY, MOST),
    "sin": (LEAST, MOST),
    "cos": (LEAST, MOST),
    "tan": (LEAST, MOST),
    "asin": (MINUS_ONE, ONE),
    "acos": (MINUS_ONE, ONE),
    "atan": (LEAST, MOST),
    "radians": (LEAST, MOST),
    "degrees": (write_number(Fraction(-(10**306))), write_number(Fraction(10**306))),
}
"""Where a function of one number has a finite result."""

WHOLE = r"^ *([+-]?[0-9]+) *$"
DECIMAL = r"^ *([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?0*[0-9]{1,3})?) *$"
"""What a text of a number looks like: no underscores, hexadecimals or words, which engines read differently."""

PLAIN = r"^ *([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)) *$"
"""One without an exponent, which engines take for a decimal in different ways."""

LONGEST = 400
"""How many letters such a text has at most: engines differ on how many digits they read."""


def _double(argument: str) -> str:
    return f"CAST({argument} AS DOUBLE)"


def _not_zero(value: str) -> str:
    return compute_once(lambda x: f"(CASE WHEN {x} <> 0 THEN {x} END)", value)


def _exact(word: str) -> Form:
    """Whole numbers in 128 bits, or NULL where these are not enough; others as floats."""
    most = write_number(Fraction(MOST_WHOLE))

    def form(arguments: list[str], made: Call) -> str:
        first, second = (cast_working(argument, made.type) for argument in arguments)
        if may_overflow(made):
            return compute_once(lambda a, b: write_fitting(word, a, b, _double, most), first, second)
        return f"({first} {word} {second})"

    return form


def _divided(arguments: list[str], made: Call) -> str:
    return f"({_double(arguments[0])} / {_not_zero(_double(arguments[1]))})"


def _whole_part(arguments: list[str], made: Call) -> str:
    above, below = (cast_working(argument, Type.INTEGER) for argument in arguments)
    return f"({above} // {_not_zero(below)})"


def _remainder(arguments: list[str], made: Call) -> str:
    above, below = (cast_working(argument, made.type) for argument in arguments)
    found = f"({above} % {_not_zero(below)})"
    return found if made.type is Type.INTEGER else hold_within(found, LEAST, MOST)


def _sign(arguments: list[str], made: Call) -> str:
    """NaN has no sign."""
    whole = made.arguments[0].type is Type.INTEGER

    def body(x: str) -> str:
        missing = "" if whole else f"WHEN isnan({x}) THEN NULL "
        return f"(CASE {missing}WHEN {x} > 0 THEN 1 WHEN {x} < 0 THEN -1 WHEN {x} = 0 THEN 0 END)"

    return compute_once(body, arguments[0] if whole else _double(arguments[0]))


def _stepped(word: str) -> Form:
    """FLOOR, CEIL and TRUNC, which leave whole numbers as they are but where they are parts of a unit."""

    def form(arguments: list[str], made: Call) -> str:
        value = cast_working(arguments[0], made.type)
        if len(arguments) > 1:
            unit = arguments[1]
            return f"({compute_once(lambda x: write_multiple(word, x, unit), value)} // {unit})"
        return value if made.type is Type.INTEGER else f"{word}({value})"

    return form


def _rounded(arguments: list[str], made: Call) -> str:
    """Halves go away from zero. Digits are constants; DuckDB's own rounding of whole numbers can overflow."""
    given = made.arguments[1] if len(made.arguments) > 1 else None
    digits = given.value if isinstance(given, Literal) and isinstance(given.value, int) else 0
    value = cast_working(arguments[0], made.type)
    if made.type is not Type.INTEGER:
        return f"round({value}, {digits})"
    if digits >= 0:
        return value
    unit, half = (f"CAST({write_text(str(each))} AS HUGEINT)" for each in (10**-digits, 10**-digits // 2))
    return compute_once(lambda x: f"(CAST(sign({x}) AS HUGEINT) * (((abs({x}) + {half}) // {unit}) * {unit}))", value)


def _curve(word: str) -> Form:
    low, high = DOMAINS[word]
    return lambda arguments, made: f"{word}({hold_within(_double(arguments[0]), low, high)})"


def _power(arguments: list[str], made: Call) -> str:
    return hold_within(f"pow({_double(arguments[0])}, {_double(arguments[1])})", LEAST, MOST)


def _angle(arguments: list[str], made: Call) -> str:
    first, second = (hold_within(_double(argument), LEAST, MOST) for argument in arguments)
    return f"atan2({first}, {second})"


def _bucket(arguments: list[str], made: Call) -> str:
    """0 below, one more than there are buckets above; NULL and NaN are in none. All but the value are constants."""
    low, high = (_double(argument) for argument in arguments[1:3])
    count = arguments[3]

    def body(x: str) -> str:
        place = f"TRY_CAST(floor(({x} - {low}) / ({high} - {low}) * {_double(count)}) AS HUGEINT)"
        return (
            f"(CASE WHEN {x} < {low} THEN 0 WHEN {x} < {high} THEN least({place} + 1, {count}) "
            f"WHEN {x} <= CAST('inf' AS DOUBLE) THEN {count} + 1 END)"
        )

    return compute_once(body, _double(arguments[0]))


def _to_boolean(arguments: list[str], made: Call) -> str:
    return f"TRY_CAST({arguments[0]} AS BOOLEAN)"


def _written(value: str, pattern: str) -> str:
    """Return the part of a text that is a number of this form, or nothing that could be cast to one."""
    return compute_once(
        lambda x: f"(CASE WHEN length({x}) <= {LONGEST} THEN regexp_extract({x}, {write_text(pattern)}, 1) END)", value
    )


def _to_integer(arguments: list[str], made: Call) -> str:
    """Floats go to the nearest whole number, halves to the even one; what 64 bits do not hold is NULL."""
    given, value = made.arguments[0].type, arguments[0]
    if given is Type.TEXT:
        value = _written(value, WHOLE)
    elif given in (Type.FLOAT, Type.DECIMAL):
        value = f"round_even({_double(value)}, 0)"
    return f"TRY_CAST({value} AS BIGINT)"


def write_last_places(value: str, digits: int, scale: int) -> str:
    """Return a DECIMAL(digits, scale) as the whole number of its last places; none of these ways can overflow.

    DuckDB multiplies decimals of up to 18 digits in 64 bits, and fails where a product has more: then one is widened.
    """
    kind = "BIGINT" if digits <= 18 else "HUGEINT"
    if scale == 0:
        return f"CAST({value} AS {kind})"
    if digits <= 18 < digits + scale:
        value = f"CAST({value} AS DECIMAL(19,{scale}))"
    if max(digits, 19) + scale < 38:
        return f"CAST({value} * CAST(1{'0' * scale} AS DECIMAL({scale + 1},0)) AS {kind})"
    return f"CAST(replace(CAST({value} AS VARCHAR), '.', '') AS {kind})"


def _to_decimal(arguments: list[str], made: Call) -> str:
    """Whole numbers that are not too large, and texts of numbers in last places, as DuckDB casts them."""
    most = cast_working(arguments[1], Type.INTEGER)
    if made.arguments[0].type is not Type.TEXT:
        return hold_within(cast_working(arguments[0], Type.INTEGER), f"(-{most})", most)
    scale = count_zeros(made.arguments[2])
    found = f"TRY_CAST({_written(arguments[0], PLAIN)} AS DECIMAL(38,{scale}))"
    return hold_within(compute_once(lambda x: write_last_places(x, 38, scale), found), f"(-{most})", most)


def _to_float(arguments: list[str], made: Call) -> str:
    """Numbers and texts of them; a whole number may stand for so many parts of a unit."""
    if len(arguments) > 1:
        return f"({_double(arguments[0])} / {_double(arguments[1])})"
    if made.arguments[0].type is Type.TEXT:
        return hold_within(f"TRY_CAST({_written(arguments[0], DECIMAL)} AS DOUBLE)", LEAST, MOST)
    return f"TRY_CAST({arguments[0]} AS DOUBLE)"


MATH: dict[str, Form] = {
    "add": _exact("+"),
    "sub": _exact("-"),
    "mul": _exact("*"),
    "neg": lambda arguments, made: f"(-{cast_working(arguments[0], made.type)})",
    "div": _divided,
    "int_div": _whole_part,
    "mod": _remainder,
    "abs": lambda arguments, made: f"abs({cast_working(arguments[0], made.type)})",
    "sign": _sign,
    "floor": _stepped("floor"),
    "ceil": _stepped("ceil"),
    "trunc": _stepped("trunc"),
    "round": _rounded,
    **{word: _curve(word) for word in DOMAINS},
    "pow": _power,
    "atan2": _angle,
    "width_bucket": _bucket,
    "as_boolean": _to_boolean,
    "as_integer": _to_integer,
    "as_decimal": _to_decimal,
    "as_float": _to_float,
}
