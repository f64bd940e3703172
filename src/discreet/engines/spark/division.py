"""Whole numbers of 38 digits divided exactly: Spark's own division of decimals rounds, and its DIV holds 64 bits.

`a / b` of two DECIMAL(38,0) is a DECIMAL(38,6): 32 digits before the point, and NULL by `try_divide` beyond. A multiple
of b divided by b is exact there. Where the quotient is below 10^32 that is all; a larger one has |b| below 10^7, and is
found from two shorter ones: with a = h * 10^8 + l and h = q * b + r, it is q * 10^8 + (r * 10^8 + l) / b, where nothing
is longer than 38 digits. Everything is cut toward zero, and `%` has the sign of a, so that signs need no care.
"""

from __future__ import annotations

from discreet.engines.spark.literals import WIDE, write_whole
from discreet.engines.spark.once import compute_once

SPLIT = 10**8
SHORT_BITS = 106
"""2^106 is below 10^32."""


def truncated(above: str, below: str, bits: int = 127) -> str:
    """Return a / b cut toward zero, NULL where b is 0; a takes at most so many bits."""
    if bits <= SHORT_BITS:
        return compute_once(_multiple, above, below)
    return compute_once(
        lambda a, b: f"(CASE WHEN abs({b}) < {10**7} THEN {_split(a, b)} ELSE {_multiple(a, b)} END)", above, below
    )


def _multiple(a: str, b: str) -> str:
    """Return the quotient where it is below 10^32."""
    return f"CAST(try_divide({a} - try_mod({a}, {b}), {b}) AS {WIDE})"


def _split(a: str, b: str) -> str:
    unit = write_whole(SPLIT)
    high, low = f"CAST(({a} - {a} % {unit}) / {unit} AS {WIDE})", f"({a} % {unit})"
    rest = f"(try_mod({high}, {b}) * {unit} + {low})"
    return f"({_multiple(high, b)} * {unit} + {_multiple(rest, b)})"
