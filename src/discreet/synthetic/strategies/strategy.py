"""What every strategy is: a public way to spend an allowance on readings."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from discreet.families.marginals import Marginals
from discreet.privacy.charges import Charge
from discreet.query.cost import NOTHING, add_charges
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import CellCounter
from discreet.synthetic.reading import Reading

TOTAL_SHARE = Fraction(1, 20)
"""The part of an allowance that tells how many rows there are."""


@dataclass(frozen=True, slots=True)
class Strategy(ABC):
    """Spends an allowance. What it spends in all is fixed; on what may depend on what it was told before."""

    @abstractmethod
    def spend(self, counter: CellCounter, allowance: Allowance, readings: list[Reading]) -> None:
        """Measure, adding to the readings: the total, where one was measured, is there already."""

    def bound_charge(self, allowance: Allowance) -> Charge:
        """Return what spending the allowance costs at most, in every currency."""
        return allowance.charge

    def list_batches(self, readings: int) -> tuple[int, ...]:
        """Return how many of its readings belong to each step: all of a step are settled before any is drawn."""
        return (1,) * readings


def count_total(counter: CellCounter, allowance: Allowance) -> Reading:
    """Return the noisy number of rows."""
    return counter.count(Marginals(counter.domain, ((),)), 0, allowance)


def add_up(epsilons: Iterable[Fraction], cost: Callable[[Fraction], Charge]) -> Charge:
    """Return what pure releases of these epsilons cost together."""
    return functools.reduce(add_charges, map(cost, epsilons), NOTHING)


def cost_choice(epsilon: Fraction) -> Charge:
    """Return what permute-and-flip costs: its loss is pure, and of no bounded range."""
    return Charge(epsilon, epsilon**2 / 2, Fraction(0))
