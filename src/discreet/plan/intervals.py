"""Rules of interval arithmetic, one for each function of numbers: ends of the result from ends of the arguments.

Everything is in exact fractions but for curves, which are computed in floats and widened by two of their last digits.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

RangeRule = Fraction | None

FLOATS = Fraction(sys.float_info.max)
LARGE = 4096
"""Bits of a fraction beyond which an end is rounded outward to a float."""


@dataclass(frozen=True, slots=True)
class Ends:
    """A range of which either end may be unknown."""

    lower: RangeRule = None
    upper: RangeRule = None
    step: RangeRule = None

    @property
    def both(self) -> tuple[Fraction, Fraction] | None:
        """Return the two ends where they are known."""
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)


NOTHING = Ends()


def gcd(steps: list[RangeRule]) -> RangeRule:
    """Return the finest step that all values of these grids lie on."""
    known = [step for step in steps if step is not None]
    if len(known) < len(steps) or not known:
        return None
    return reduce(
        lambda a, b: Fraction(
            math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator
        ),
        known,
    )


def _out(value: RangeRule, *, up: bool) -> RangeRule:
    """Return an end that is not too long to go on with: outward to a float, or unknown beyond all of them."""
    if value is None or max(value.numerator.bit_length(), value.denominator.bit_length()) <= LARGE:
        return value
    return None if abs(value) > FLOATS else Fraction(math.nextafter(float(value), math.inf if up else -math.inf))


def _tidy(lower: RangeRule, upper: RangeRule, step: RangeRule = None) -> Ends:
    fine = step is None or max(step.numerator.bit_length(), step.denominator.bit_length()) <= LARGE
    return Ends(_out(lower, up=False), _out(upper, up=True), step if fine else None)


def _sum(a: RangeRule, b: RangeRule) -> RangeRule:
    return None if a is None or b is None else a + b


def _minus(a: RangeRule) -> RangeRule:
    return None if a is None else -a


def _add(a: Ends, b: Ends) -> Ends:
    return _tidy(_sum(a.lower, b.lower), _sum(a.upper, b.upper), gcd([a.step, b.step]))


def _neg(a: Ends) -> Ends:
    return Ends(_minus(a.upper), _minus(a.lower), a.step)


def _sub(a: Ends, b: Ends) -> Ends:
    return _add(a, _neg(b))


def _mul(a: Ends, b: Ends) -> Ends:
    step = None if a.step is None or b.step is None else a.step * b.step
    if a.both is None or b.both is None:
        return _tidy(None, None, step)
    corners = [x * y for x in a.both for y in b.both]
    return _tidy(min(corners), max(corners), step)


def _div(a: Ends, b: Ends) -> Ends:
    """Where the divisor comes near 0 there is no end."""
    if a.both is None or b.both is None or b.both[0] <= 0 <= b.both[1]:
        return NOTHING
    corners = [x / y for x in a.both for y in b.both]
    return _tidy(min(corners), max(corners))


def _int_div(a: Ends, b: Ends) -> Ends:
    """Divisors are whole, so that the quotient is never further from 0 than what is divided."""
    if a.both is None:
        return NOTHING
    if b.both is None or b.both[0] <= 0 <= b.both[1]:
        furthest = max(abs(end) for end in a.both)
        return Ends(-furthest, furthest, Fraction(1))
    corners = [Fraction(math.trunc(x / y)) for x in a.both for y in b.both]
    return _tidy(min(corners), max(corners), Fraction(1))


def _mod(a: Ends, b: Ends) -> Ends:
    """A remainder has the sign of what is divided, and lies nearer to 0 than both."""
    most = None if b.both is None else max(abs(end) for end in b.both)
    lower = Fraction(0) if a.lower is not None and a.lower >= 0 else _furthest(_minus(a.lower), most)
    upper = Fraction(0) if a.upper is not None and a.upper <= 0 else _furthest(a.upper, most)
    return Ends(lower if lower == 0 else _minus(lower), upper)


def _furthest(a: RangeRule, b: RangeRule) -> RangeRule:
    return min((each for each in (a, b) if each is not None), default=None)


def _abs(a: Ends) -> Ends:
    if a.lower is not None and a.lower >= 0:
        return a
    if a.upper is not None and a.upper <= 0:
        return _neg(a)
    return Ends(Fraction(0), None if a.both is None else max(-a.both[0], a.both[1]), a.step)


def _sign(a: Ends) -> Ends:
    return Ends(
        Fraction(-1 if a.lower is None or a.lower < 0 else 0 if a.lower == 0 else 1),
        Fraction(1 if a.upper is None or a.upper > 0 else 0 if a.upper == 0 else -1),
        Fraction(1),
    )


def _stepped(rule: Callable[[Fraction], int]) -> Callable[[Ends], Ends]:
    """Return the rule of a function that never decreases, to whole numbers."""

    def stepped(a: Ends) -> Ends:
        lower, upper = (None if end is None else Fraction(rule(end)) for end in (a.lower, a.upper))
        return Ends(lower, upper, Fraction(1))

    return stepped


def _round(a: Ends, digits: Ends | None = None) -> Ends:
    """Both ends go outward to the grid: floats next to a half may be rounded either way."""
    places = int(digits.lower) if digits is not None and digits.lower is not None else 0
    grid = Fraction(10) ** -places
    if a.step is not None and (a.step / grid).denominator == 1:
        return a
    lower = None if a.lower is None else math.floor(a.lower / grid) * grid
    upper = None if a.upper is None else math.ceil(a.upper / grid) * grid
    return Ends(lower, upper, grid)


def _curve(rule: Callable[[float], float], least: float, bottom: int | None = None) -> Callable[[Ends], Ends]:
    """Return the rule of a curve that never decreases from `least` on, where it is `bottom`; below, it is NULL."""

    def curve(a: Ends) -> Ends:
        if a.upper is not None and a.upper < least:
            return NOTHING
        floor = None if bottom is None else Fraction(bottom)
        lower = floor if a.lower is None or a.lower < least else _at(rule, a.lower, -math.inf)
        return Ends(lower, None if a.upper is None else _at(rule, a.upper, math.inf))

    return curve


def _at(rule: Callable[[float], float], place: Fraction, towards: float) -> RangeRule:
    """Return a curve's value, rounded outward; None where it leaves the floats."""
    try:
        return _widened(rule(float(place)), towards)
    except OverflowError:
        return None


