"""Scores by which one of several candidates is chosen: a closed list, each with a proven spread.

A score is a whole number for every candidate, made from a plan's exact sums, which stay at the desk. Its *spread* is
how far apart one unit moves two candidates' scores, at most: what a choice by score costs depends on it alone. It comes
from the plan (`BoundedPlan.spread`), never from a caller.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from discreet.base.canonical import Json
from discreet.base.cells import add_up_cells
from discreet.base.errors import OperationError
from discreet.plan.bounded import BoundedPlan

MOST_LISTED = 2_000_000
"""Candidates that are scored one by one."""


class ExactSet(Protocol):
    """The exact numbers of a plan's one set: `sums[measure][key]`, and `cells[measure][key]` for ranks."""

    @property
    def sums(self) -> tuple[tuple[int, ...], ...]:
        """Sums by measure and key."""

    @property
    def cells(self) -> Mapping[int, tuple[Mapping[int, int], ...]]:
        """Counts at grid points by measure and key."""


@dataclass(frozen=True, slots=True)
class Score(ABC):
    """A score for each candidate."""

    @property
    def in_pieces(self) -> bool:
        """Say whether pieces of candidates share one score: the exponential mechanism chooses among these."""
        return False

    @abstractmethod
    def rate(self, exact: ExactSet) -> list[int]:
        """Return the scores."""

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the score."""

    @abstractmethod
    def count_candidates(self, plan: BoundedPlan) -> int:
        """Return how many candidates there are."""

    @abstractmethod
    def bound_spread(self, plan: BoundedPlan) -> int:
        """Return how far apart one unit moves two scores, or refuse a plan that has no such scores."""


@dataclass(frozen=True, slots=True)
class KeyScore(Score):
    """A score for each public key of a plan's one set, from the sums of one measure."""

    measure: int

    def count_candidates(self, plan: BoundedPlan) -> int:
        """Return how many keys there are."""
        return plan.groups(0)

    def bound_spread(self, plan: BoundedPlan) -> int:
        """Return how far apart one unit moves the sums of two keys."""
        if not 0 <= self.measure < len(plan.measures) or len(plan.sets) != 1 or plan.selects(0):
            raise OperationError("a score is over one measure of a plan with one set of public keys")
        if plan.measures[self.measure].in_cells:
            raise OperationError("a score is over sums, and this measure is one of ranks")
        return plan.spread(plan.measures[self.measure])


@dataclass(frozen=True, slots=True)
class LargestSum(KeyScore):
    """The sum itself."""

    def rate(self, exact: ExactSet) -> list[int]:
        """Return the sums."""
        return list(exact.sums[self.measure])

    def describe(self) -> Json:
        """Return the form of the score."""
        return {"largest sum": self.measure}


@dataclass(frozen=True, slots=True)
class SmallestSum(KeyScore):
    """The sum with its sign turned: the same spread, and the smallest sum is the best."""

    def rate(self, exact: ExactSet) -> list[int]:
        """Return the sums with their signs turned."""
        return [-each for each in exact.sums[self.measure]]

    def describe(self) -> Json:
        """Return the form of the score."""
        return {"smallest sum": self.measure}


@dataclass(frozen=True, slots=True)
class FarthestFrom(KeyScore):
    """How far the sum lies from a public number: | sum - target |, which moves by no more than the sum does.

    One may move up and another down, so two of them move apart by twice what a sum moves (`BoundedPlan.linf`).
    """

    targets: tuple[int, ...]

    def __post_init__(self) -> None:
        if not all(type(target) is int for target in self.targets):
            raise OperationError("targets are whole numbers, as sums are")

    def rate(self, exact: ExactSet) -> list[int]:
        """Return the distances."""
        return [abs(found - target) for found, target in zip(exact.sums[self.measure], self.targets, strict=True)]

    def describe(self) -> Json:
        """Return the form of the score."""
        return {"farthest from": self.measure, "targets": list(self.targets)}

    def bound_spread(self, plan: BoundedPlan) -> int:
        """Return twice how far one unit moves one sum."""
        KeyScore.bound_spread(self, plan)
        if len(self.targets) != plan.groups(0):
            raise OperationError(f"there are {plan.groups(0)} keys and {len(self.targets)} targets; give one for each")
        return 2 * plan.linf(plan.measures[self.measure])


