"""A search for the neighbours that show the most: `find_worst(mechanism, pairs)`.

Every pair of inputs is tried with a few outputs, the best third with more, and so on; pairs near the best ones are
tried beside them where `move` makes such. The one that is left is frozen, and only its event is certified, on outputs
that nobody has looked at: so the search costs outputs, and no confidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.audit.blackbox.events import ChosenEvent, EventAim
from discreet.audit.blackbox.lower_bound import LowerBound, certify_event, learn_event, make_aim
from discreet.audit.blackbox.outputs import LONGEST, BatchMechanism, FaultError, MechanismFault, OutputReader
from discreet.audit.blackbox.patterns import InputPair, PairMove
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats

TRYING, LEARNING = 0.2, 0.2
"""The parts of the outputs that find the pair, and that learn its event together with what was tried of it."""

LEAST = 200
"""Outputs on each input of a pair that is tried, at the least."""

KEPT_ONE_IN = 3
"""Of the pairs of a round, one in so many is kept for the next."""

MOVING = 2
"""Rounds in which pairs near the best ones are added."""


@dataclass(frozen=True, slots=True)
class WorstPair:
    """The pair of inputs that showed the most, and the bound between them."""

    first: Any
    second: Any
    bound: LowerBound


@dataclass(slots=True)
class OutputStore:
    """Outputs for learning: an input that is in several pairs is drawn once for all of them."""

    reader: OutputReader
    _kept: dict[str, Floats] = field(default_factory=dict)

    def learn(self, pair: InputPair, outputs: int, aim: EventAim) -> ChosenEvent | None:
        """Return the best event between two inputs, from so many outputs on each, those kept included."""
        left = self._take(pair[0], outputs)
        return learn_event(left, self._take(pair[1], outputs, left.shape[1]), aim)

    def keep(self, pairs: Sequence[InputPair]) -> None:
        """Forget the outputs on all other inputs."""
        names = {repr(given) for pair in pairs for given in pair}
        self._kept = {name: rows for name, rows in self._kept.items() if name in names}

    def share(self, fresh: int, pairs: Sequence[InputPair]) -> int:
        """Return how many outputs there may be on each input of some pairs, so that so many are fresh ones."""
        names = {repr(given) for pair in pairs for given in pair}
        return (fresh + sum(len(self._kept[name]) for name in names if name in self._kept)) // len(names)

    def _take(self, given: Any, outputs: int, width: int | None = None) -> Floats:
        kept = self._kept.get(repr(given))
        if kept is None or len(kept) < outputs:
            missing = outputs - (0 if kept is None else len(kept))
            fresh = self.reader.draw(given, missing, width if kept is None else kept.shape[1])
            kept = self._kept[repr(given)] = fresh if kept is None else np.concatenate([kept, fresh])
        if width is not None and kept.shape[1] != width:
            what = f"it gave {kept.shape[1]} numbers where the neighbour had {width}"
            raise FaultError(MechanismFault(what, given))
        return kept[:outputs]


def find_worst(
    mechanism: BatchMechanism,
    pairs: Sequence[InputPair],
    *,
    move: PairMove | None = None,
    delta: float = 0.0,
    confidence: float = 0.95,
    samples: int = 2_000_000,
    claim: float | None = None,
    longest: float = LONGEST,
) -> WorstPair:
    """Return the pair of neighbours, of those listed and near them, between which a mechanism shows the most.

    `move(pair, generator)` returns neighbours near a pair; the other words are those of `lower_bound`.
    """
    certified = int(samples * (1 - TRYING - LEARNING) / 2)
    aim = make_aim(certified, delta, confidence, claim)
    rounds = max(1, math.ceil(math.log(max(1, len(pairs)), KEPT_ONE_IN))) + (0 if move is None else MOVING)
    tried = int(samples * TRYING / rounds)
    if not pairs or tried < 2 * LEAST * len(pairs):
        least = 2 * rounds * LEAST / TRYING
        raise ParameterError("samples", samples, f"at least {least:,.0f} for each of the pairs")
    reader = OutputReader(mechanism, longest)
    store, left, generator = OutputStore(reader), list(pairs), np.random.default_rng()
    pair = left[0]
    try:
        for turn in range(rounds if len(left) > 1 or move is not None else 0):
            outputs = store.share(tried, left)
            found: list[tuple[float, int]] = []
            for place, pair in enumerate(left):
                event = store.learn(pair, outputs, aim)
                found.append((-math.inf if event is None else event.expected, -place))
            left = [left[-place] for _, place in sorted(found, reverse=True)[: -(-len(left) // KEPT_ONE_IN)]]
            if move is not None and turn < MOVING:
                left += [move(each, generator) for each in left for _ in range(KEPT_ONE_IN - 1)]
            store.keep(left)
        pair = left[0]
        event = store.learn(pair, store.share(samples - 2 * certified - reader.drawn, [pair]), aim)
        bound = certify_event(reader, event, *pair, aim)
    except FaultError as trouble:
        bound = LowerBound.of_fault(trouble.fault, delta, confidence, reader.drawn)
    return WorstPair(*pair, bound)
