"""Scores by which a desk chooses: a closed list, each with a proven sensitivity.

A score is a number for every public key of a plan's one set, made from the exact sums of one measure, which stay at the
desk. One unit moves the sum of a key by at most what it keeps in one group, times the measure's reach (twice that where
neighbours replace a unit): `BoundedPlan.linf`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.plan.bounded import BoundedPlan, Part


@dataclass(frozen=True, slots=True)
class Score(ABC):
    """A score for each key, from the sums of one measure."""

    measure: int

    @abstractmethod
    def rate(self, sums: Sequence[int]) -> list[int]:
        """Return the scores: whole numbers."""

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the score."""

    @abstractmethod
    def is_monotone(self, plan: BoundedPlan) -> bool:
        """Say whether adding a unit lowers no score."""

    def bound_sensitivity(self, plan: BoundedPlan) -> int:
        """Return how far one unit moves one score."""
        if not 0 <= self.measure < len(plan.measures) or len(plan.sets) != 1 or plan.selects(0):
            raise OperationError("a score is over one measure of a plan with one set of public keys")
        if plan.measures[self.measure].in_cells:
            raise OperationError("a score is over sums, and this measure is one of ranks")
        return plan.linf(plan.measures[self.measure])


@dataclass(frozen=True, slots=True)
class LargestSum(Score):
    """The sum itself. Its sensitivity is that of the sum; counts are monotone under add-remove neighbours."""

    def rate(self, sums: Sequence[int]) -> list[int]:
        """Return the sums."""
        return list(sums)

    def describe(self) -> Json:
        """Return the form of the score."""
        return {"largest sum": self.measure}

    def is_monotone(self, plan: BoundedPlan) -> bool:
        """Counts only grow with a unit more; sums of values may fall."""
        counts = (Part.ROWS, Part.VALUES, Part.UNITS, Part.DISTINCT, Part.OUTSIDE, Part.SQUARES)
        return plan.factor == 1 and plan.measures[self.measure].part in counts


@dataclass(frozen=True, slots=True)
class FarthestFrom(Score):
    """How far the sum lies from a public number: | sum - target |, which moves by no more than the sum does."""

    targets: tuple[int, ...]

    def __post_init__(self) -> None:
        if not all(type(target) is int for target in self.targets):
            raise OperationError("targets are whole numbers, as sums are")

    def rate(self, sums: Sequence[int]) -> list[int]:
        """Return the distances."""
        return [abs(found - target) for found, target in zip(sums, self.targets, strict=True)]

    def describe(self) -> Json:
        """Return the form of the score."""
        return {"farthest from": self.measure, "targets": list(self.targets)}

    def is_monotone(self, plan: BoundedPlan) -> bool:
        """A unit more may lead to the target or away from it."""
        return False

    def bound_sensitivity(self, plan: BoundedPlan) -> int:
        """Return how far one unit moves one score."""
        found = Score.bound_sensitivity(self, plan)
        if len(self.targets) != plan.groups(0):
            raise OperationError(f"there are {plan.groups(0)} keys and {len(self.targets)} targets; give one for each")
        return found


SCORES = (LargestSum, FarthestFrom)


def check_score(score: Score) -> None:
    """Refuse a score that is not on the list: one of somebody's own could be as sensitive as it likes."""
    if type(score) not in SCORES:
        names = " and ".join(each.__name__ for each in SCORES)
        raise OperationError(f"{type(score).__name__} is no score with a proven sensitivity; there are {names}")
