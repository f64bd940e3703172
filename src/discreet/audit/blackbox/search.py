"""A search for the neighbours that show the most: `find_worst(mechanism, pairs)`.

Every pair of inputs is tried with a few outputs, the better half with twice as many, and so on. The one that is left is
frozen, and only its event is certified, on outputs that nobody has looked at: so the search costs outputs, and no
confidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.audit.blackbox.lower_bound import LowerBound, certify_event, learn_event
from discreet.audit.blackbox.outputs import BatchMechanism, FaultError, OutputReader
from discreet.base import check
from discreet.base.errors import ParameterError

TRYING, LEARNING = 0.45, 0.15
"""The parts of the outputs that find the pair, and that learn its event."""

LEAST = 500
"""Outputs on each input of a pair that is tried, at the least."""


@dataclass(frozen=True, slots=True)
class WorstPair:
    """The pair of inputs that showed the most, and the bound between them."""

    first: Any
    second: Any
    bound: LowerBound


def find_worst(
    mechanism: BatchMechanism,
    pairs: Sequence[tuple[Any, Any]],
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    samples: int = 2_000_000,
) -> WorstPair:
    """Return the pair of neighbours, of those listed, between which a mechanism shows the most, with its bound."""
    check.confidence(confidence)
    rounds = max(1, math.ceil(math.log2(max(1, len(pairs)))))
    tried = int(samples * TRYING / (2 * rounds * max(1, len(pairs))))
    if not pairs or tried < LEAST:
        raise ParameterError("samples", samples, f"at least {2 * rounds * LEAST / TRYING:,.0f} for each of the pairs")
    reader = OutputReader(mechanism)
    learned, certified = int(samples * LEARNING / 2), int(samples * (1 - TRYING - LEARNING) / 2)
    pair, left = pairs[0], list(pairs)
    try:
        while len(left) > 1:
            found: list[tuple[float, int]] = []
            for place, pair in enumerate(left):
                event = learn_event(reader, *pair, tried, certified, delta, confidence)
                found.append((-math.inf if event is None else event.expected, -place))
            kept = sorted(found, reverse=True)[: (len(left) + 1) // 2]
            left, tried = [left[-place] for _, place in kept], 2 * tried
        pair = left[0]
        event = learn_event(reader, *pair, learned, certified, delta, confidence)
        return WorstPair(*pair, certify_event(reader, event, *pair, certified, delta, confidence))
    except FaultError as trouble:
        return WorstPair(*pair, LowerBound.of_fault(trouble.fault, delta, confidence, reader.drawn))
