"""A search for the neighbours that show the most: `find_worst(mechanism, pairs)`.

Every pair of inputs is tried with a few outputs, the better half with more, and so on (successive halving: Karnin,
Koren, Somekh 2013); pairs near the best ones are tried beside them where `move` makes such. Of the last ones, the
one whose event is the best is frozen, and only that event is certified, on outputs that nobody has looked at: so the
search costs outputs, and no confidence. A claim is tested in stages, and what one of them shows is learned from before
the next: a pair that only looked good is left for another one (`staged`).

Against a claim two things make a pair better: an event that is known to show more, and one that is suspected to exceed
the claim. Few outputs tell the first of frequent events only, and the second of none for sure: so of each round those
are kept that lead in either, and first those that are suspicious where nothing is certain.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.audit.blackbox.betting import PairCounts
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.events import CERTAIN, SUSPICIOUS, ChosenEvent
from discreet.audit.blackbox.expecting import EventAim
from discreet.audit.blackbox.lower_bound import LowerBound, certify_event, judge_scores, learn_again, make_aim
from discreet.audit.blackbox.names import name_input
from discreet.audit.blackbox.outputs import LONGEST, BatchMechanism, FaultError, OutputReader, check_takes
from discreet.audit.blackbox.patterns import InputPair, PairMove
from discreet.audit.blackbox.staged import StagedTest
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats

TRYING, LEARNING = 0.3, 0.2
"""The parts of the outputs that find the last pairs, and that learn their events together with those tried before.

