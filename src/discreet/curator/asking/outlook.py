"""How a question would be answered without a new run of its own, for `explain`: from public facts alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from discreet.answers.numbers import format_price
from discreet.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Outlook:
    """How a question would be answered other than by a new run of its own: from what, at which cost, how well.

    `half_width` gives the widest interval of its counts at a confidence; without it, that of a direct answer.
    """

    way: str
    cost: str
    half_width: Callable[[float], float] | None = None


def describe_share(ledger: Ledger, charges: Sequence[int], analyst: str | None) -> str:
    """Say what an answer made from these charges costs whoever asks: nothing, or what their own cap pays."""
    share = ledger.find_share(charges, analyst)
    named = [(name, getattr(share, name)) for name in ("epsilon", "rho", "delta")]
    parts = [f"{name} {format_price(value)}" for name, value in named if value and math.isfinite(value)]
    return f"{', '.join(parts)} of {analyst}'s own cap; the budget pays nothing" if parts else "nothing"
