"""Events that tell two inputs apart: a learned score above a threshold, chosen before anything is certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.audit.blackbox.asked import FARTHEST_CLAIM
from discreet.audit.blackbox.direct import find_deviations
from discreet.audit.blackbox.expecting import CAUTION, EventAim, expect_epsilon
from discreet.audit.blackbox.scores import LearnedScore
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.noise.coin import Bools

special = Later("scipy.special")

BEST_OF_MANY = 3.5
"""Deviations by which the best of all thresholds of all scores exceeds a claim by chance."""

MOST_THRESHOLDS = 200
"""Thresholds of one score that are tried."""

BEARING, MOST_BORNE_OUT = 4, 2.0
"""Newton's steps to what outputs bear out of a score, and how much of it they may at the most."""

SUSPICIOUS, CERTAIN = 1.5, 5.0
"""Deviations from a claim, as they are expected of fresh outputs, that make an event worth a try against it, and that
make it refute the claim as good as surely."""


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
    suspicion: float = -math.inf
    """By how many deviations fresh outputs are expected to exceed the claim, by the event that exceeds it the most."""
    certain: bool = False
    """Whether it is as good as certain to refute the claim."""
    borne_out: float | None = None
    """By what a smooth score is to be multiplied for its own chances, where it was chosen by them."""

    def find(self, rows: Floats) -> Bools:
        """Say which outputs are in the event."""
        rated = self.score.rate(rows)
        return np.asarray((-rated if self.swapped else rated) >= self.threshold)

    def expect_mu(self, pairs: int, miss: float) -> tuple[float, float]:
        """Return the mu of Gaussian privacy that fresh pairs are expected to refute, and the tangent that shows it.

        The trade-off curve of mu at the chance q has the slope e^epsilon with epsilon = mu t - mu^2 / 2, where a
        standard normal number is above t with probability q.
        """
        off = find_deviations(miss) / math.sqrt(pairs) + CAUTION / math.sqrt(self.outputs)
        high = self.likely - off * math.sqrt(self.likely * (1 - self.likely))
        low = self.unlikely + off * math.sqrt(self.unlikely * (1 - self.unlikely))
        if not 0 < low < high < 1:
            return 0.0, 0.0
        edge = -float(special.ndtri(low))
        mu = float(special.ndtri(high)) + edge
        return mu, mu * edge - mu**2 / 2

    def __str__(self) -> str:
        return f"{self.score.name}, likelier on the {'second' if self.swapped else 'first'} input"


@dataclass(frozen=True, slots=True)
class RatedOutputs:
    """A score, and how it rates outputs on each input that did not teach it, in ascending order."""

    score: LearnedScore
    first: Floats
    second: Floats
    borne_out: float = 1.0
    """By what the score of a ratio's logarithm is to be multiplied for these outputs to be the likeliest."""
    gained: float = -math.inf
    """How much likelier a smooth score then makes these outputs, as a logarithm: what it has learned in all."""

    @classmethod
    def sort(cls, score: LearnedScore, first: Floats, second: Floats) -> RatedOutputs:
        """Put what was rated in order."""
        borne_out, gained = _bear_out(first, second) if score.smooth else (1.0, -math.inf)
        return cls(score, np.sort(first), np.sort(second), borne_out, gained)


