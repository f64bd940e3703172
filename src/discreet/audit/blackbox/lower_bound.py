"""A lower bound on what a mechanism loses: `lower_bound(mechanism, one_input, its_neighbour)`.

Half of the outputs are for learning. Of these, half teach scores and half choose the event. Then the event, the
direction and the stake are frozen, and the other outputs, which nobody has looked at, are bet on (`betting`): the bound
holds with the confidence that is asked for, whatever was learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.audit.blackbox.betting import PairCounts, bound_epsilon, bound_mu, choose_stake, find_gaussian_delta
from discreet.audit.blackbox.events import ChosenEvent, choose_event
from discreet.audit.blackbox.outputs import BatchMechanism, FaultError, MechanismFault, OutputReader
from discreet.audit.blackbox.scores import LearnedScore, learn_scores
from discreet.base import check
from discreet.base.errors import ParameterError

BATCH = 50_000
"""Outputs that are drawn and looked at at once while an event is certified."""

LEAST = 1_000
"""Outputs in all, at the least."""

LEARNING = 0.5
"""The part of the outputs that is for learning."""


@dataclass(frozen=True, slots=True)
class LowerBound:
    """What a mechanism loses at the least, with confidence: its true epsilon at this delta is no smaller.

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

    @classmethod
    def of_fault(cls, fault: MechanismFault, delta: float, confidence: float, samples: int) -> LowerBound:
        """Return the finding that a fault is."""
        return cls(0.0, 0.0, delta, confidence, "none", samples, fault)

    def __str__(self) -> str:
        if self.fault is not None:
            return f"a fault: {self.fault}"
        words = f"epsilon is at least {self.epsilon:.4g} at delta {self.delta:g}, mu at least {self.mu:.4g}"
        return f"{words}, with {self.confidence:.1%} confidence, by {self.event} ({self.samples:,} outputs)"

    def refutes(self, epsilon: float) -> bool:
        """Say whether a claim of so much at this delta is refuted; a fault refutes every claim."""
        return self.fault is not None or self.epsilon > epsilon


def lower_bound(
    mechanism: BatchMechanism,
    first: Any,
    second: Any,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
    samples: int = 1_000_000,
    score: LearnedScore | None = None,
) -> LowerBound:
    """Return what a mechanism loses between two neighbouring inputs at the least.

    `mechanism(given, count)` returns an array of `count` independent outputs, numbers or texts, a row for each; one
    that returns a single output is wrapped by `repeat`. `samples` are the outputs in all, on both inputs. `score` is
    one more score, such as a ratio of densities that are known.
    """
    check.confidence(confidence)
    if not 0 <= delta < 1:
        raise ParameterError("delta", delta, "at least 0 and below 1")
    if samples < LEAST:
        raise ParameterError("samples", samples, f"at least {LEAST:,}")
    reader = OutputReader(mechanism)
    learned = int(samples * LEARNING / 2)
    pairs = samples // 2 - learned
    try:
        event = learn_event(reader, first, second, learned, pairs, delta, confidence, score)
        return certify_event(reader, event, first, second, pairs, delta, confidence)
    except FaultError as trouble:
        return LowerBound.of_fault(trouble.fault, delta, confidence, reader.drawn)


def learn_event(
    reader: OutputReader,
    first: Any,
    second: Any,
    outputs: int,
    pairs: int,
    delta: float,
    confidence: float,
    score: LearnedScore | None = None,
) -> ChosenEvent | None:
    """Return the event that shows the most in so many fresh pairs, learned from as many outputs on each input."""
    left, right = reader.draw(first, outputs), reader.draw(second, outputs)
    if left.shape[1] != right.shape[1]:
        fault = MechanismFault(f"it gave {right.shape[1]} numbers where the neighbour had {left.shape[1]}", second)
        raise FaultError(fault)
    middle = outputs // 2
    scores = list(learn_scores(left[:middle], right[:middle]))
    scores += [] if score is None else [score]
    return choose_event(scores, left[middle:], right[middle:], delta, pairs, 1 - confidence)


def certify_event(
    reader: OutputReader,
    event: ChosenEvent | None,
    first: Any,
    second: Any,
    pairs: int,
    delta: float,
    confidence: float,
) -> LowerBound:
    """Return what an event shows in fresh pairs: of each, the first output is on the input where it is likelier."""
    if event is None:
        return LowerBound(0.0, 0.0, delta, confidence, "nothing that tells them apart", reader.drawn)
    likely, unlikely = (second, first) if event.swapped else (first, second)
    counts = PairCounts(0, 0, 0, 0)
    while counts.pairs < pairs:
        size = int(min(BATCH, pairs - counts.pairs))
        found = PairCounts.count(event.find(reader.draw(likely, size)), event.find(reader.draw(unlikely, size)))
        counts = counts.add(found)
    claim, miss = max(0.0, event.expected), 1 - confidence
    likely_counts = PairCounts.expect(event.likely, event.unlikely, pairs)
    epsilon = bound_epsilon(counts, choose_stake(likely_counts, claim, delta), delta, miss)
    expected, tangent = event.expect_mu(pairs, miss)
    stake = choose_stake(likely_counts, tangent, find_gaussian_delta(expected, tangent))
    mu = bound_mu(counts, stake, tangent, miss)
    return LowerBound(epsilon, mu, delta, confidence, str(event), reader.drawn)
