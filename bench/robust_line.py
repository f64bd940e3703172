"""One line of `bench/robust.py coverage`: how often an interval covers, or a test rejects what is true."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.laws import Booleans

PEOPLE = (1_000, 10_000)
EPSILONS = (0.1, 1.0, 10.0)
MISS = 0.05
LEAST_COVERED = 0.94
MOST_REJECTED = 0.06
NORMAL = 1.959964

SIMULATED = 60
"""Simulations of each p-value. A true null has 5 % or less in 3 of 61 cases, and in as many with the door's 9,999."""

ALL_FEWER = 20
"""With the door's own number of simulations one run stands for so many."""


USUAL = 1.0
"""The epsilon that has all runs."""

FEWER = 5
"""At other prices one run stands for so many, where runs take long."""


@dataclass(frozen=True)
class CoverageLine:
    """What was measured on which data: the share of runs that covered, or of those that rejected where it is a test."""

    what: str
    data: str
    people: int
    epsilon: float
    share: float
    runs: int
    test: bool = False
    width: float = math.nan
    """The mean width over that of the same interval without noise, where that was measured."""
    told: float = 1.0
    """The share of runs that told anything at all: where nothing is told, all numbers are covered."""

    @property
    def met(self) -> bool:
        """Whether it is as good as asked."""
        return self.share <= MOST_REJECTED if self.test else self.share >= LEAST_COVERED

    def __str__(self) -> str:
        error = math.sqrt(self.share * (1 - self.share) / self.runs)
        asked = f"<= {MOST_REJECTED:.0%}" if self.test else f">= {LEAST_COVERED:.0%}"
        width = "" if math.isnan(self.width) else f"{self.width:.2f}"
        told = "" if self.told == 1 else f"{self.told:.1%}"
        return (
            f"| {self.what} | {self.data} | {self.people:,} | {self.epsilon:g} | {self.share:.2%} | {self.runs:,} | "
            f"{error:.2%} | {width} | {told} | {asked} | {'met' if self.met else 'MISSED'} |"
        )


MeasureCase = Callable[[int, np.random.Generator], Iterator[CoverageLine]]
"""Measures one kind of data with so many runs."""


def name_case(data: str, people: int) -> str:
    """Return the name of data from so many people, for parts that are measured by both."""
    return f"{data}, {people:,} people"


def spare(runs: int, fewer: int) -> int:
    """Return so many times fewer runs, at least one."""
    return max(1, math.ceil(runs / fewer))


def count_runs(runs: int, epsilon: float) -> int:
    """Return how many runs a price has."""
    return runs if epsilon == USUAL else spare(runs, FEWER)


def measure_surely(
    measure: Callable[[int], Iterator[CoverageLine]], runs: int, epsilon: float
) -> Iterator[CoverageLine]:
    """Return lines with as many runs as a price has; what is not met with few of them is measured again with all."""
    lines = list(measure(count_runs(runs, epsilon)))
    yield from lines
    again = {line.what for line in lines if not line.met and line.runs < runs}
    if again:
        yield from (line for line in measure(runs) if line.what in again)


def covers(low: Floats, high: Floats, truth: float) -> Booleans:
    """Return which intervals hold the truth."""
    found: Booleans = (low <= truth) & (truth <= high)
    return found


def count_covered(
    what: str, data: str, people: int, epsilon: float, covered: Booleans, width: float = math.nan
) -> CoverageLine:
    """Return the line of an interval."""
    return CoverageLine(what, data, people, epsilon, float(np.mean(covered)), len(covered), False, width)


def count_rejected(what: str, data: str, people: int, epsilon: float, rejected: Booleans) -> CoverageLine:
    """Return the line of a test whose null is true."""
    return CoverageLine(what, data, people, epsilon, float(np.mean(rejected)), len(rejected), True)
