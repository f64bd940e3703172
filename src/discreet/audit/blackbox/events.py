"""Events that tell two inputs apart: a learned score above a threshold, chosen before anything is certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.audit.blackbox.scores import LearnedScore
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.noise.coin import Bools

special = Later("scipy.special")

CAUTION = 2.0
"""Deviations that are taken off what an event showed where it was chosen: the best of many looks too good."""

TURNS = 40
"""Bisections of what is expected."""

MOST_THRESHOLDS = 2_000
"""Thresholds of one score that are tried."""


@dataclass(frozen=True, slots=True)
class ChosenEvent:
    """An event, how likely it was on each input where it was chosen, and the epsilon that it is expected to show."""

    score: LearnedScore
    threshold: float
    swapped: bool
    """Whether it is likelier on the second input."""
    likely: float
    unlikely: float
    expected: float
    outputs: int
    """How many outputs on each input it was chosen by."""

    def find(self, rows: Floats) -> Bools:
        """Say which outputs are in the event."""
        rated = self.score.rate(rows)
        return np.asarray((-rated if self.swapped else rated) >= self.threshold)

    def expect_mu(self, pairs: int, miss: float) -> tuple[float, float]:
        """Return the mu of Gaussian privacy that fresh pairs are expected to refute, and the tangent that shows it.

        The trade-off curve of mu at the chance q has the slope e^epsilon with epsilon = mu t - mu^2 / 2, where a
        standard normal number is above t with probability q.
        """
        off = math.sqrt(-2 * math.log(miss) / pairs) + CAUTION / math.sqrt(self.outputs)
        high = self.likely - off * math.sqrt(self.likely * (1 - self.likely))
        low = self.unlikely + off * math.sqrt(self.unlikely * (1 - self.unlikely))
        if not 0 < low < high < 1:
            return 0.0, 0.0
        edge = -float(special.ndtri(low))
        mu = float(special.ndtri(high)) + edge
        return mu, mu * edge - mu**2 / 2

    def __str__(self) -> str:
        return f"{self.score.name}, likelier on the {'second' if self.swapped else 'first'} input"


def choose_event(
    scores: Sequence[LearnedScore], first: Floats, second: Floats, delta: float, pairs: int, miss: float
) -> ChosenEvent | None:
    """Return the event that so many fresh pairs are expected to show the most with, or None.

    What the wealth of a bet reaches is about the number of pairs times its growth; what chance may have added where the
    event was chosen is taken off.
    """
    best: ChosenEvent | None = None
    for score in scores:
        rated = score.rate(first), score.rate(second)
        for swapped in (False, True):
            left, right = (-rated[1], -rated[0]) if swapped else rated
            found = _choose_threshold(left, right, delta, pairs, miss)
            if found is not None and (best is None or found[3] > best.expected):
                best = ChosenEvent(score, found[0], swapped, *found[1:], min(len(left), len(right)))
    return best


def _choose_threshold(
    likely: Floats, unlikely: Floats, delta: float, pairs: int, miss: float
) -> tuple[float, float, float, float] | None:
    """Return the best threshold of one score, how likely scores from it on are, and the epsilon that is expected."""
    ordered, others = np.sort(likely), np.sort(unlikely)
    places = np.unique(np.linspace(0, len(ordered) - 1, MOST_THRESHOLDS).astype(np.int64))
    thresholds = np.unique(np.concatenate([ordered[places], _list_atoms(ordered)]))
    above = len(ordered) - np.searchsorted(ordered, thresholds, side="left")
    below = len(others) - np.searchsorted(others, thresholds, side="left")
    high, low = (above + 0.5) / (len(ordered) + 1), (below + 0.5) / (len(others) + 1)
    expected = np.maximum(
        _expect_frequent(high, low, len(ordered), delta, pairs, miss),
        _expect_rare(high, low, len(ordered), delta, pairs, miss),
    )
    expected = np.where((above > 0) & (high < 1) & np.isfinite(expected), expected, -np.inf)
    place = int(np.argmax(expected))
    if not np.isfinite(expected[place]):
        return None
    return float(thresholds[place]), float(high[place]), float(low[place]), float(expected[place])


def _expect_frequent(high: Floats, low: Floats, outputs: int, delta: float, pairs: int, miss: float) -> Floats:
    """Return the epsilon that a frequent event is expected to show, by the normal law of log(p / q)."""
    excess = high - delta
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt((1 - high) * high / excess**2 + (1 - low) / low)
        off = math.sqrt(-2 * math.log(miss) / pairs) + CAUTION / math.sqrt(outputs)
        return np.where(excess > 0, np.log(excess / low) - off * deviation, -np.inf)


def _expect_rare(high: Floats, low: Floats, outputs: int, delta: float, pairs: int, miss: float) -> Floats:
    """Return the epsilon that a rare event is expected to show: of those that happen, a share is on the first input.

    Among m of them a share w refutes every epsilon with m KL(w, e^epsilon / (1 + e^epsilon)) above log(1 / miss).
    """
    excess = high - CAUTION * np.sqrt(high / outputs) - delta
    likely, unlikely = np.maximum(excess, 1e-300), low + CAUTION * np.sqrt(low / outputs)
    share, events = likely / (likely + unlikely), pairs * (likely + unlikely)
    least, most = np.zeros(len(high)), np.log(likely / unlikely)
    for _ in range(TURNS):
        middle = (least + most) / 2
        claim = 1 / (1 + np.exp(-middle))
        apart = share * np.log(share / claim) + (1 - share) * np.log((1 - share) / (1 - claim))
        refuted = (apart * events > -math.log(miss)) & (share > claim)
        least, most = np.where(refuted, middle, least), np.where(refuted, most, middle)
    return np.where((excess > 0) & (likely > unlikely), least, -np.inf)


def _list_atoms(ordered: Floats) -> Floats:
    """Return the scores that occur, where they are few: bins and kinds of outputs have one each."""
    values = np.unique(ordered)
    return values if len(values) <= MOST_THRESHOLDS else values[:0]
