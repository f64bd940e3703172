"""Python values and texts as constants of the plan, exactly or not at all."""

from __future__ import annotations

import datetime as dt
import sys
from decimal import Decimal
from fractions import Fraction

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Constant, Literal
from discreet.plan.functions import MOST_BITS
from discreet.plan.scales import MOST_SCALE, count_places


def to_literal(value: object, name: str = "a constant") -> Literal:
    """Return a Python value as a literal, exactly; floats mean the decimal that they print as.

    Numbers with a point are decimals where these hold them, and floats otherwise.
    """
    if isinstance(value, bool):
        return Literal(value, Type.BOOLEAN)
    if value is None:
        return Literal(None, Type.BOOLEAN)
    if isinstance(value, int) and value.bit_length() <= MOST_BITS:
        return Literal(value, Type.INTEGER)
    if isinstance(value, float):
        value = Decimal(repr(float(value)))
    if isinstance(value, int | Decimal | Fraction):
        if not _holds(value):
            raise QueryError(f"{name} must be a finite number of reasonable size")
        return Literal(Fraction(value), Type.DECIMAL if is_decimal(Fraction(value)) else Type.FLOAT)
    if isinstance(value, str):
        if any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in value):
            raise QueryError(f"{name} holds a NUL character or half of a pair, which no column does")
        return Literal(value, Type.TEXT)
    if isinstance(value, dt.datetime):
        return Literal(parse_moment(value.isoformat(), Type.TIMESTAMP), Type.TIMESTAMP)
    if isinstance(value, dt.date):
        return Literal(value, Type.DATE)
    raise QueryError(f"{name} must be a number, text, true or false, a date or None; got {type(value).__name__}")


def is_decimal(value: Fraction) -> bool:
    """Say whether a number has no more digits than decimals are computed with."""
    places = count_places(value)
    return places <= MOST_SCALE and abs(value) * 10**places < 10**MOST_SCALE


def _holds(value: int | Decimal | Fraction) -> bool:
    """Say whether a float can stand for the number."""
    if isinstance(value, Decimal) and not (value.is_finite() and abs(value.adjusted()) < 400):
        return False
    return abs(Fraction(value)) <= sys.float_info.max


def parse_moment(text: str, wanted: Type) -> Constant:
    """Return the date or the time that a text tells; times without a zone are in UTC."""
    try:
        if wanted is Type.DATE:
            return dt.date.fromisoformat(text)
        return _utc(dt.datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise QueryError(f"{text!r} is not a {wanted}; write it as 2026-03-01 or 2026-03-01 12:30:00") from None


def _utc(moment: dt.datetime) -> dt.datetime:
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)
