"""What limits left out of an answer: a noisy count beside it, with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from discreet.answers.numbers import format_percent
from discreet.base.rounding import float_up
from discreet.base.showing import ShownAsText

USUAL = 0.95
"""The confidence of the interval that is shown where none is named."""


@dataclass(frozen=True, slots=True, repr=False)
class LeftOut(ShownAsText):
    """About how many units, or rows, limits left out. `half_width` is that of an interval at a confidence.

    The value is as it was released, so it may be below zero, which no count is; in words it is then none.
    """

    words: str
    value: int
    half_width: Callable[[float], float]

    def __str__(self) -> str:
        return self.describe(USUAL)

    def describe(self, confidence: float) -> str:
        """Say it in one sentence.

        >>> LeftOut("units had more than max_rows = 20 rows", 1213, lambda confidence: 30)
        about 1,213 +- 30 units had more than max_rows = 20 rows (95 %)
        """
        width = math.ceil(self.half_width(float_up(confidence)))
        return f"about {max(self.value, 0):,} +- {width:,} {self.words} ({format_percent(confidence)})"

    def to_dict(self, confidence: float) -> dict[str, object]:
        """Return it as JSON values."""
        width = self.half_width(float_up(confidence))
        return {"what": self.words, "value": self.value, "within": width, "confidence": float(confidence)}
