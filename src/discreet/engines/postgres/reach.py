"""How large and how small the finite numbers of an expression can be: what needs no guard gets none."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal

Reach = tuple[int, int]
"""(low, high): every value, as a float, is 0, infinite, NaN, or 2^low <= |value| < 2^high."""

ANY: Reach = (-1074, 1024)
WHOLE: Reach = (0, 127)
"""Whole numbers have at most 126 bits; the nearest float of one may be 2^126."""

CURVES: dict[str, Reach] = {
    "sqrt": (-537, 513),
    "ln": (-54, 11),
    "log10": (-56, 10),
    "log2": (-54, 12),
    "sin": (-1074, 1),
    "cos": (-1074, 1),
    "asin": (-1074, 2),
    "acos": (-1074, 3),
    "atan": (-1074, 2),
    "atan2": (-1074, 3),
}


def bound_reach(expression: Expression) -> Reach:
    """Return the reach of a number."""
    if expression.type is Type.INTEGER and not isinstance(expression, Literal):
        return WHOLE
    if isinstance(expression, Column):
        return ANY
    if isinstance(expression, Literal):
        return of_constant(expression.value)
    return _call(expression)


def of_constant(value: object) -> Reach:
    """Return the reach of one number; 0 and NULL reach nowhere, so the smallest there is stands for them."""
    at = float(value) if isinstance(value, int | Fraction) else 0.0
    exponent = math.frexp(at)[1] if at else 1
    return exponent - 1, exponent


def _call(made: Call) -> Reach:
    name, inner = made.function, [bound_reach(argument) for argument in made.arguments if argument.type.numeric]
    if name in CURVES:
        return CURVES[name]
    if name in ("abs", "neg") and inner:
        return inner[0]
    if name in ("floor", "ceil", "trunc") and inner:
        return 0, min(inner[0][1] + 1, 1024) if inner[0][1] > 0 else 1
    if name == "as_float" and len(inner) > 1:  # so many parts of a unit of 38 digits at most
        return inner[0][0] - 127, inner[0][1]
    if name == "as_float" and inner:
        return inner[0]
    if name in ("case", "coalesce", "least", "greatest") and inner:
        return min(low for low, _ in inner), max(high for _, high in inner)
    if name in ("add", "sub"):
        return max(min(low for low, _ in inner) - 53, -1074), min(max(high for _, high in inner) + 1, 1024)
    if name == "mul":
        return max(sum(low for low, _ in inner), -1074), min(sum(high for _, high in inner) + 1, 1024)
    if name == "div":
        (low, high), (least, most) = inner
        return max(low - most - 1, -1074), min(high - least + 1, 1024)
    return ANY
