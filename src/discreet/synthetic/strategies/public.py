"""Public plans: what is measured is fixed before anything is seen. Nothing is spent on choosing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.base.canonical import Json
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.ranges import Ranges
from discreet.families.trees import Tree
from discreet.privacy.charges import Charge
from discreet.query.cost import NOTHING, add_charges, cost_pure
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import Counter
from discreet.synthetic.reading import Reading
from discreet.synthetic.strategies.strategy import Strategy

FAN_OUT = 10
"""How many neighbours a node of a tree has together."""

USUAL_NOISE = 10 / math.sqrt(2)
"""A grid's block should hold so many standard deviations of its noise: Qardaji, Yang and Li 2013 found that the error
from noise and the error from rows that are not spread evenly inside a block are then about the same."""


@dataclass(frozen=True, slots=True)
class PublicPlan(Strategy):
    """Measures groups of families, each with its share of the allowance: (family, group, share)."""

    name: ClassVar[str] = "public plan"

    steps: tuple[tuple[Family, int, Fraction], ...]

    def spend(self, counter: Counter, allowance: Allowance, readings: list[Reading]) -> None:
        """Measure each group."""
        readings.extend(counter.count(family, group, allowance.take(share)) for family, group, share in self.steps)

    def bound_charge(self, allowance: Allowance) -> Charge:
        """Return the sum of what the steps cost: of rho less than if all were one release."""
        if allowance.currency == "rho":
            return allowance.charge
        total = NOTHING
        for _, _, share in self.steps:
            total = add_charges(total, cost_pure(allowance.amount * share))
        return total

    def describe(self) -> Json:
        """Return the form of the plan."""
        steps: list[Json] = [[family.describe(), group, str(share)] for family, group, share in self.steps]
        return {self.name: steps}


class WholeTable(PublicPlan):
    """Counts every cell of all columns."""

    name: ClassVar[str] = "whole table"


class TreeAndGrid(PublicPlan):
    """Counts trees over one or two ordered columns, and of two the blocks of a grid."""

    name: ClassVar[str] = "tree and grid"


def plan_whole(family: Family) -> WholeTable:
    """Return the plan that counts every cell."""
    domain = family.domain
    return WholeTable(((Marginals(domain, (domain.columns,)), 0, Fraction(1)),))


def plan_tree(ranges: Ranges, rows: float, sigma: float) -> TreeAndGrid:
    """Return the plan for ranges: a tree, or for two columns half on a grid of blocks and a quarter on each tree.

    `sigma` is the noise of a cell if all were spent on it. A grid of m x m blocks, twice as noisy for its half,
    has rows / m^2 in a block.
    """
    domain = ranges.domain
    trees = [Tree(domain, column, FAN_OUT) for column in ranges.columns]
    if len(trees) == 1:
        return TreeAndGrid(((trees[0], 0, Fraction(1)),))
    blocks = max(1.0, math.sqrt(max(rows, 1.0) / (USUAL_NOISE * 2 * sigma)))
    widths = [min(domain.sizes[column], max(1, round(domain.sizes[column] / blocks))) for column in ranges.columns]
    grid = Marginals.in_blocks(domain, ranges.columns, widths)
    quarter = Fraction(1, 4)
    return TreeAndGrid(((grid, 0, 2 * quarter), (trees[0], 0, quarter), (trees[1], 0, quarter)))
