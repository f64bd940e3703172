"""What an event is wanted for, and the epsilon that it is expected to show, given how often it was seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.audit.blackbox.direct import find_deviations
from discreet.base.grid import Floats

CAUTION = 2.0
"""Deviations that are taken off what an event showed where it was chosen: the best of many looks too good."""

TURNS = 20
"""Bisections of what is expected."""

COMMON = 0.95
"""How likely an event may be on the input where it is rarer: what nearly always happens shows nothing."""

FREQUENT = 1_000
"""Outputs in an event from which on the normal law is good enough."""


@dataclass(frozen=True, slots=True)
class EventAim:
    """What an event is wanted for: so many fresh pairs, at this delta, with this confidence.

    The event that is expected to show the largest epsilon is wanted. Where that one is not certain to refute a claim,
    the event that is the most deviations from the claim is, if it is suspicious at all: of rare events the best of many
    looks far too good. Where nothing is suspicious, a frequent event is the best there is to bound what holds.
    """

    pairs: int
    delta: float
    confidence: float
    claim: float | None = None

    @property
    def miss(self) -> float:
        """How likely a bound may be wrong."""
        return 1 - self.confidence


def expect_epsilon(high: Floats, low: Floats, outputs: float, aim: EventAim) -> Floats:
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
