"""A small metric of every kind of mechanism, with people whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.local.client import (
    AlphabetWords,
    BoundedNumbers,
    Choices,
    CountMeanSketch,
    DirectResponse,
    FragmentPuzzle,
    HadamardBit,
    HadamardSketch,
    HybridMean,
    LocalHashing,
    Mechanism,
    MemoisedHashing,
    MemoisedUnary,
    Metric,
    OneBitMean,
    PiecewiseMean,
    PrefixExtending,
    ProjectiveResponse,
    Rappor,
    RapporStrings,
    Records,
    Sampled,
    SubsetSelection,
    Texts,
    UnaryEncoding,
    ValueDomain,
)

EPSILON = 4.0
FRUITS = ("apple", "banana", "cherry")
CHOICES, TEXTS, AGES, WORDS = Choices(FRUITS), Texts(), BoundedNumbers(0, 100), AlphabetWords("ab", 3)
PART = Rappor.take(16, 2, 8, 0.1, 0.9, 0.125)

Truth = Mapping[tuple[str, ...], float]


@dataclass(frozen=True)
class KindCase:
    """A metric, values that people have by turns, what is true of them, and the candidates to decode it with."""

    metric: Metric
    values: Sequence[Any]
    truth: Truth
    candidates: Any = None


def share(values: Sequence[Any], names: Sequence[str], other: str | None = None) -> Truth:
    """Return how frequent each name is among values, and all others together."""
    found: dict[tuple[str, ...], float] = {(name,): values.count(name) / len(values) for name in names}
    return found | ({(other,): 1 - sum(found.values())} if other else {})


BASKET = ["apple"] * 6 + ["banana"] * 3 + ["mango"]
TYPED = ["ab"] * 6 + ["bba"] * 4
NUMBERS = [20, 30, 40, 90, 250]
PEOPLE = [{"fruit": fruit, "age": age} for fruit in BASKET for age in NUMBERS]


def make_kinds() -> dict[str, KindCase]:
    """Return a case for every kind of mechanism."""
    size = CHOICES.size
    items: list[Mechanism] = [
        DirectResponse.calibrate(EPSILON, size),
        UnaryEncoding.calibrate(EPSILON, size),
        LocalHashing.calibrate(EPSILON, size),
        HadamardBit.calibrate(EPSILON, size),
        SubsetSelection.calibrate(EPSILON, size),
        ProjectiveResponse.calibrate(EPSILON, size),
        MemoisedUnary.calibrate(2 * EPSILON, EPSILON, size),
        MemoisedHashing.calibrate(2 * EPSILON, EPSILON, size),
    ]
    texts: list[Mechanism] = [
        CountMeanSketch.calibrate(EPSILON, 32, 32),
        HadamardSketch.calibrate(EPSILON, 32, 32),
        PART,
        RapporStrings.take(PART, 2, 3),
    ]
    numbers: list[Mechanism] = [each.calibrate(EPSILON) for each in (OneBitMean, PiecewiseMean, HybridMean)]
    words: list[Mechanism] = [
        PrefixExtending.calibrate(EPSILON, WORDS.bits, first=2, step=2, pool=64),
        FragmentPuzzle.calibrate(2 * EPSILON, WORDS.bits, 2, 8, 32, 32),
    ]
    looked = (*FRUITS, "mango")
    mean: Truth = {("(mean)",): (20 + 30 + 40 + 90 + 100) / 5}
    cases = [_case(CHOICES, each, BASKET, share(BASKET, FRUITS, "(other)")) for each in items]
    cases += [_case(TEXTS, each, BASKET, share(BASKET, looked), looked) for each in texts]
    cases += [_case(AGES, each, NUMBERS, mean) for each in numbers]
    cases += [_case(WORDS, each, TYPED, share(TYPED, ("ab", "bba"))) for each in words]
    both = {("fruit", *key): value for key, value in share(BASKET, looked).items()}
    both |= {("age", *key): value for key, value in mean.items()}
    records = Records(("fruit", "age"), (TEXTS, AGES))
    cases.append(_case(records, Sampled((texts[1], numbers[2])), PEOPLE, both, {"fruit": looked}))
    return {case.metric.mechanism.kind: case for case in cases}


def _case(domain: ValueDomain, mechanism: Mechanism, values: Any, truth: Truth, candidates: Any = None) -> KindCase:
    return KindCase(Metric("thing", domain, mechanism, lifetime=1000), values, truth, candidates)
