"""Forms of arithmetic, mathematical functions and casts: numbers or NULL, whatever they are given.

Where an argument has no result (the root of -1), or the result is beyond all floats, it is NULL. NaN and infinite
arguments of curves such as SQRT and SIN give NULL too; sums, products and FLOOR, CEIL, ROUND, TRUNC and ABS keep them.
"""

from __future__ import annotations

import math
import string
import sys
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines.shapes import MOST_WHOLE, Form, count_zeros, write_fitting, write_multiple
from discreet.engines.spark.division import truncated
from discreet.engines.spark.literals import WIDE, cast_working, write_number, write_text
from discreet.engines.spark.once import compute_once, held
from discreet.engines.spark.rounding import ceiled, floored, nearest, rounded_whole, toward_zero
from discreet.plan.expressions import Call, Literal
from discreet.plan.functions import count_bits, may_overflow

MOST = write_number(Fraction(sys.float_info.max))
LEAST = write_number(Fraction(-sys.float_info.max))
TINY = write_number(Fraction(5e-324))
ZERO, ONE, MINUS_ONE = write_number(Fraction(0)), write_number(Fraction(1)), write_number(Fraction(-1))
HALF_TURN = write_number(Fraction(math.pi))
INFINITE = "CAST('Infinity' AS DOUBLE)"

