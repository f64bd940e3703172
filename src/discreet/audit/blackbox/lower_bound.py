"""A lower bound on what a mechanism loses: `lower_bound(mechanism, one_input, its_neighbour)`.

Some of the outputs are for learning: each half of them teaches scores, which the other half judges, and that chooses
the event. Then the event, the direction and the size of the sample are frozen, and the other outputs, which nobody has
looked at, are tested (`direct`), or bet on by those who want to stop early (`betting`): the bound holds with the
confidence that is asked for, whatever was learned.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.audit.blackbox.asked import read_claim, read_confidence, read_delta
from discreet.audit.blackbox.betting import PairBets, PairCounts, bound_epsilon, choose_stake
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.events import ChosenEvent, RatedOutputs, choose_event, find_excess
from discreet.audit.blackbox.expecting import EventAim
from discreet.audit.blackbox.outputs import BATCH, LONGEST, BatchMechanism, FaultError, MechanismFault, OutputReader
from discreet.audit.blackbox.scores import LearnedScore, hold_to_numbers, learn_scores
from discreet.audit.blackbox.staged import StagedTest
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats

LEAST = 1_000
"""Outputs in all, at the least."""

LEARNING = 0.3
"""The part of the outputs that is for learning."""


@dataclass(frozen=True, slots=True)
class LowerBound:
    """What a mechanism loses at the least, with confidence: its true epsilon at this delta is no smaller.

    The confidence is that of each of the two bounds, of epsilon and of mu, by itself, and not of both together.
    That a bound is small proves nothing: somebody else's event may show more.
    """

    epsilon: float
    mu: float
    """The same as Gaussian privacy: no smaller mu holds."""
    delta: float
    confidence: float
    event: str
    samples: int
    """Outputs on both inputs, learning included."""
    fault: MechanismFault | None = None
    """What came in place of an output, where something did: then nothing is bounded."""
    evidence: DirectTest | StagedTest | PairBets | None = None
    """What was counted; None where no event was found."""
    claim: float | None = None
    """The epsilon that the event was chosen to refute, where one was named."""

    @classmethod
    def of_fault(cls, fault: MechanismFault, delta: float, confidence: float, samples: int) -> LowerBound:
        """Return the finding that a fault is."""
        return cls(0.0, 0.0, delta, confidence, "none", samples, fault)

    def __str__(self) -> str:
        if self.fault is not None:
            return f"a fault: {self.fault}"
        words = f"epsilon is at least {self.epsilon:.4g} at delta {self.delta:g}, mu at least {self.mu:.4g}"
        words = f"{words}, with {100 * self.confidence:.10g}% confidence, by {self.event} ({self.samples:,} outputs)"
        if self.claim is None:
            return words
        return f"{words}; the claim of {self.claim:g} is {'refuted' if self.refutes(self.claim) else 'not refuted'}"

    def refutes(self, epsilon: float) -> bool:
        """Say whether a claim of so much at this delta is refuted; a fault refutes every claim."""
        return self.find_p_value(epsilon) <= 1 - self.confidence

    def find_p_value(self, epsilon: float) -> float:
        """Return how likely such evidence is at the most where a claim at this delta holds; 0 for a fault."""
        claim = read_claim(epsilon, "epsilon")
        if self.fault is not None:
            return 0.0
        return 1.0 if self.evidence is None else self.evidence.find_p_value(claim, self.delta)


def lower_bound(
    mechanism: BatchMechanism,
    first: Any,
    second: Any,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    samples: int = 1_000_000,
    claim: float | None = None,
    stop_early: bool = False,
    score: LearnedScore | None = None,
    longest: float = LONGEST,
) -> LowerBound:
    """Return what a mechanism loses between two neighbouring inputs at the least.

    `mechanism(given, count)` returns `count` independent outputs: an array with a row for each, or a list of whatever
    there is, None and texts beside numbers, too; one that returns a single output is wrapped by `repeat`. `samples` are
    the outputs in all, on both inputs. With a `claim`, an epsilon, the event is chosen that speaks the most against it;
    with `stop_early`, too, bets are made that end as soon as it is refuted, and mu is not bounded. `score` is one more
    score, such as a ratio of densities that are known. A call that takes more than `longest` seconds for up to 50,000
    outputs hangs.
    """
    check.integer("samples", samples, least=LEAST)
    learned = int(samples * LEARNING / 2)
    aim = make_aim(samples // 2 - learned, delta, confidence, claim)
    if check.flag("stop_early", stop_early) and claim is None:
        raise ParameterError("stop_early", stop_early, "False where there is no claim to refute")
    known = [] if score is None else [hold_to_numbers(score)]
    reader = OutputReader(mechanism, longest)
    try:
        event = learn_event(*draw_both(reader, first, second, learned), aim, known)
        return certify_event(reader, event, first, second, aim, stop_early)
    except FaultError as trouble:
        return LowerBound.of_fault(trouble.fault, aim.delta, aim.confidence, reader.drawn)


def make_aim(pairs: int, delta: float, confidence: float, claim: float | None) -> EventAim:
    """Return what an event is wanted for, or refuse numbers that mean nothing."""
    claimed = None if claim is None else read_claim(claim)
    return EventAim(pairs, read_delta(delta), read_confidence(confidence), claimed)


def draw_both(reader: OutputReader, first: Any, second: Any, outputs: int) -> tuple[Floats, Floats]:
    """Return so many outputs on each of two inputs."""
    return reader.draw(first, outputs), reader.draw(second, outputs)


def learn_event(left: Floats, right: Floats, aim: EventAim, known: Sequence[LearnedScore] = ()) -> ChosenEvent | None:
    """Return the best event, with its score learned from all outputs."""
    event = judge_scores(left, right, aim, known)
    return event if event is None or event.score in known else learn_again(event, left, right, aim)


def learn_again(event: ChosenEvent, left: Floats, right: Floats, aim: EventAim) -> ChosenEvent:
    """Learn the score of an event, which half of the outputs taught, from all of them, and choose its threshold again.

    A smooth score that was suspected is asked for its own chances. Others take in about as many outputs as they did
    before: scores that were learned from more outputs differ a little. Outputs with the same score are in the event
    together or not at all, so a few more or less than expected must not add all of a frequent kind, nor lose all of a
    rare one.
    """
    score = next((each for each in learn_scores(left, right) if each.name == event.score.name), event.score)
    sides = [(-1 if event.swapped else 1) * score.rate(rows) for rows in (left, right)]
    if event.borne_out and aim.claim is not None:
        likely, unlikely = (event.borne_out * side for side in (sides[::-1] if event.swapped else sides))
        threshold = find_excess(likely, unlikely, aim.claim, aim)[1] / event.borne_out
        return replace(event, score=score, threshold=threshold)
    values, counts = np.unique(np.concatenate(sides), return_counts=True)
    inside = np.cumsum(counts[::-1])[::-1]
    wanted = (event.likely + event.unlikely) / 2 * inside[0]
    return replace(event, score=score, threshold=float(values[np.argmin(np.abs(inside - wanted))]))


def judge_scores(left: Floats, right: Floats, aim: EventAim, known: Sequence[LearnedScore] = ()) -> ChosenEvent | None:
    """Return the best event between two inputs: each half of the outputs teaches scores that the other half judges."""
    half = len(left) // 2
    halves = (left[:half], right[:half]), (left[half:], right[half:])
    taught = [{score.name: score for score in learn_scores(*each)} for each in halves]
    rated = [RatedOutputs.sort(score, score.rate(left), score.rate(right)) for score in known]
    for name in taught[0]:
        if name in taught[1]:
            one, other = taught[0][name], taught[1][name]
            sides = [
                np.concatenate([other.rate(halves[0][side][: one.most]), one.rate(halves[1][side][: one.most])])
                for side in (0, 1)
            ]
            rated.append(RatedOutputs.sort(one, *sides))
    return choose_event(rated, aim)


def certify_event(
    reader: OutputReader, event: ChosenEvent | None, first: Any, second: Any, aim: EventAim, stop_early: bool = False
) -> LowerBound:
    """Return what an event shows in fresh pairs: of each, the first output is on the input where it is likelier.

    What decides is fixed before they are drawn: how many there are, and a direct test of them all; or, for those who
    stop early, a stake, and bets that may be looked at whenever one likes.
    """
    if event is None:
        nothing = "nothing that tells them apart"
        return LowerBound(0.0, 0.0, aim.delta, aim.confidence, nothing, reader.drawn, claim=aim.claim)
    likely, unlikely = (second, first) if event.swapped else (first, second)
    stake = choose_stake(
        PairCounts.expect(event.likely, event.unlikely, aim.pairs),
        max(0.0, aim.claim or 0.0, event.expected),
        aim.delta,
    )
    counts = PairCounts(0, 0, 0, 0)
    while counts.pairs < aim.pairs:
        size = int(min(BATCH, aim.pairs - counts.pairs))
        found = [event.find(reader.draw(given, size)) for given in (likely, unlikely)]
        counts = counts.add(PairCounts.count(*found))
        if stop_early and PairBets(counts, stake).find_p_value(aim.claim or 0.0, aim.delta) <= aim.miss:
            break
    if stop_early:
        bets, epsilon = PairBets(counts, stake), bound_epsilon(counts, stake, aim.delta, aim.miss)
        return LowerBound(epsilon, 0.0, aim.delta, aim.confidence, str(event), reader.drawn, None, bets, aim.claim)
    test = DirectTest(counts, secrets.randbits(64))
    tangent = event.expect_mu(aim.pairs, aim.miss)[1]
    bounds = test.bound_epsilon(aim.delta, aim.miss), test.bound_mu(tangent, aim.miss)
    return LowerBound(*bounds, aim.delta, aim.confidence, str(event), reader.drawn, None, test, aim.claim)
