"""An odometer: a bound on what was spent so far, valid at every time, with no budget set in advance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import DiscreetError
from discreet.base.rounding import ball, rounded_up
from discreet.privacy.amounts import read_decimal
from discreet.privacy.charges import add_up, charge_of
from discreet.privacy.filter import Sums
from discreet.privacy.loss import Loss
from discreet.privacy.losses.guarantees import ApproximateLoss


@dataclass(frozen=True)
class Odometer:
    """A running bound on what was spent, valid at every time at once (Whitehouse, Ramdas, Rogers, Wu 2023, section 5).

    Levels of rho double from `first`. While the sum of rho is at most level j, the privacy loss exceeds rho_j + 2
    sqrt(rho_j ln(1 / delta_j)) at any time with probability at most delta_j (Ville's inequality for the loss's
    supermartingale); the delta_j = delta / ((j + 1)(j + 2)) add up to delta over all levels.

    The sum of epsilons bounds the privacy loss at every time and on every transcript, whatever the analyst does: each
    release's likelihood ratio is at most e^epsilon given all earlier answers (Rogers, Roth, Ullman, Vadhan 2016). So
    at any time the loss exceeds the lesser of both bounds only where it exceeds the first: with probability delta in
    all. Charges with deltas of their own keep to this but for events whose probabilities add up to those deltas.
    """

    delta: float
    first: float = 1e-4
    spent: Sums = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """The sums of epsilon, rho and delta, rounded up."""

    def __post_init__(self) -> None:
        check.real("delta", self.delta, above=0, below=1)
        check.positive("first", self.first)

    def spend(self, loss: Loss) -> Odometer:
        """Return the odometer after one more loss; there is no budget, so everything fits."""
        charge = charge_of(loss)
        costs = (charge.epsilon, charge.rho, charge.delta)
        return replace(self, spent=tuple(add_up(a, b) for a, b in zip(self.spent, costs, strict=True)))

    def reading(self) -> ApproximateLoss:
        """Return the (epsilon, delta) that all releases so far keep, read as often as one likes."""
        epsilon, rho, lost = self.spent
        if not math.isfinite(rho):
            raise DiscreetError("a loss without a rho was spent: no epsilon bounds it")
        if rho == 0:
            return ApproximateLoss(0.0, Fraction(lost))
        level = 0
        while self.first * 2.0**level < rho:
            level += 1
        top, miss = self.first * 2.0**level, read_decimal(self.delta) / ((level + 1) * (level + 2))
        converted = rounded_up(lambda: ball(top) + 2 * (ball(top) * -ball(miss).log()).sqrt())
        least = min(Fraction(epsilon), Fraction(converted)) if math.isfinite(epsilon) else Fraction(converted)
        return ApproximateLoss(least, read_decimal(self.delta) + Fraction(lost))
