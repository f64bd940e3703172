"""Accuracy of what was chosen: how far it may fall short of the best."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from discreet.answers.numbers import format_percent, format_price
from discreet.base.rounding import float_up


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far the score of what was chosen may fall short of the best, at a confidence: the mechanism's own theorem.

    Of several, the n-th chosen is compared with the n-th best, and the bound holds for all of them at once.
    """

    score: str
    count: int
    bound: Callable[[float], float]

    def describe(self, confidence: float) -> str:
        """Say it in one sentence."""
        sure = f"with probability {format_percent(confidence)}"
        within = f"within {_format_bound(self.bound(float_up(confidence)))} of"
        if self.count == 1:
            return f"{sure}, the {self.score} of what was chosen is {within} the best"
        return f"{sure}, the {self.score} of every n-th chosen is {within} the n-th best"

    def to_dict(self, confidence: float) -> dict[str, object]:
        """Return it as JSON values."""
        many = {} if self.count == 1 else {"count": self.count}
        within = self.bound(float_up(confidence))
        return {"confidence": float(confidence), "score": self.score, "within": within, **many}


def _format_bound(value: float) -> str:
    """Return a bound, large ones rounded up to whole numbers.

    >>> _format_bound(1069539.2), _format_bound(12.0)
    ('1,069,540', '12')
    """
    return f"{math.ceil(value):,}" if 1_000 <= value < math.inf else format_price(value)
