"""Numbers for people: no more digits than the interval justifies, and an interval that is never shown too narrow."""

from __future__ import annotations

import math
from datetime import datetime
from decimal import Context, Decimal
from fractions import Fraction

from discreet.answers.fields import Number, is_finite, to_utc
from discreet.base.check import Exact

MISSING = "-"
SIGNIFICANT = 2
"""How many digits of an interval's half-width are shown."""

_LEFT_BY_FLOATS = Fraction(1, 10**9)
_PLAIN_BELOW, _PLAIN_PLACES, _FLOAT_DIGITS = 10**15, 9, 17


def format_value(value: object, pair: tuple[Number, Number] | None = None, noisy: bool = True) -> str:
    """Return a value as a person reads it.

    Whole numbers and decimals are exact, with separators where they are noisy (a key such as a year has none). Floats
    get two digits of their interval's half-width, or six digits where there is no interval; as keys they are exact.

    >>> format_value(1234567), format_value(2024, noisy=False), format_value(None)
    ('1,234,567', '2024', '-')
    >>> format_value(300.0, noisy=False), format_value(2.5, noisy=False)
    ('300', '2.5')
    >>> format_value(3.14159265, (3.0, 3.28318530))
    '3.14'
    """
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return to_utc(value).isoformat(" ").removesuffix("+00:00") + "Z"
    if not isinstance(value, int | float | Decimal) or not noisy:
        return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Decimal):
        return f"{value:,f}" if value.is_finite() and -30 <= value.adjusted() <= 30 else str(value)
    if not math.isfinite(value):
        return str(value)
    half = half_width(value, pair)
    if not half:
        return f"{value:,.6g}"
    places = _places(value, half)
    if _scientific(value, places):
        if not value:
            return "0"
        digits = exponent(Fraction(value)) + places
        return f"{value:.{min(max(digits, 1), _FLOAT_DIGITS - 1)}e}"
    return f"{value:,.{places}f}"


def format_interval(value: object, pair: tuple[Number, Number] | None, plus_minus: str = "±") -> str:
    """Return the words for an interval beside its shown value: `± half`, or `(low .. high)` where it is lopsided.

    What is shown covers the interval, but for a part in 10^9 of its width, which sums of floats leave: half-widths
    and upper ends are rounded up, lower ends down.

    >>> format_interval(10, (7, 13)), format_interval(10, (10, 13)), format_interval(10, None)
    ('± 3', '(10 .. 13)', '')
    """
    if pair is None:
        return ""
    half = half_width(value, pair)
    if half is None or not isinstance(value, int | float | Decimal):
        return f"({_end(pair[0], up=False)} .. {_end(pair[1], up=True)})"
    places, text = _places(value, half), format_value(value, pair)
    scientific = isinstance(value, float) and _scientific(value, places)
    low, high = Fraction(pair[0]), Fraction(pair[1])
    if abs((Fraction(value) - low) - (high - Fraction(value))) * 10**6 <= high - low:
        centre = Fraction(text.replace(",", ""))
        left = (high - low) * _LEFT_BY_FLOATS if any(isinstance(x, float) for x in (value, *pair)) else 0
        widest = max(centre - low, high - centre) - left
        return f"{plus_minus} {_rounded(widest, places, scientific, up=True)}"
    return f"({_rounded(low, places, scientific, up=False)} .. {_rounded(high, places, scientific, up=True)})"


def half_width(value: object, pair: tuple[Number, Number] | None) -> Fraction | None:
    """Return half of the interval's width, exactly; None where value or interval is missing or not finite."""
    if pair is None or not all(is_finite(number) for number in (value, *pair)):
        return None
    return (Fraction(pair[1]) - Fraction(pair[0])) / 2


def format_price(value: Exact) -> str:
    """Return what something costs in at most six digits, rounded up (but for a part in 10^12, which floats leave).

    >>> format_price(Fraction(1, 3)), format_price(0.1 + 0.2), format_price(Fraction(20)), format_price(math.inf)
    ('0.333334', '0.3', '20', 'inf')
    """
    if not math.isfinite(value) or not value:
        return f"{value:g}" if value else "0"
    exact = Fraction(value) * (1 - Fraction(1, 10**12))
    places = 5 - exponent(exact)
    number = Decimal(f"{math.ceil(exact * Fraction(10) ** places)}E{-places}").normalize()
    return f"{number:f}" if -6 <= number.adjusted() <= 9 else f"{number:g}"


def format_percent(confidence: float) -> str:
    """Return a confidence in percent.

    >>> format_percent(0.95), format_percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{Decimal(str(float(confidence))) * 100:f}".rstrip("0").rstrip(".") + " %"


def to_float(value: object) -> float:
    """Return a number as a float for drawing; what is missing or no number is NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def exponent(value: Fraction) -> int:
    """Return the power of ten of a number's first digit."""
    context = Context(prec=_FLOAT_DIGITS, Emin=-99999, Emax=99999)
    return context.divide(Decimal(abs(value.numerator)), Decimal(value.denominator)).adjusted()


def _places(value: Number, half: Fraction) -> int:
    """Return how many places after the point to show: negative ones are whole powers of ten."""
    if isinstance(value, int):
        return 0
    wanted = SIGNIFICANT - 1 - exponent(half) if half else 0
    if isinstance(value, Decimal):
        own = value.as_tuple().exponent
        return max(wanted, -own if isinstance(own, int) else 0, 0)
    if value:
        wanted = min(wanted, _FLOAT_DIGITS - 1 - exponent(Fraction(value)))
    return wanted if abs(value) >= _PLAIN_BELOW else max(wanted, 0)


def _scientific(value: float, places: int) -> bool:
    return places > _PLAIN_PLACES or abs(value) >= _PLAIN_BELOW


def _rounded(value: Fraction, places: int, scientific: bool, up: bool) -> str:
    """Return a number rounded up or down at that place."""
    scaled = value * Fraction(10) ** places
    number = Decimal(f"{math.ceil(scaled) if up else math.floor(scaled)}E{-places}")
    return f"{number:e}" if scientific and number else f"{number:,f}"


def _end(value: Number, up: bool) -> str:
    """Return an interval's end where no width tells how many digits count: floats get six, rounded outwards."""
    if not isinstance(value, float) or not math.isfinite(value) or not value:
        return format_value(value)
    places = 5 - exponent(Fraction(value))
    text = _rounded(Fraction(value), places, _scientific(value, places), up)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
