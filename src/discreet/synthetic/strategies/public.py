"""Public plans: what is measured is fixed before anything is seen. Nothing is spent on choosing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.ranges import Ranges
from discreet.families.trees import Tree
from discreet.privacy.charges import Charge
from discreet.query.cost import cost_pure
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import CellCounter
from discreet.synthetic.reading import Reading
from discreet.synthetic.strategies.strategy import Strategy, add_up

FAN_OUT = 10
"""How many neighbours a node of a tree has together."""

GRID_SHARE = Fraction(2, 3)
"""The part that a grid of two columns gets; each column by itself gets half of the rest."""

ROWS_IN_BLOCK = 3.5
"""How many standard deviations of its noise a block of a grid should hold. Qardaji, Yang and Li 2013 balance noise
against rows that are not spread evenly inside a block; half of what they found does best here, where the columns'
own counts say how rows are spread."""


@dataclass(frozen=True, slots=True)
class PublicPlan(Strategy):
    """Measures groups of families, each with its share of the allowance: (family, group, share)."""

    steps: tuple[tuple[Family, int, Fraction], ...]

    def spend(self, counter: CellCounter, allowance: Allowance, readings: list[Reading]) -> None:
        """Measure each group."""
        readings.extend(counter.count(family, group, allowance.take(share)) for family, group, share in self.steps)

    def list_batches(self, readings: int) -> tuple[int, ...]:
        """Return one step: everything is settled beforehand."""
        return (readings,)

    def bound_charge(self, allowance: Allowance) -> Charge:
        """Return the sum of what the steps cost: of rho less than if all were one release."""
        if allowance.currency == "rho":
            return allowance.charge
        return add_up([allowance.amount * share for _, _, share in self.steps], cost_pure)


def plan_whole(family: Family) -> PublicPlan:
    """Return the plan that counts every cell."""
    domain = family.domain
    return PublicPlan(((Marginals(domain, (domain.columns,)), 0, Fraction(1)),))


def plan_tree(ranges: Ranges, rows: float, sigma: float) -> PublicPlan:
    """Return the plan for ranges: a tree of one column, or for two a grid of blocks and the values of each column.

    `sigma` is the noise of a cell if all were spent on it. A grid of m x m blocks has rows / m^2 in a block.
    """
    domain = ranges.domain
    if len(ranges.columns) == 1:
        return PublicPlan(((Tree(domain, ranges.columns[0], FAN_OUT), 0, Fraction(1)),))
    blocks = max(1.0, math.sqrt(max(rows, 1.0) * float(GRID_SHARE) / (ROWS_IN_BLOCK * sigma)))
    widths = [min(domain.sizes[column], max(1, round(domain.sizes[column] / blocks))) for column in ranges.columns]
    grid = Marginals.in_blocks(domain, ranges.columns, widths)
    values = Marginals(domain, tuple((column,) for column in ranges.columns))
    rest = (1 - GRID_SHARE) / 2
    return PublicPlan(((grid, 0, GRID_SHARE), (values, 0, rest), (values, 1, rest)))
