"""Events that tell two inputs apart: a learned score above a threshold, chosen before anything is certified."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.audit.blackbox.direct import find_deviations
from discreet.audit.blackbox.scores import LearnedScore
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.noise.coin import Bools

special = Later("scipy.special")

CAUTION = 2.0
"""Deviations that are taken off what an event showed where it was chosen: the best of many looks too good."""

TURNS = 20
"""Bisections of what is expected."""

MOST_THRESHOLDS = 200
"""Thresholds of one score that are tried."""

COMMON = 0.95
"""How likely an event may be on the input where it is rarer: what nearly always happens shows nothing."""

FREQUENT = 1_000
"""Outputs in an event from which on the normal law is good enough."""

SUSPICIOUS = 1.5
"""Deviations from a claim, as they are expected of fresh outputs, that make an event worth a try against it."""


@dataclass(frozen=True, slots=True)
class EventAim:
    """What an event is wanted for: so many fresh pairs, at this delta, with this confidence.

    The event that is expected to show the largest epsilon is wanted; where that is no more than a claim, the event that
    is the most deviations from the claim, if it is suspicious at all. The first one is known more surely: a frequent
    event that shows little is no help against a claim, but the best there is to bound what holds.
    """

    pairs: int
    delta: float
    confidence: float
    claim: float | None = None

    @property
    def miss(self) -> float:
        """How likely a bound may be wrong."""
        return 1 - self.confidence


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
    width: int = 1
    """How many numbers an output has."""
    suspicion: float = -math.inf
    """By how many deviations fresh outputs are expected to exceed the claim, by the event that exceeds it the most."""

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

    @classmethod
    def sort(cls, score: LearnedScore, first: Floats, second: Floats) -> RatedOutputs:
        """Put what was rated in order."""
        return cls(score, np.sort(first), np.sort(second))


def choose_event(rated: Sequence[RatedOutputs], width: int, aim: EventAim) -> ChosenEvent | None:
    """Return the event that is the best for what is wanted, or None; what chance may have added is taken off."""
    best: ChosenEvent | None = None
    suspect: ChosenEvent | None = None
    for each in rated:
        for swapped in (False, True):
            sides = _turn(each, swapped)
            event = _judge(each.score, _choose_threshold(each.score, *sides, aim), swapped, *sides, aim)
            best = event if best is None or event.expected > best.expected else best
            if aim.claim is not None:
                suspicion, threshold = _suspect(each.score, *sides, aim.claim, aim)
                if suspect is None or suspicion > suspect.suspicion:
                    suspect = replace(_judge(each.score, threshold, swapped, *sides, aim), suspicion=suspicion)
    if best is not None and suspect is not None and aim.claim is not None:
        best = replace(best, suspicion=suspect.suspicion)
        if best.expected <= aim.claim and suspect.suspicion >= SUSPICIOUS:
            best = suspect
    return best and replace(best, width=width)


def _turn(rated: RatedOutputs, swapped: bool) -> tuple[Floats, Floats]:
    """Return scores on the input where they shall be high, and on the other, in ascending order."""
    return (-rated.second[::-1], -rated.first[::-1]) if swapped else (rated.first, rated.second)


def _list_thresholds(ordered: Floats) -> Floats:
    """Return thresholds to try: all scores where they are few, else more of the high ones.

    Each is half way to the next lower score, so that a score which is learned again keeps what it was chosen for.
    """
    values = ordered[np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)]
    if len(values) > MOST_THRESHOLDS:
        places = np.unique(np.geomspace(1, len(ordered), MOST_THRESHOLDS).astype(np.int64))
        return np.unique(ordered[len(ordered) - places])
    return np.asarray(values - np.diff(values, prepend=values[0]) / 2)


def _choose_threshold(score: LearnedScore, likely: Floats, unlikely: Floats, aim: EventAim) -> float:
    """Return the threshold of one score from which on outputs are expected to show the largest epsilon."""
    values = _list_thresholds(likely)
    high, low = _count(values, likely), _count(values, unlikely)
    outputs = min(len(likely), len(unlikely)) / score.doubt**2
    return float(values[np.argmax(_expect(high, low, outputs, aim))])


def _suspect(score: LearnedScore, likely: Floats, unlikely: Floats, claim: float, aim: EventAim) -> tuple[float, float]:
    """Return by how many deviations fresh outputs are expected to exceed a claim at the best threshold, and it.

    A smooth score is asked for its own chances. Of others outputs are counted: what is no more than chance may do among
    the events that are tried is nothing, and the rest is believed the more the larger it is (James, Stein 1961).
    """
    if score.smooth:
        return find_excess(likely, unlikely, claim, aim)
    values = _list_thresholds(likely)
    high, low = _count(values, likely), _count(values, unlikely)
    chance = CAUTION * score.doubt * math.sqrt(aim.pairs / min(len(likely), len(unlikely)))
    found = _deviate(high, low, claim, aim)
    with np.errstate(divide="ignore"):
        believed = np.where(found > 0, found - chance**2 / found, -np.inf)
    place = int(np.argmax(believed))
    return float(believed[place]), float(values[place])


def find_excess(likely: Floats, unlikely: Floats, claim: float, aim: EventAim) -> tuple[float, float]:
    """Return by how many deviations the best threshold of a ratio's logarithm exceeds a claim, by the ratio, and it.

    Both inputs' outputs are taken together: of those with the logarithm l, the part 1 / (1 + e^-l) is on the first.
    """
    both = np.sort(np.concatenate([likely, unlikely]), kind="stable")
    share = 1 / (1 + np.exp(-np.clip(both, -500, 500)))
    values = _list_thresholds(both)
    start = np.searchsorted(both, values, side="left")
    high, low = (np.cumsum(each[::-1])[::-1][start] * 2 / len(both) for each in (share, 1 - share))
    found = _deviate(np.clip(high, 1e-9, 1 - 1e-9), np.clip(low, 1e-9, 1 - 1e-9), claim, aim)
    place = int(np.argmax(found))
    return float(found[place]), float(values[place])


def _deviate(high: Floats, low: Floats, claim: float, aim: EventAim) -> Floats:
    """Return by how many deviations of fresh pairs events that are so likely exceed a claim."""
    ratio = math.exp(claim)
    deviation = np.sqrt((high * (1 - high) + ratio**2 * low * (1 - low)) / aim.pairs)
    return np.asarray((high - aim.delta - ratio * low) / deviation)


def _judge(
    score: LearnedScore, threshold: float, swapped: bool, likely: Floats, unlikely: Floats, aim: EventAim
) -> ChosenEvent:
    """Return an event with what outputs that did not teach it say of it."""
    edge, outputs = np.array([threshold]), min(len(likely), len(unlikely))
    high, low = _count(edge, likely), _count(edge, unlikely)
    expected = float(_expect(high, low, outputs / score.doubt**2, aim)[0])
    return ChosenEvent(score, threshold, swapped, float(high[0]), float(low[0]), expected, outputs)


def _count(thresholds: Floats, ordered: Floats) -> Floats:
    """Return how likely sorted scores reach thresholds: never quite 0 nor 1."""
    above = len(ordered) - np.searchsorted(ordered, thresholds, side="left")
    return np.asarray((above + 0.5) / (len(ordered) + 1))


def _expect(high: Floats, low: Floats, outputs: float, aim: EventAim) -> Floats:
    """Return the epsilon that events which were so likely in so many outputs are expected to show."""
    expected = np.maximum(_expect_frequent(high, low, outputs, aim), _expect_rare(high, low, outputs, aim))
    return np.where(low < COMMON, expected, -np.inf)


def _expect_frequent(high: Floats, low: Floats, outputs: float, aim: EventAim) -> Floats:
    """Return the epsilon that a frequent event is expected to show, by the normal law of log(p / q)."""
    excess = high - aim.delta
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt((1 - high) * high / excess**2 + (1 - low) / low)
        off = find_deviations(aim.miss) / math.sqrt(aim.pairs) + CAUTION / math.sqrt(outputs)
        return np.where(excess > 0, np.log(excess / low) - off * deviation, -np.inf)


def _expect_rare(high: Floats, low: Floats, outputs: float, aim: EventAim) -> Floats:
    """Return the epsilon that a rare event is expected to show: of those that happen, a share is on the first input.

    Among m of them a share w refutes every epsilon with m KL(w, e^epsilon / (1 + e^epsilon)) above log(1 / miss).
    """
    found = np.full(len(high), -np.inf)
    rare = high * outputs < FREQUENT
    likely, unlikely = _be_cautious(high[rare], low[rare], outputs, aim)
    share, events = likely / (likely + unlikely), aim.pairs * (likely + unlikely)
    least, most = np.zeros(len(likely)), np.log(likely / unlikely)
    for _ in range(TURNS):
        middle = (least + most) / 2
        claim = 1 / (1 + np.exp(-middle))
        refuted = (_part(share, claim) * events > -math.log(aim.miss)) & (share > claim)
        least, most = np.where(refuted, middle, least), np.where(refuted, most, middle)
    found[rare] = np.where(likely > unlikely, least, -np.inf)
    return found


def _be_cautious(high: Floats, low: Floats, outputs: float, aim: EventAim) -> tuple[Floats, Floats]:
    """Return how likely an event is on each input, less and more than it was by what chance may have done."""
    excess = high - CAUTION * np.sqrt(high / outputs) - aim.delta
    return np.maximum(excess, 1e-300), low + CAUTION * np.sqrt(low / outputs)


def _part(share: Floats, claim: Floats | float) -> Floats:
    """Return how far apart two coins are, in nats a throw."""
    return np.asarray(share * np.log(share / claim) + (1 - share) * np.log((1 - share) / (1 - claim)))