@dataclass(frozen=True, slots=True)
class _TurnedOutputs:
    """A score, or its negative, on the input where it shall be high and on the other, in ascending order."""

    score: LearnedScore
    swapped: bool
    likely: Floats
    unlikely: Floats
    borne_out: float

    @classmethod
    def turn(cls, rated: RatedOutputs, swapped: bool) -> _TurnedOutputs:
        sides = (-rated.second[::-1], -rated.first[::-1]) if swapped else (rated.first, rated.second)
        return cls(rated.score, swapped, *sides, rated.borne_out)

    @property
    def outputs(self) -> int:
        return min(len(self.likely), len(self.unlikely))

    def count(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Return how likely outputs reach thresholds on each input."""
        return _count(thresholds, self.likely), _count(thresholds, self.unlikely)

    def expect(self, thresholds: Floats, aim: EventAim) -> Floats:
        """Return the epsilon that outputs from each threshold on are expected to show."""
        return expect_epsilon(*self.count(thresholds), self.outputs / self.score.doubt**2, aim)

    def believe(self, thresholds: Floats, claim: float, aim: EventAim) -> Floats:
        """Return by how many deviations fresh outputs are expected to exceed a claim, at each threshold.

        A smooth score is asked for its own chances, as far as outputs that did not teach it bear it out. Of others
        outputs are counted: what is no more than chance may do among the events that are tried is nothing, and the rest
        is believed the more the larger it is (James, Stein 1961).
        """
        if self.score.smooth:
            both = _merge(self.likely, self.unlikely)
            return _find_excess(thresholds * self.borne_out, both * self.borne_out, claim, aim)
        chance = BEST_OF_MANY * self.score.doubt * math.sqrt(aim.pairs / self.outputs)
        found = _deviate(*self.count(thresholds), claim, aim)
        with np.errstate(divide="ignore"):
            return np.where(found > 0, found - chance**2 / found, -np.inf)

    def choose(self, aim: EventAim) -> ChosenEvent:
        """Return the event that is expected to show the largest epsilon."""
        values = _list_thresholds(self.likely)
        return self._judge(float(values[np.argmax(self.expect(values, aim))]), aim)

    def suspect(self, claim: float, aim: EventAim) -> ChosenEvent:
        """Return the event that is expected to exceed a claim by the most deviations."""
        values = _list_thresholds(_merge(self.likely, self.unlikely) if self.score.smooth else self.likely)
        event = self._judge(float(values[np.argmax(self.believe(values, claim, aim))]), aim)
        return replace(event, borne_out=self.borne_out) if self.score.smooth else event

    def _judge(self, threshold: float, aim: EventAim) -> ChosenEvent:
        """Return an event with what outputs that did not teach it say of it."""
        edge = np.array([threshold])
        likely, unlikely, expected = (float(each[0]) for each in (*self.count(edge), self.expect(edge, aim)))
        event = ChosenEvent(self.score, threshold, self.swapped, likely, unlikely, expected, self.outputs)
        if aim.claim is None:
            return event
        return replace(event, suspicion=float(self.believe(edge, aim.claim, aim)[0]))


def choose_event(rated: Sequence[RatedOutputs], aim: EventAim) -> ChosenEvent | None:
    """Return the event that is the best for what is wanted, or None; what chance may have added is taken off.

    Of smooth scores only the one that has learned the most is asked for what is suspicious: all outputs together tell
    that far more surely than the few of a rare event.
    """
    best: ChosenEvent | None = None
    suspect: ChosenEvent | None = None
    gained = max((each.gained for each in rated), default=-math.inf)
    for each in rated:
        for turned in (_TurnedOutputs.turn(each, swapped) for swapped in (False, True)):
            event = turned.choose(aim)
            best = event if best is None or event.expected > best.expected else best
            if aim.claim is not None and (each.gained == gained or not each.score.smooth):
                event = turned.suspect(aim.claim, aim)
                suspect = event if suspect is None or event.suspicion > suspect.suspicion else suspect
    if best is not None and suspect is not None and aim.claim is not None:
        certain = best.expected > aim.claim and best.suspicion >= CERTAIN
        if not certain and suspect.suspicion >= SUSPICIOUS:
            best = suspect
        best = replace(best, suspicion=suspect.suspicion, certain=certain)
    return best


def _list_thresholds(ordered: Floats) -> Floats:
    """Return thresholds to try: all scores where they are few, else more of the high ones.

    Each is half way to the next lower score, so that a score which is learned again keeps what it was chosen for.
    """
    values = ordered[np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)]
    if len(values) > MOST_THRESHOLDS:
        places = np.unique(np.geomspace(1, len(ordered), MOST_THRESHOLDS).astype(np.int64))
        return np.unique(ordered[len(ordered) - places])
    return np.asarray(values - np.diff(values, prepend=values[0]) / 2)


def _bear_out(likely: Floats, unlikely: Floats) -> tuple[float, float]:
    """Return by what a ratio's logarithm is to be multiplied so that outputs it was not learned from are the likeliest.

    Returned beside it is how much likelier they are than by guessing, as a logarithm. It is a logistic regression on
    one number: who learned too much from too little gets less than 1, who learned nothing 0.
    """
    factor, label = 1.0, np.repeat([1.0, 0.0], [len(likely), len(unlikely)])
    both = np.clip(np.concatenate([likely, unlikely]), -30, 30)
    for _ in range(BEARING):
        share = 1 / (1 + np.exp(-factor * both))
        bend = float((share * (1 - share) * both**2).sum())
        factor = min(MOST_BORNE_OUT, max(0.0, factor + float(((label - share) * both).sum()) / bend)) if bend else 0.0
    return factor, float(
        -np.logaddexp(0, np.where(label == 1.0, -factor, factor) * both).sum() + math.log(2) * len(both)
    )


def find_excess(likely: Floats, unlikely: Floats, claim: float, aim: EventAim) -> tuple[float, float]:
    """Return by how many deviations the best threshold of a ratio's logarithm exceeds a claim, by the ratio, and it.

    Both inputs' outputs are taken together: of those with the logarithm l, the part 1 / (1 + e^-l) is on the first.
    """
    both = _merge(likely, unlikely)
    values = _list_thresholds(both)
    found = _find_excess(values, both, claim, aim)
    place = int(np.argmax(found))
    return float(found[place]), float(values[place])


def _merge(first: Floats, second: Floats) -> Floats:
    """Return all numbers of two in ascending order; where both are in order already, that is quick."""
    return np.sort(np.concatenate([first, second]), kind="stable")


def _find_excess(values: Floats, both: Floats, claim: float, aim: EventAim) -> Floats:
    """Return by how many deviations a ratio's logarithm exceeds a claim at each threshold, by the ratio."""
    share = 1 / (1 + np.exp(-np.clip(both, -500, 500)))
    start = np.minimum(np.searchsorted(both, values, side="left"), len(both) - 1)
    high, low = (np.cumsum(each[::-1])[::-1][start] * 2 / len(both) for each in (share, 1 - share))
    return _deviate(np.clip(high, 1e-9, 1 - 1e-9), np.clip(low, 1e-9, 1 - 1e-9), claim, aim)


def _deviate(high: Floats, low: Floats, claim: float, aim: EventAim) -> Floats:
    """Return by how many deviations of fresh pairs events that are so likely exceed a claim."""
    ratio = math.exp(min(claim, FARTHEST_CLAIM))
    deviation = np.sqrt((high * (1 - high) + ratio**2 * low * (1 - low)) / aim.pairs)
    return np.asarray((high - aim.delta - ratio * low) / deviation)


def _count(thresholds: Floats, ordered: Floats) -> Floats:
    """Return how likely sorted scores reach thresholds: never quite 0 nor 1."""
    above = len(ordered) - np.searchsorted(ordered, thresholds, side="left")
    return np.asarray((above + 0.5) / (len(ordered) + 1))
