"""What an audit is asked, as floats: a claim, a delta, a confidence. Of a fraction or decimal it is the nearest.

What means nothing is refused before anything is drawn.
"""

from __future__ import annotations

from discreet.base import check

FARTHEST_CLAIM = 300.0
"""A claim beyond is looked at as if it were this one: no outputs tell them apart, and floats hold e to the double."""


def read_claim(value: object, name: str = "claim") -> float:
    """Return an epsilon that somebody claims: a finite number, not negative."""
    return float(check.real(name, value, least=0))


def read_delta(value: object) -> float:
    """Return a delta: a number in [0, 1)."""
    return float(check.delta("delta", float(check.delta("delta", value))))


def read_confidence(value: object) -> float:
    """Return a confidence: a number strictly between 0 and 1."""
    return float(check.confidence(float(check.confidence(value))))
