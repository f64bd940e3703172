"""What every filter is: sums that only grow, and a share of the budget that they take."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from discreet.base.check import Exact
from discreet.base.errors import BudgetError
from discreet.privacy.charges import add_up
from discreet.privacy.loss import Loss

Sums = tuple[Exact, ...]


@dataclass(frozen=True)
class Filter(ABC):
    """Says whether the next loss still fits, whatever the analyst learnt so far. `spent` holds the sums so far."""

    spent: Sums = field(default=(), kw_only=True)
    """The sums that the theorem is about, rounded up."""

    @abstractmethod
    def _cost(self, loss: Loss) -> Sums:
        """Return what a loss adds to the sums."""

    @abstractmethod
    def _share(self, sums: Sums) -> float:
        """Return the share of the budget that these sums take: within it while at most 1."""

    def _fits(self, sums: Sums) -> bool:
        """Say whether these sums are within the budget: the same, for those who need not know the share."""
        return self._share(sums) <= 1

    def admits(self, loss: Loss) -> bool:
        """Say whether this loss still fits."""
        return self._fits(self._with(loss))

    def spend(self, loss: Loss) -> Self:
        """Return the filter with this loss spent, or raise if it does not fit."""
        sums = self._with(loss)
        if not self._fits(sums):
            raise BudgetError(f"{loss!r} does not fit into what is left of the budget, {self._describe_left(loss)}")
        return replace(self, spent=sums)

    def _describe_left(self, loss: Loss) -> str:
        """Say what is left, where this loss does not fit."""
        return f"{self.remaining():.2%}"

    def remaining(self) -> float:
        """Return the share of the budget that is left, from 1 to 0."""
        return max(0.0, 1 - self._share(self.spent))

    def fits(self, loss: Loss, most: int = 10**9) -> int:
        """Return how many more such losses fit, up to `most`."""
        low, high = 0, 1
        while high <= most and self.admits(loss * high):
            low, high = high, 2 * high
        high = min(high, most + 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.admits(loss * middle) else (low, middle)
        return low

    def _with(self, loss: Loss) -> Sums:
        return tuple([_add(a, b) for a, b in zip(self.spent, self._cost(loss), strict=True)])


def _add(a: Exact, b: Exact) -> Exact:
    """Return a + b as `add_up` does: at once where both are Fractions, or nothing is added."""
    if type(a) is Fraction and type(b) is Fraction:
        return a + b
    return a if b == 0 else b if a == 0 else add_up(a, b)


def find_share(spent: Exact, cap: Exact) -> float:
    """Return spent / cap, above 1 exactly when spent is above cap."""
    if spent <= cap:
        return min(1.0, float(spent) / float(cap)) if spent else 0.0
    return max(1.0 + 2.0**-52, float(spent) / float(cap)) if cap else math.inf
