"""Numbers exactly as they are written: 0.1 is one tenth, on the way in and on the way out."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

DIGITS = 120
"""A number has at most this many digits before and after its point; longer ones are no public facts but accidents."""


def parse_number(text: str) -> Decimal:
    """Return the decimal that the text writes; NaN for what no decimal can hold."""
    try:
        return Decimal(text.replace("_", ""))
    except decimal.InvalidOperation:
        return Decimal("NaN")


def fraction(value: object) -> Fraction | None:
    """Return the exact number that a TOML value is; None for what is no number, not finite or absurdly long.

    >>> fraction(Decimal("0.1"))
    Fraction(1, 10)
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    if isinstance(value, int):
        return Fraction(value) if abs(value) < 10**DIGITS else None
    if not value.is_finite():
        return None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -DIGITS or value.adjusted() >= DIGITS:
        return None
    return Fraction(value)


def write_number(number: Fraction) -> str:
    """Return a number as its shortest decimal, or as a quotient where it has none; equal numbers give equal text.

    >>> [write_number(Fraction(each)) for each in ("1/100", "10/4", "3", "1/3")]
    ['0.01', '2.5', '3', '1/3']
    >>> write_number(Fraction(1, 10**9))
    '1e-9'
    """
    places, rest = 0, number.denominator
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        places = max(places, power)
    if rest != 1:
        return f"{number.numerator}/{number.denominator}"
    digits = number.numerator * 10**places // number.denominator
    if places > 6:
        return f"{digits}e-{places}"
    whole, part = divmod(abs(digits), 10**places)
    sign = "-" if digits < 0 else ""
    return f"{sign}{whole}" + (f".{part:0{places}}" if places else "")


def round_below(number: Fraction) -> str:
    """Return a decimal of two digits that is at most this positive number.

    >>> round_below(Fraction(1, 300))
    '3.3e-3'
    """
    context = decimal.Context(prec=2, rounding=decimal.ROUND_DOWN)
    return f"{context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize():e}"
