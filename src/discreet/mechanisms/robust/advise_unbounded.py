"""Which mechanism for values without bounds: the error that each is expected to have, from public guesses alone.

Nothing here looks at data, and no guarantee rests on it. Values are taken to be normal, with a deviation that somebody
guesses; errors are those of noise and of what a mechanism draws, beside the same statistic of these values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from discreet.base import check
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.advise import ExpectedError
from discreet.mechanisms.robust.unbounded import MOST, QUARTER, REACH, InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.mechanisms.robust.universal_parts import FEW, TOP

STATISTICS = ("mean", "variance", "interquartile range")

NORMAL = NormalDist()

ABSOLUTE = math.sqrt(2 / math.pi)
"""The mean absolute value of a normal with deviation 1."""


@dataclass(frozen=True)
class UnboundedFacts:
    """What is guessed of values without bounds: about how many there are, and how far they spread, in steps.

    `span` is the distance of public bounds, where there are some after all: for a mean or a variance within them.
    """

    size: int
    deviation: float
    statistic: str = "mean"
    span: float | None = None
    rows: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check.integer("size", self.size, least=2))
        object.__setattr__(self, "deviation", float(check.real("deviation", self.deviation, above=0, most=REACH)))
        check.choice("statistic", self.statistic, STATISTICS)
        if self.span is not None:
            object.__setattr__(self, "span", float(check.positive("span", self.span)))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))


def advise_unbounded(facts: UnboundedFacts, epsilon: float) -> list[ExpectedError]:
    """Return the mean absolute error of each way at epsilon, the best one first."""
    spend = float(check.positive("epsilon", epsilon))
    expect = {"mean": _expect_means, "variance": _expect_variances}.get(facts.statistic, _expect_ranges)
    return sorted(expect(facts, spend), key=lambda each: each.error)


def _expect_means(facts: UnboundedFacts, epsilon: float) -> list[ExpectedError]:
    """Return what noise for the radius makes of a mean; within bounds half of epsilon is for the sum."""
    usual, universal = UnboundedMean(epsilon, facts.rows), UniversalMean(epsilon, facts.rows)
    each = facts.rows / facts.size
    found = [
        ExpectedError("usual", each * _guess_usual(facts) / usual.part),
        ExpectedError("universal", each * _guess_radius(facts, 1.0, 1.0, universal.parts[2]) / universal.parts[-1]),
    ]
    bounded = [] if facts.span is None else [ExpectedError("Laplace in bounds", each * facts.span / epsilon)]
    return found + bounded


def _expect_variances(facts: UnboundedFacts, epsilon: float) -> list[ExpectedError]:
    """Return the same of squares. Random pairs have a variance of their own, as all pairs have not."""
    usual, universal = UnboundedMean(epsilon, facts.rows), UniversalVariance(epsilon, facts.rows)
    each = facts.rows / facts.size
    wide = _guess_radius(facts, math.sqrt(2), 0.5, universal.parts[0])
    paired = ABSOLUTE * facts.deviation**2 * math.sqrt(2 / facts.size)
    found = [
        ExpectedError("usual", each * _guess_usual(facts) ** 2 / usual.part),
        ExpectedError("universal", math.hypot(paired, each * wide**2 / universal.parts[-1])),
    ]
    if facts.span is not None:
        found.append(ExpectedError("Laplace in bounds", each * (facts.span / 2) ** 2 * 3 / epsilon))
    return found


def _expect_ranges(facts: UnboundedFacts, epsilon: float) -> list[ExpectedError]:
    """Return how far two quartiles are off that are drawn by ranks, if values are as dense there as normal ones are."""
    usual, universal = InterquartileRange(epsilon, facts.rows), UniversalQuartiles(epsilon, facts.rows)
    gap = facts.deviation / (facts.size * NORMAL.pdf(NORMAL.inv_cdf(float(QUARTER))))
    found = []
    for name, part in (("usual", usual.part), ("universal", universal.parts[-1])):
        made = Quantile(QUARTER, 2 * REACH + 1, part, facts.rows, sides=Fraction(0))
        ranks = float(Fraction(made.main.scale) / (2 * QUARTER.denominator))
        found.append(ExpectedError(name, math.sqrt(2) * ranks * gap))
    return found


def _guess_usual(facts: UnboundedFacts) -> float:
    """Return four times the power of two that nine tenths of normal values are within."""
    reach = facts.deviation * NORMAL.inv_cdf((1 + float(MOST)) / 2)
    return float(min(4 * 2 ** int(reach).bit_length(), 2 * REACH))


def _guess_radius(facts: UnboundedFacts, wider: float, share: float, epsilon: float) -> float:
    """Return the first power of two that all but a few normal values are within, or as many pairs of them."""
    few = FEW * facts.rows / epsilon
    for power in range(TOP):
        beyond = 2 * NORMAL.cdf(-(2.0**power) / (facts.deviation * wider))
        if facts.size * share * beyond <= few:
            return 2.0**power
    return 2.0**TOP