The right pair is worth more than outputs that certify: half as many of these still see 0.7 times the deviations."""

LEAST = 200
"""Outputs on each input of a pair that is tried, at the least."""

KEPT_ONE_IN = 2
"""Of the pairs of a round, one in so many is kept for the next."""

LAST = 4
"""Pairs that are left when the last outputs for learning are drawn: few outputs do not tell good ones apart."""

STAGES = 5
"""Stages of fresh outputs against a claim: what one shows is learned from before the next."""

MOVING, MOVES = 2, 2
"""Rounds in which pairs near the best ones are added, and how many of them for each."""


MOVED = "a function of a pair and of a generator that returns another pair"
"""What looks for neighbours near a pair."""


@dataclass(frozen=True, slots=True)
class WorstPair:
    """The pair of inputs that showed the most, and the bound between them.

    Against a claim it bounds what the mechanism loses: a stage may have looked at another of the pairs (`staged`).
    """

    first: Any
    second: Any
    bound: LowerBound

    def __str__(self) -> str:
        return f"between {self.first!r} and {self.second!r}: {self.bound}"


@dataclass(slots=True)
class OutputStore:
    """Outputs for learning: an input that is in several pairs is drawn once for all of them."""

    reader: OutputReader
    _kept: dict[bytes | int, Floats] = field(default_factory=dict)

    def take(self, pair: InputPair, outputs: int) -> tuple[Floats, Floats]:
        """Return so many outputs on each of two inputs, those kept included."""
        return self._take(pair[0], outputs), self._take(pair[1], outputs)

    def keep(self, pairs: Sequence[InputPair]) -> None:
        """Forget the outputs on all other inputs."""
        names = {name_input(given) for pair in pairs for given in pair}
        self._kept = {name: rows for name, rows in self._kept.items() if name in names}

    def take_all(self, pair: InputPair) -> tuple[Floats, Floats]:
        """Return the outputs kept on each of two inputs, of both as many."""
        return self.take(pair, min(len(self._kept[name_input(given)]) for given in pair))

    def draw(self, pair: InputPair, outputs: int) -> tuple[Floats, Floats]:
        """Return so many fresh outputs on each of two inputs, and keep them for learning later on."""
        rows: list[Floats] = []
        for given in pair:
            name, fresh = name_input(given), self._draw(given, outputs)
            self._kept[name] = np.concatenate([self._kept[name], fresh])
            rows.append(fresh)
        return rows[0], rows[1]

    def share(self, fresh: int, pairs: Sequence[InputPair]) -> int:
        """Return how many outputs there may be on each input of some pairs, so that so many are fresh ones."""
        names = {name_input(given) for pair in pairs for given in pair}
        return (fresh + sum(len(self._kept[name]) for name in names if name in self._kept)) // len(names)

    def _draw(self, given: Any, outputs: int) -> Floats:
        name, fresh = name_input(given), self.reader.draw(given, outputs)
        if name_input(given) != name:
            raise ParameterError("mechanism", "one that changes its input", "one that leaves its input as it is")
        return fresh

    def _take(self, given: Any, outputs: int) -> Floats:
        name = name_input(given)
        kept = self._kept.get(name)
        if kept is None or len(kept) < outputs:
            fresh = self._draw(given, outputs - (0 if kept is None else len(kept)))
            kept = self._kept[name] = fresh if kept is None else np.concatenate([kept, fresh])
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
    check.integer("samples", samples, least=1)
    left = read_pairs(pairs)
    if move is not None:
        check_takes(move, left[0], np.random.default_rng(), expected=MOVED, name="move")
    aim = make_search_aim(samples, delta, confidence, claim)
    rounds = count_rounds(len(left), move is not None)
    tried = int(samples * TRYING / max(1, rounds))
    if tried < 2 * LEAST * len(left):
        least = 2 * max(1, rounds) * LEAST / TRYING
        raise ParameterError("samples", samples, f"at least {least:,.0f} for each of the pairs")
    reader = OutputReader(mechanism, longest)
    store, generator = OutputStore(reader), np.random.default_rng()
    try:
        for turn in range(rounds + 1):
            last = turn == rounds
            left = left[:LAST] if last else left
            outputs = store.share(samples - 2 * aim.pairs - reader.drawn if last else tried, left)
            found = [(judge_scores(*store.take(pair, outputs), aim), pair) for pair in left]
            ranked = rank_pairs(found, aim)
            if last:
                break
            left = [found[place][1] for place in ranked[: -(-len(left) // KEPT_ONE_IN)]]
            if move is not None and turn < MOVING:
                left += _move_pairs(left, move, generator)
            store.keep(left)
        event, pair = found[ranked[0]]
        if event is not None:
            event = learn_again(event, *store.take(pair, outputs), aim)
        if event is None or claim is None:
            bound = certify_event(reader, event, *pair, aim)
        else:
            pair, bound = certify_in_stages(store, event, found, ranked[0], aim)
    except FaultError as trouble:
        pair = next(pair for pair in left if any(given is trouble.fault.given for given in pair))
        bound = LowerBound.of_fault(trouble.fault, aim.delta, aim.confidence, reader.drawn)
    return WorstPair(*pair, bound)


def read_pairs(pairs: Collection[InputPair]) -> list[InputPair]:
    """Return pairs of inputs as a list, or refuse what is none."""
    listed = list(pairs) if isinstance(pairs, Collection) else []
    if not listed or any(not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2 for pair in listed):
        words = "a list of neighbouring inputs two by two, such as [(0, 1), (1, 2)]"
        raise ParameterError("pairs", listed[:3] or pairs, words)
    return [(first, second) for first, second in listed]


def _move_pairs(pairs: list[InputPair], move: PairMove, generator: np.random.Generator) -> list[InputPair]:
    """Return neighbours near each pair."""
    moved = [move(each, generator) for each in pairs for _ in range(MOVES)]
    try:
        return [(first, second) for first, second in moved]
    except (TypeError, ValueError):
        raise ParameterError("move", moved[:3], MOVED) from None


def certify_in_stages(
    store: OutputStore, event: ChosenEvent, found: list[tuple[ChosenEvent | None, InputPair]], place: int, aim: EventAim
) -> tuple[InputPair, LowerBound]:
    """Return what fresh outputs say against a claim, and the pair of inputs that the last of them were drawn on.

    The outputs of each stage are looked at by an event that was frozen before, and are then learned from, too: so the
    next stage may turn to a better event, or to another pair (`staged`). Each pair is judged by all its outputs: a
    stage of few deviations may only say that its event was a bad one. What refutes the claim for sure is kept.
    """
    tangent, tests, size = event.expect_mu(aim.pairs, aim.miss)[1], list[DirectTest](), int(aim.pairs) // STAGES
    excesses = list[float]()
    while True:
        pair = found[place][1]
        drawn = store.draw(pair[::-1] if event.swapped else pair, size)
        tests.append(DirectTest(PairCounts.count(*map(event.find, drawn)), secrets.randbits(64)))
        if len(tests) == STAGES:
            break
        excesses.append(tests[-1].find_excess(aim.claim or 0.0, aim.delta))
        if sum(excesses) / math.sqrt(len(excesses)) >= CERTAIN:
            continue
        found[place] = judge_scores(*store.take_all(pair), aim), pair
        place = rank_pairs(found, aim)[0]
        better, pair = found[place]
        if better is not None:
            event = learn_again(better, *store.take_all(pair), aim)
    test = StagedTest(tuple(tests))
    bounds = test.bound_epsilon(aim.delta, aim.miss), test.bound_mu(tangent, aim.miss)
    outputs = store.reader.drawn
    return pair, LowerBound(*bounds, aim.delta, aim.confidence, str(event), outputs, None, test, aim.claim)


def count_rounds(pairs: int, moving: bool) -> int:
    """Return after how many rounds the last pairs are left; those that are added by moves take one more."""
    rounds = MOVING + 1 if moving else 0
    while pairs > LAST:
        pairs, rounds = -(-pairs // KEPT_ONE_IN), rounds + 1
    return rounds


def make_search_aim(samples: int, delta: float, confidence: float, claim: float | None) -> EventAim:
    """Return what the event of a search is wanted for: so many pairs are left for it."""
    return make_aim(int(samples * (1 - TRYING - LEARNING) / 2), delta, confidence, claim)


def rank_pairs(found: Sequence[tuple[ChosenEvent | None, InputPair]], aim: EventAim) -> list[int]:
    """Return the places of pairs, the best first: in turn who shows the most, and who is suspected the most.

    Where nothing is certain to refute the claim, all that are suspicious come before.
    """
    events, places = [event for event, _ in found], range(len(found))
    shown = sorted(places, key=lambda place: _rate_shown(events[place]), reverse=True)
    if aim.claim is None:
        return shown
    suspected = sorted(places, key=lambda place: _rate_suspected(events[place]), reverse=True)
    in_turn = [place for turn in zip(shown, suspected, strict=True) for place in turn]
    if not _rate_shown(events[shown[0]])[0]:
        in_turn = [place for place in suspected if _rate_suspected(events[place]) >= SUSPICIOUS] + in_turn
    return list(dict.fromkeys(in_turn))


def _rate_shown(event: ChosenEvent | None) -> tuple[bool, float]:
    return (False, -math.inf) if event is None else (event.certain, event.expected)


def _rate_suspected(event: ChosenEvent | None) -> float:
    return -math.inf if event is None else event.suspicion
