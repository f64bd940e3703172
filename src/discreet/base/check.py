"""Checks of public parameters: each returns the value it was given, in one exact form, or raises.

Only parameters are checked here (scales, epsilons, shapes). Data never raises: see `grid` and `wide`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational

from discreet.base.errors import ParameterError

Exact = float | Fraction
"""A real number in the range of floats, held exactly: a float, or a Fraction where no float is equal to it."""


def real(
    name: str,
    value: object,
    *,
    above: float | None = None,
    below: float | None = None,
    least: float | None = None,
    most: float | None = None,
) -> Exact:
    """Return the exact finite real number `value`, inside the bounds given (`above` and `below` are open)."""
    number = _exact(value)
    if (
        number is None
        or (above is not None and number <= above)
        or (below is not None and number >= below)
        or (least is not None and number < least)
        or (most is not None and number > most)
    ):
        bounds = _bounds(above=above, below=below, least=least, most=most)
        listed = "".join(f"{join}{sign} {bound:g}" for join, sign, bound in bounds)
        raise ParameterError(name, value, f"a finite number{listed}")
    return number


def integer(name: str, value: object, *, least: int | None = None, most: int | None = None) -> int:
    """Return the whole number `value`, inside the bounds given (both included)."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        listed = "".join(f"{join}{sign} {bound}" for join, sign, bound in _bounds(least=least, most=most))
        raise ParameterError(name, value, f"a whole number{listed}")
    return number


def positive(name: str, value: object) -> Exact:
    """Return a finite number above zero: epsilons, scales, sensitivities."""
    return real(name, value, above=0)


def delta(name: str, value: object) -> Exact:
    """Return a number in [0, 1)."""
    return real(name, value, least=0, below=1)


def confidence(value: object) -> Exact:
    """Return a number strictly between 0 and 1."""
    return real("confidence", value, above=0, below=1)


def choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return `value` where it is one of the words allowed."""
    if value not in allowed:
        raise ParameterError(name, value, "one of " + ", ".join(repr(word) for word in allowed))
    return str(value)


def flag(name: str, value: object) -> bool:
    """Return True or False, nothing else."""
    if not isinstance(value, bool):
        raise ParameterError(name, value, "True or False")
    return value


def shape(name: str, value: object) -> tuple[int, ...]:
    """Return an array shape: a whole number or a tuple of them, none negative."""
    parts = value if isinstance(value, tuple) else (value,)
    if any(isinstance(part, bool) or not isinstance(part, Integral) or part < 0 for part in parts):
        raise ParameterError(name, value, "a whole number >= 0 or a tuple of them")
    return tuple(int(part) for part in parts)


def _bounds(**bounds: float | None) -> list[tuple[str, str, float]]:
    signs = {"above": ">", "below": "<", "least": ">=", "most": "<="}
    given = [(signs[word], bound) for word, bound in bounds.items() if bound is not None]
    return [(" " if first else " and ", sign, bound) for (first, (sign, bound)) in _marked(given)]


def _marked(given: list[tuple[str, float]]) -> list[tuple[bool, tuple[str, float]]]:
    return [(position == 0, bound) for position, bound in enumerate(given)]


def _short_float(value: object) -> bool:
    """Say whether this is a numpy float that a Python float can hold: not a long double, which would be rounded."""
    return type(value).__name__ in ("float16", "float32")


def _exact(value: object) -> Exact | None:
    if isinstance(value, Decimal):
        value = Fraction(value) if value.is_finite() else math.nan
    if isinstance(value, bool) or not (isinstance(value, float | Rational) or _short_float(value)):
        return None
    if isinstance(value, Rational):
        fraction = Fraction(int(value.numerator), int(value.denominator))
        try:
            nearest = float(fraction)
        except OverflowError:
            return None
        return nearest if nearest == fraction else fraction
    number = float(value)  # type: ignore[arg-type]
    return number if math.isfinite(number) else None
