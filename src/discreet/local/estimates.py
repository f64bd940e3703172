"""Estimates: unbiased, with standard errors and intervals, and beside them a consistent version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.oracles.oracle import ItemOracle

special = Later("scipy.special")


@dataclass(frozen=True, eq=False)
class Estimates:
    """Numbers that reports say, one for each name.

    `raw` is unbiased, and may lie where no true number can. `low` to `high` holds one number at the confidence, and
    `all_low` to `all_high` all of them at once (Sidak). `consistent` are numbers that can be true: they are better to
    look at, and biased.
    """

    names: tuple[str, ...]
    reports: int
    confidence: float
    raw: Floats
    errors: Floats
    """The standard errors of `raw`."""
    consistent: Floats
    detectable: float
    """The least distance from nothing that would stand out of all noise at this confidence, half of the times."""
    shift: float
    """How far one malicious report moves an estimate at most; k of them move it by k times as much."""
    compared: int
    """How many numbers the intervals of all hold at once: also those that were left out since."""

    @property
    def low(self) -> Floats:
        """Where each number's own interval begins."""
        return self.raw - find_quantile(self.confidence) * self.errors

    @property
    def high(self) -> Floats:
        """Where each number's own interval ends."""
        return self.raw + find_quantile(self.confidence) * self.errors

    @property
    def all_low(self) -> Floats:
        """Where the intervals begin that hold all numbers at once."""
        return self.raw - find_quantile(self.confidence, self.compared) * self.errors

    @property
    def all_high(self) -> Floats:
        """Where the intervals end that hold all numbers at once."""
        return self.raw + find_quantile(self.confidence, self.compared) * self.errors

    def pick(self, places: Ints) -> Self:
        """Return some of the numbers, in this order. Intervals stay as wide: choosing by the data is allowed."""
        names = tuple(self.names[place] for place in places)
        return replace(
            self, names=names, raw=self.raw[places], errors=self.errors[places], consistent=self.consistent[places]
        )


class Frequencies(Estimates):
    """How frequent each item is among those who reported: `consistent` is the nearest distribution.

    There no item is below 0, and all add up to 1; to 1 at most, where people may have other items than these.
    """


@dataclass(frozen=True, eq=False)
class Solved:
    """Frequencies as they follow from how many of n reports support each item, before anything is said of them.

    A report supports its own item with the chance p and another one with q, so of n reports n f p + n (1 - f) q are
    expected to support an item of frequency f, with the variance n [f p (1 - p) + (1 - f) q (1 - q)], given the
    people. Solved for f this is unbiased, and its variance is that over (n (p - q))^2. Where those who reported this
    were drawn from more `people`, the draw adds f (1 - f) / n times the share of the others.
    """

    reports: int
    own: float
    stray: float
    raw: Floats
    variance: Floats

    def state(
        self, names: Sequence[str], confidence: float, spread: float | Floats = 0.0, complete: bool = True
    ) -> Frequencies:
        """Return the frequencies with all that is said of them.

        `spread` is a variance beside that of coins, and items are `complete` where each person has one of them.
        """
        check.real("confidence", confidence, above=0, below=1)
        gap, many = self.own - self.stray, len(self.raw)
        rarest = np.sqrt(self.stray * (1 - self.stray) / (self.reports * gap**2) + spread)
        return Frequencies(
            tuple(names),
            self.reports,
            float(confidence),
            self.raw,
            np.sqrt(self.variance + spread),
            project_on_simplex(self.raw) if complete or self.raw.clip(0).sum() > 1 else self.raw.clip(0),
            float(find_quantile(confidence, max(1, many)) * np.max(rarest, initial=0.0)),
            1 / (self.reports * gap),
            max(1, many),
        )


def solve(supports: Ints, reports: int, own: float, stray: float, people: int | None = None) -> Solved:
    """Return the frequencies that follow from supports; `people` are those of whom the reports are a random part."""
    if reports < 1:
        raise ParameterError("reports", reports, "at least one: there is nothing to estimate from")
    if own <= stray:
        raise ParameterError("mechanism", (own, stray), "one that tells something: its chances are equal")
    raw = (supports / reports - stray) / (own - stray)
    held = np.clip(raw, 0.0, 1.0)
    inside = held * own * (1 - own) + (1 - held) * stray * (1 - stray)
    variance = inside / (reports * (own - stray) ** 2)
    if people is not None:
        left = 1 - reports / check.integer("people", people, least=reports)
        variance = variance + left * held * (1 - held) / reports
    return Solved(reports, own, stray, raw, variance)


def estimate(
    oracle: ItemOracle[Any],
    names: Sequence[str],
    reports: int,
    counts: Ints,
    confidence: float = 0.95,
    people: int | None = None,
) -> Frequencies:
    """Return how frequent each item is; `people` are those of whom the reports are a random part, if not all."""
    own, stray = float(oracle.mechanism.supported), float(oracle.mechanism.strayed)
    found = solve(oracle.find_supports(counts), reports, own, stray, people)
    squares = max(0.0, float((found.raw**2 - found.variance).sum()))
    return found.state(names, confidence, oracle.find_spread(counts, squares))


def project_on_simplex(values: Floats) -> Floats:
    """Return the nearest distribution: a number is taken off all values, and what falls below 0 is 0."""
    descending = np.sort(values)[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, len(values) + 1)
    kept = int(np.flatnonzero(descending > excess)[-1])
    return np.asarray(np.maximum(values - excess[kept], 0.0))


def find_quantile(confidence: float, items: int = 1) -> float:
    """Return how many standard errors hold one, or all of several independent values, at a confidence."""
    return float(special.ndtri((1 + confidence ** (1 / items)) / 2))