def _widened(value: float, towards: float) -> RangeRule:
    found = math.nextafter(math.nextafter(value, towards), towards)
    return Fraction(found) if math.isfinite(found) else None


def _always(lower: float, upper: float) -> Callable[..., Ends]:
    return lambda *arguments: Ends(_widened(lower, -math.inf), _widened(upper, math.inf))


def _wave(*arguments: Ends) -> Ends:
    return Ends(Fraction(-1), Fraction(1))


def _scaled(factor: float) -> Callable[[Ends], Ends]:
    return lambda a: _mul(a, Ends(_widened(factor, -math.inf), _widened(factor, math.inf)))


def _pow(a: Ends, b: Ends) -> Ends:
    """Constant exponents only. Powers beyond all floats, and roots of negative numbers, are NULL."""
    if a.both is None or b.both is None or b.both[0] != b.both[1]:
        return NOTHING
    (low, high), power = a.both, b.both[0]
    if power.denominator != 1:
        low = max(low, Fraction(0))
    if low > high or (power < 0 and low <= 0 <= high) or (power.denominator != 1 and power < 0 and low <= 0):
        return NOTHING
    ends = [*_raised(low, power), *_raised(high, power)]
    if power.denominator == 1 and power % 2 == 0 and power > 0 and low <= 0 <= high:
        ends.append(Fraction(0))
    known = [end for end in ends if end is not None]
    return _tidy(min(known), max(known)) if len(known) == len(ends) else NOTHING


def _raised(base: Fraction, power: Fraction) -> list[RangeRule]:
    """Return numbers around a power, or that it leaves the floats."""
    if base == 0:
        return [Fraction(1 if power == 0 else 0)]
    digits = base.numerator.bit_length() - base.denominator.bit_length()
    if (abs(digits) - 1) * abs(power) > 1100:
        return [None]
    if power.denominator == 1 and abs(power) <= 64:
        return [Fraction(base ** int(power))]
    try:
        value = Fraction(math.pow(float(base), float(power)))
    except OverflowError:
        return [None]
    return [value * (1 - Fraction(1, 2**45)), value * (1 + Fraction(1, 2**45))]


def _to_integer(a: Ends) -> Ends:
    """Halves go to the even neighbour."""
    lower, upper = (None if end is None else Fraction(round(end)) for end in (a.lower, a.upper))
    return Ends(lower, upper, Fraction(1))


def round_out(a: Ends, unit: Fraction = Fraction(1)) -> Ends:
    """Return the ends of numbers that are rounded to multiples of a unit, in whatever way."""
    if a.step is not None and (a.step / unit).denominator == 1:
        return a
    lower = None if a.lower is None else math.floor(a.lower / unit) * unit
    return Ends(lower, None if a.upper is None else math.ceil(a.upper / unit) * unit, unit)


def _to_decimal(a: Ends, digits: Ends, scale: Ends) -> Ends:
    """What has more digits is NULL, so that every decimal is bounded by how many it has."""
    assert digits.lower is not None
    assert scale.lower is not None
    unit = Fraction(1, 10 ** int(scale.lower))
    most, found = (10 ** int(digits.lower) - 1) * unit, round_out(a, unit)
    lower = -most if found.lower is None else max(found.lower, -most)
    upper = most if found.upper is None else min(found.upper, most)
    return Ends(lower, upper, found.step)


def _bucket(value: Ends, low: Ends, high: Ends, count: Ends) -> Ends:
    return Ends(Fraction(0), _sum(count.upper, Fraction(1)), Fraction(1))


def _not_negative(*arguments: Ends) -> Ends:
    return Ends(Fraction(0), None, Fraction(1))


TINY = 5e-324

RULES: dict[str, Callable[..., Ends]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "int_div": _int_div,
    "mod": _mod,
    "neg": _neg,
    "abs": _abs,
    "sign": _sign,
    "floor": _stepped(math.floor),
    "ceil": _stepped(math.ceil),
    "trunc": _stepped(math.trunc),
    "round": _round,
    "sqrt": _curve(math.sqrt, 0.0, 0),
    "exp": _curve(math.exp, -math.inf, 0),
    "ln": _curve(math.log, TINY),
    "log10": _curve(math.log10, TINY),
    "log2": _curve(math.log2, TINY),
    "sin": _wave,
    "cos": _wave,
    "asin": _always(-math.pi / 2, math.pi / 2),
    "acos": _always(0.0, math.pi),
    "atan": _always(-math.pi / 2, math.pi / 2),
    "atan2": _always(-math.pi, math.pi),
    "radians": _scaled(math.pi / 180),
    "degrees": _scaled(180 / math.pi),
    "pow": _pow,
    "width_bucket": _bucket,
    "as_integer": _to_integer,
    "as_decimal": _to_decimal,
    "as_float": lambda a: a,
    "length": _not_negative,
    "strpos": _not_negative,
    "strlen": _not_negative,
}

WITHOUT = frozenset({"tan", "date_diff"})
"""Functions of whose results nothing is known but their type."""