@dataclass(frozen=True, slots=True)
class WeightedMeasures(Score):
    """A candidate for each listed measure of a plan without keys: its sum times a public whole number.

    A unit adds to the sum of a measure something between its ends, so to the score of candidate c something between
    low(c) and high(c), the ends times the weight; two scores move apart by at most the greatest high less the least
    low, twice that where neighbours replace a unit. (0 lies between the ends of every measure, so low <= 0 <= high.)
    """

    measures: tuple[int, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.measures or len(self.measures) != len(self.weights):
            raise OperationError("give one weight for each measure, and at least one")
        if not all(type(each) is int for each in (*self.measures, *self.weights)):
            raise OperationError("measures and weights are whole numbers")

    def rate(self, exact: ExactSet) -> list[int]:
        """Return the sums times their weights."""
        return [exact.sums[place][0] * weight for place, weight in zip(self.measures, self.weights, strict=True)]

    def describe(self) -> Json:
        """Return the form of the score."""
        return {"weighted measures": list(self.measures), "weights": list(self.weights)}

    def count_candidates(self, plan: BoundedPlan) -> int:
        """Return how many there are."""
        return len(self.measures)

    def bound_spread(self, plan: BoundedPlan) -> int:
        """Return how far apart one unit moves two weighted sums."""
        if plan.keys or len(plan.sets) != 1 or not all(0 <= each < len(plan.measures) for each in self.measures):
            raise OperationError("weighted measures are of a plan without keys that has all of them")
        if any(plan.measures[each].in_cells for each in self.measures):
            raise OperationError("a score is over sums, and one of these measures is of ranks")
        ends = [0]
        for place, weight in zip(self.measures, self.weights, strict=True):
            ends += [end * weight for end in plan.ends(plan.measures[place])]
        return max(plan.factor * (max(ends) - min(ends)), 1)


class Side(StrEnum):
    """Which values count for a threshold."""

    AT_LEAST = "at least"
    MORE = "more than"
    AT_MOST = "at most"
    LESS = "less than"


@dataclass(frozen=True, slots=True)
class ThresholdScore(Score):
    """For each of a range of thresholds: how many values lie on one side of it, times a public whole number.

    Threshold j, of `count`, is the grid point first + j * step of a measure of ranks, counted from the grid's lower
    end; its weight is base + j * slope. A unit has some values, at most so many, and each adds 0 or the weight to a
    score. So two scores move apart by at most these rows times the greatest weight less the least, with 0 among them;
    twice that where neighbours replace a unit.

    Without a slope the score is constant between two values of the data: `list_pieces` tells them apart, however many
    thresholds there are.
    """

    measure: int
    first: int
    step: int
    count: int
    side: Side
    base: int
    slope: int

    def __post_init__(self) -> None:
        whole = (self.measure, self.first, self.step, self.count, self.base, self.slope)
        if (
            not all(type(each) is int for each in whole)
            or self.step < 1
            or self.count < 1
            or type(self.side) is not Side
        ):
            raise OperationError("thresholds are whole numbers: a first one, a step and a count of at least 1")
        if self.slope and self.count > MOST_LISTED:
            raise OperationError(f"at most {MOST_LISTED:,} thresholds have weights of their own")

    @property
    def in_pieces(self) -> bool:
        """Say whether scores are told by pieces."""
        return self.slope == 0

    def rate(self, exact: ExactSet) -> list[int]:
        """Return the scores of all thresholds."""
        points, sums = self._add_up(exact)
        at = [self.first + place * self.step for place in range(self.count)]
        find = bisect_left if self.side in (Side.AT_LEAST, Side.LESS) else bisect_right
        return [
            self._count(sums, find(points, point)) * (self.base + place * self.slope) for place, point in enumerate(at)
        ]

    def list_pieces(self, exact: ExactSet) -> tuple[list[int], list[int]]:
        """Return places at which the score changes, from 0 to `count`, and the score from each to the next."""
        points, sums = self._add_up(exact)
        beside = self.side in (Side.AT_LEAST, Side.LESS)
        changes = [
            (point - self.first) // self.step + 1 if beside else -((self.first - point) // self.step)
            for point in points
        ]
        edges = [0, *(min(max(each, 0), self.count) for each in changes), self.count]
        return edges, [self._count(sums, passed) * self.base for passed in range(len(points) + 1)]

    def _add_up(self, exact: ExactSet) -> tuple[list[int], list[int]]:
        """Return the points that have values, in order, and how many values lie below each, and below all."""
        (cells,) = exact.cells[self.measure]
        return add_up_cells(cells)

    def _count(self, sums: list[int], passed: int) -> int:
        """Return how many values count, where so many points lie before the threshold."""
        return sums[-1] - sums[passed] if self.side in (Side.AT_LEAST, Side.MORE) else sums[passed]

    def describe(self) -> Json:
        """Return the form of the score."""
        return {
            "thresholds": self.measure,
            "points": [self.first, self.step, self.count],
            "side": self.side.value,
            "weights": [self.base, self.slope],
        }

    def count_candidates(self, plan: BoundedPlan) -> int:
        """Return how many thresholds there are."""
        return self.count

    def bound_spread(self, plan: BoundedPlan) -> int:
        """Return how far apart one unit moves the scores of two thresholds."""
        if plan.keys or len(plan.sets) != 1 or not 0 <= self.measure < len(plan.measures):
            raise OperationError("thresholds are of one measure of a plan without keys")
        if not plan.measures[self.measure].in_cells:
            raise OperationError("thresholds are of a measure of ranks")
        weights = (0, self.base, self.base + (self.count - 1) * self.slope)
        _, rows = plan.ends(plan.measures[self.measure])
        return max(plan.factor * rows * (max(weights) - min(weights)), 1)


SCORES: Sequence[type[Score]] = (LargestSum, SmallestSum, FarthestFrom, WeightedMeasures, ThresholdScore)


def check_score(score: Score) -> None:
    """Refuse a score that is not on the list: one of somebody's own could be as sensitive as it likes."""
    if type(score) not in SCORES:
        names = ", ".join(each.__name__ for each in SCORES)
        raise OperationError(f"{type(score).__name__} is no score with a proven sensitivity; there are {names}")
