"""How candidates are chosen by score: by which mechanism, how many, and in how many groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.base.rounding import ratio_up
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.identity import describe_mechanism
from discreet.mechanisms.noisy_max import NoisyMax
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.plan.bounded import BoundedPlan
from discreet.query.scores import LargestSum, Score, check_score

PickNoise = Exponential | NoisyMax | PermuteAndFlip
"""How one candidate is chosen by its score."""

PICKS = (Exponential, NoisyMax, PermuteAndFlip)


@dataclass(frozen=True, slots=True)
class Choice:
    """Chooses `count` candidates by their scores, the best first: once, or once in each of `parts` equal parts of them.

    Several are chosen by the exponential mechanism alone, round by round without those chosen before. This is what the
    `count` largest of all scores with Gumbel noise, added once, are (Durfee, Rogers 2019): one shot.
    """

    score: Score
    pick: PickNoise
    count: int = 1
    parts: int = 1

    def __post_init__(self) -> None:
        check_score(self.score)
        check_pick(self.pick)
        if not all(type(each) is int and each >= 1 for each in (self.count, self.parts)):
            raise OperationError("at least one candidate is chosen, in one part at least")
        if self.score.in_pieces and (self.count, self.parts, type(self.pick)) != (1, 1, Exponential):
            raise OperationError("one of a range of thresholds is chosen, by the exponential mechanism")
        if self.count > 1 and type(self.pick) is not Exponential:
            raise OperationError("several candidates are chosen by the exponential mechanism only")

    def describe(self) -> Json:
        """Return the form of the choice: equal for those that choose alike, and only for those."""
        return {
            "score": self.score.describe(),
            "pick": describe_mechanism(self.pick),
            "count": self.count,
            "parts": self.parts,
        }

    def count_each(self, plan: BoundedPlan) -> int:
        """Return how many candidates each part has."""
        candidates = self.score.count_candidates(plan)
        if candidates % self.parts or self.count > candidates // self.parts:
            raise OperationError(f"{candidates} candidates in {self.parts} parts: there are no {self.count} in each")
        return candidates // self.parts

    def bound_shortfall(self, plan: BoundedPlan, confidence: float) -> int:
        """Return how far the j-th chosen may fall short of the j-th best score, for all j and parts at once.

        Theorem (McSherry, Talwar 2007; McKenna, Sheldon 2020): of m candidates one is chosen whose score is more than
        scale * ln(m / beta) behind the best with probability beta at most. The best of those left in round j is at
        least the j-th best of all; all rounds of all parts share what may be missed. Scores are whole numbers.
        """
        miss = (1 - Fraction(confidence)) / (self.count * self.parts)
        return math.floor(self.pick.shortfall(1 - miss, self.count_each(plan)))  # type: ignore[arg-type]


def check_pick(pick: PickNoise) -> None:
    """Refuse what chooses by no score, and what was made for another sensitivity than a plan's."""
    if type(pick) not in PICKS:
        names = ", ".join(each.__name__ for each in PICKS)
        raise OperationError(f"{type(pick).__name__} chooses by no score; there are {names}")
    if pick.grid is not None or pick.monotone:
        raise OperationError("scores are whole numbers, and how far they move apart is the plan's: give a scale alone")


@dataclass(frozen=True, slots=True)
class Spreads:
    """What one unit moves in a choice: the sum over all parts of how far apart it moves two scores, and of squares."""

    total: int
    squares: int


def bound_spreads(plan: BoundedPlan, score: Score, parts: int) -> Spreads:
    """Return how far apart one unit moves scores, over all parts.

    In one part it is the score's spread. In several, for counts and sums of values that are not negative: let a unit
    add u(c) >= 0 at key c. In part g it moves two scores apart by at most the greatest u(c) there, so over all parts by
    at most the sum of all u, the plan's L1, and in squares by at most its squared L2. Where v replaces u, by the sum of
    both: (|u| + |v|) in either norm, which the plan's factor of 2 covers.
    """
    spread = score.bound_spread(plan)
    if parts == 1:
        return Spreads(spread, spread**2)
    if type(score) is not LargestSum or plan.measures[score.measure].ends[0] < 0:
        raise OperationError("a choice in each of several parts is by the largest of counts or sums that only grow")
    measure = plan.measures[score.measure]
    return Spreads(
        min(plan.l1(measure), parts * spread),
        min(plan.l2_squared(measure), parts * spread**2),
    )


def find_pure_scale(spreads: Spreads, count: int, epsilon: Fraction) -> float:
    """Return the scale at which `count` rounds are epsilon-differentially private, rounded up."""
    return ratio_up(spreads.total * count, epsilon)
