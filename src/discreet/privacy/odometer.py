"""An odometer: a bound on what was spent so far, valid at every time, with no budget set in advance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import DiscreetError
from discreet.base.rounding import ball, float_up, rounded_up
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
    """

    delta: float
    first: float = 1e-4
    spent: Sums = field(default=(0.0, 0.0), kw_only=True)

    def __post_init__(self) -> None:
        check.real("delta", self.delta, above=0, below=1)
        check.positive("first", self.first)

    def spend(self, loss: Loss) -> Odometer:
        """Return the odometer after one more loss; there is no budget, so everything fits."""
        charge = charge_of(loss)
        return replace(self, spent=(add_up(self.spent[0], charge.rho), add_up(self.spent[1], charge.delta)))

    def reading(self) -> ApproximateLoss:
        """Return the (epsilon, delta) that all releases so far keep, read as often as one likes."""
        rho, delta = self.spent
        if not math.isfinite(rho):
            raise DiscreetError("a loss without a rho was spent: no epsilon bounds it")
        if rho == 0:
            return ApproximateLoss(0.0, float_up(Fraction(delta)))
        level = 0
        while self.first * 2.0**level < rho:
            level += 1
        top, miss = self.first * 2.0**level, Fraction(self.delta) / ((level + 1) * (level + 2))
        epsilon = rounded_up(lambda: ball(top) + 2 * (ball(top) * -ball(miss).log()).sqrt())
        return ApproximateLoss(epsilon, float_up(Fraction(self.delta) + Fraction(delta)))