DOMAINS = {
    "sqrt": (ZERO, MOST),
    "exp": (LEAST, write_number(Fraction(math.log(sys.float_info.max)))),
    "ln": (TINY, MOST),
    "log10": (TINY, MOST),
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

FIRST_LONG, LAST_LONG = write_number(Fraction(-(2**63))), write_number(Fraction(2**63 - 1024))
"""The floats that 64 bits hold lie between these; Spark's own check lets 2^63 through, as one less."""

SHORT = r"\A(?=[\x00-\x7F]{0,400}\z) *"
WHOLE = rf"{SHORT}([+-]?[0-9]+) *\z"
DECIMAL = rf"{SHORT}([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?0*[0-9]{{1,3}})?) *\z"
"""What a text of a number looks like: short, and no hexadecimals, suffixes or words, which engines read differently."""

PLAIN = rf"{SHORT}([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)) *\z"
"""One without an exponent, which engines take for a decimal in different ways."""

TRUE, FALSE = (
    ", ".join(map(write_text, words)) for words in (("true", "t", "1", "yes", "y"), ("false", "f", "0", "no", "n"))
)
LOWER, UPPER = write_text(string.ascii_lowercase), write_text(string.ascii_uppercase)


def _double(argument: str) -> str:
    return f"CAST({argument} AS DOUBLE)"


def _exact(word: str) -> Form:
    """Whole numbers in 38 digits, or NULL where these are not enough; others as floats."""
    most = write_number(Fraction(MOST_WHOLE))

    def form(arguments: list[str], made: Call) -> str:
        first, second = (cast_working(argument, made.type) for argument in arguments)
        if may_overflow(made):
            return compute_once(lambda a, b: write_fitting(word, a, b, _double, most), first, second)
        return f"({first} {word} {second})"

    return form


def _divided(arguments: list[str], made: Call) -> str:
    return f"try_divide({_double(arguments[0])}, {_double(arguments[1])})"


def _whole_part(arguments: list[str], made: Call) -> str:
    above, below = (cast_working(argument, Type.INTEGER) for argument in arguments)
    return truncated(above, below, count_bits(made.arguments[0]))


def _remainder(arguments: list[str], made: Call) -> str:
    above, below = (cast_working(argument, made.type) for argument in arguments)
    found = f"try_mod({above}, {below})"
    return found if made.type is Type.INTEGER else held(found, LEAST, MOST)


def _sign(arguments: list[str], made: Call) -> str:
    """NaN has no sign."""
    is_whole = made.arguments[0].type is Type.INTEGER
    value = arguments[0] if is_whole else _double(arguments[0])

    def body(x: str) -> str:
        missing = "" if is_whole else f"WHEN isnan({x}) THEN NULL "
        return f"(CASE {missing}WHEN {x} > 0 THEN 1 WHEN {x} < 0 THEN -1 WHEN {x} = 0 THEN 0 END)"

    return compute_once(body, value)


def _stepped(step: Form) -> Form:
    """FLOOR, CEIL and TRUNC, which leave whole numbers as they are but where they are parts of a unit."""

    def form(arguments: list[str], made: Call) -> str:
        value = cast_working(arguments[0], made.type)
        if len(arguments) > 1:
            unit = arguments[1]
            return truncated(compute_once(lambda x: write_multiple(made.function, x, unit), value), unit)
        return value if made.type is Type.INTEGER else step([value], made)

    return form


def _rounded(arguments: list[str], made: Call) -> str:
    """Halves go away from zero; digits are constants."""
    given = made.arguments[1] if len(made.arguments) > 1 else None
    digits = given.value if isinstance(given, Literal) and isinstance(given.value, int) else 0
    value = cast_working(arguments[0], made.type)
    return rounded_whole(value, digits) if made.type is Type.INTEGER else nearest(value, digits)


def _curve(word: str) -> Form:
    low, high = DOMAINS[word]
    return lambda arguments, made: f"{word}({held(_double(arguments[0]), low, high)})"


def _log2(arguments: list[str], made: Call) -> str:
    """Spark divides two logarithms; where that is nearly a whole number, powers of two tell whether it is one."""

    def body(x: str) -> str:
        near = f"rint(log2({x}))"
        return f"(CASE WHEN pow(CAST(2 AS DOUBLE), {near}) = {x} THEN {near} ELSE log2({x}) END)"

    return compute_once(body, held(_double(arguments[0]), TINY, MOST))


def _power(arguments: list[str], made: Call) -> str:
    """In Java, 1 and -1 to the power of what is not finite is no number; everywhere else it is 1."""

    def body(x: str, y: str) -> str:
        one = f"{y} IS NOT NULL AND ({x} = 1 OR ({x} = -1 AND abs({y}) = {INFINITE}))"
        return f"(CASE WHEN {one} THEN {ONE} ELSE pow({x}, {y}) END)"

    return held(compute_once(body, *map(_double, arguments)), LEAST, MOST)


def _angle(arguments: list[str], made: Call) -> str:
    """Spark's own takes -0.0 for 0.0, and thereby the wrong side of a half turn."""

    def body(y: str, x: str) -> str:
        turned = f"CASE WHEN CAST({y} AS STRING) = '-0.0' THEN - {HALF_TURN} ELSE {HALF_TURN} END"
        back = f"{x} < 0 OR CAST({x} AS STRING) = '-0.0'"
        flat = f"CASE WHEN {back} THEN {turned} WHEN {x} >= 0 THEN {y} END"
        return f"(CASE WHEN {y} = 0 THEN {flat} ELSE atan2({y}, {x}) END)"

    return compute_once(body, *(held(_double(argument), LEAST, MOST) for argument in arguments))


def _bucket(arguments: list[str], made: Call) -> str:
    """0 below, one more than there are buckets above; NULL and NaN are in none. All but the value are constants."""
    low, high = (_double(argument) for argument in arguments[1:3])
    count = cast_working(arguments[3], Type.INTEGER)

    def body(x: str) -> str:
        steps = f"try_divide({x} - {low}, {high} - {low}) * {_double(count)}"
        place = f"(CASE WHEN {steps} < {_double(count)} THEN floor({steps}) + 1 ELSE {count} END)"
        return (
            f"(CASE WHEN {x} < {low} THEN 0 WHEN {x} < {high} THEN {place} WHEN {x} <= {INFINITE} THEN {count} + 1 END)"
        )

    return compute_once(body, _double(arguments[0]))


def _to_boolean(arguments: list[str], made: Call) -> str:
    """NaN is not 0, hence true."""
    if made.arguments[0].type is not Type.TEXT:
        return f"CAST({arguments[0]} AS BOOLEAN)"
    lowered = f"translate({arguments[0]}, {UPPER}, {LOWER})"
    return compute_once(
        lambda x: f"(CASE WHEN {x} IN ({TRUE}) THEN TRUE WHEN {x} IN ({FALSE}) THEN FALSE END)", lowered
    )


def _to_integer(arguments: list[str], made: Call) -> str:
    """Floats go to the nearest whole number, halves to the even one; what 64 bits do not hold is NULL."""
    given, value = made.arguments[0].type, arguments[0]
    if given is Type.TEXT:
        value = f"regexp_extract({value}, {write_text(WHOLE)}, 1)"
    elif given in (Type.FLOAT, Type.DECIMAL):
        value = held(f"rint({_double(value)})", FIRST_LONG, LAST_LONG)
    return f"try_cast({value} AS BIGINT)"


def write_last_places(value: str, digits: int, scale: int) -> str:
    """Return a DECIMAL(digits, scale) as the whole number of its last places.

    A product of more than 38 digits would be rounded. In ANSI mode a text of a decimal has no exponent.
    """
    kind = "BIGINT" if digits <= 18 else WIDE
    if scale == 0:
        return f"CAST({value} AS {kind})"
    if digits + scale + 2 <= 38:
        return f"CAST({value} * CAST('1{'0' * scale}' AS DECIMAL({scale + 1},0)) AS {kind})"
    return f"CAST(replace(CAST({value} AS STRING), '.', '') AS {kind})"


def _to_decimal(arguments: list[str], made: Call) -> str:
    """Whole numbers that are not too large, and texts of numbers in last places, halves away from zero."""
    most = cast_working(arguments[1], Type.INTEGER)
    if made.arguments[0].type is not Type.TEXT:
        return held(cast_working(arguments[0], Type.INTEGER), f"(- {most})", most)
    digits, scale = count_zeros(made.arguments[1]) + 1, count_zeros(made.arguments[2])
    text = f"regexp_extract({arguments[0]}, {write_text(PLAIN)}, 1)"
    found = f"try_cast({text} AS DECIMAL({digits},{scale}))"
    return cast_working(compute_once(lambda x: write_last_places(x, digits, scale), found), Type.INTEGER)


def _to_float(arguments: list[str], made: Call) -> str:
    """Numbers and texts of them; a whole number may stand for so many parts of a unit."""
    if len(arguments) > 1:
        return f"({_double(arguments[0])} / {_double(arguments[1])})"
    if made.arguments[0].type is Type.TEXT:
        found = f"try_cast(regexp_extract({arguments[0]}, {write_text(DECIMAL)}, 1) AS DOUBLE)"
        return held(found, LEAST, MOST)
    return _double(arguments[0])


MATH: dict[str, Form] = {
    "add": _exact("+"),
    "sub": _exact("-"),
    "mul": _exact("*"),
    "neg": lambda arguments, made: f"(- {cast_working(arguments[0], made.type)})",
    "div": _divided,
    "int_div": _whole_part,
    "mod": _remainder,
    "abs": lambda arguments, made: f"abs({cast_working(arguments[0], made.type)})",
    "sign": _sign,
    "floor": _stepped(lambda arguments, made: floored(arguments[0])),
    "ceil": _stepped(lambda arguments, made: ceiled(arguments[0])),
    "trunc": _stepped(lambda arguments, made: toward_zero(arguments[0])),
    "round": _rounded,
    **{word: _curve(word) for word in DOMAINS},
    "log2": _log2,
    "pow": _power,
    "atan2": _angle,
    "width_bucket": _bucket,
    "as_boolean": _to_boolean,
    "as_integer": _to_integer,
    "as_decimal": _to_decimal,
    "as_float": _to_float,
}
