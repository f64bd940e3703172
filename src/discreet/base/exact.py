"""Exact numbers as text: a fraction in lowest terms, or `inf`. One number has one text, and it comes back unchanged."""

from __future__ import annotations

import math
import re
import sys
from fractions import Fraction

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError

_WRITTEN = re.compile(r"inf|(?:0|-?[1-9][0-9]*)(?:/[1-9][0-9]*)?", re.ASCII)


def to_exact(name: str, value: object) -> Exact:
    """Return a number that is at least 0 as a Fraction equal to it, or infinity as the float that it is.

    >>> to_exact("epsilon", 0.5), to_exact("epsilon", float("inf"))
    (Fraction(1, 2), inf)
    """
    if isinstance(value, float) and value == math.inf:
        return math.inf
    return Fraction(check.real(name, value, least=0))


def to_float(value: Fraction, beyond: float = sys.float_info.max) -> float:
    """Return the nearest float; what lies beyond all floats becomes plus or minus `beyond`, and nothing raises.

    >>> to_float(Fraction(1, 2)), to_float(Fraction(-(10**400)), math.inf)
    (0.5, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.copysign(beyond, 1 if value > 0 else -1)


def write_exact(value: Exact) -> str:
    """Return the one text of a number: two numbers are equal exactly when their texts are.

    >>> write_exact(Fraction(2, 20)), write_exact(0.1), write_exact(math.inf), write_exact(3.0)
    ('1/10', '3602879701896397/36028797018963968', 'inf', '3')
    """
    if value == math.inf:
        return "inf"
    if not math.isfinite(value):
        raise ParameterError("value", value, "a finite number or infinity")
    return str(Fraction(value))


def read_exact(text: str) -> Exact:
    """Return the number with this text; a text that `exact_text` would not write is refused.

    >>> read_exact("1/10"), read_exact("inf")
    (Fraction(1, 10), inf)
    """
    if not isinstance(text, str) or not _WRITTEN.fullmatch(text):
        raise ParameterError("number", text, "a fraction in lowest terms such as 1/10, a whole number or inf")
    value: Exact = math.inf if text == "inf" else Fraction(text)
    if write_exact(value) != text:
        raise ParameterError("number", text, f"written in lowest terms, {write_exact(value)}")
    return value
