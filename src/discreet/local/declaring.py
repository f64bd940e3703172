"""Metrics of texts, words, numbers and records, made from a few numbers: good parameters for the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.local.advisor import Advice, advise
from discreet.local.client import (
    AlphabetWords,
    BoundedNumbers,
    Choices,
    CountMeanSketch,
    FragmentPuzzle,
    HadamardSketch,
    HybridMean,
    Mechanism,
    MemoisedHashing,
    MemoisedUnary,
    Metric,
    OneBitMean,
    PiecewiseMean,
    PrefixExtending,
    Rappor,
    RapporStrings,
    Records,
    Sampled,
    Texts,
    ValueDomain,
)

Declared = tuple[ValueDomain, Mechanism]
Made = TypeVar("Made")

FUNCTIONS = BUCKETS = 1024
"""Of sketches: a collector holds a million counts, and texts that share a bucket hardly add to errors."""

NUMBERS: dict[str, Callable[[float], Mechanism]] = {
    "hybrid": HybridMean.calibrate,
    "piecewise": PiecewiseMean.calibrate,
    "one-bit": OneBitMean.calibrate,
}
TEXTS: dict[str, Callable[[float], Mechanism]] = {
    "hadamard-mean": lambda epsilon: HadamardSketch.calibrate(epsilon, FUNCTIONS, BUCKETS),
    "count-mean": lambda epsilon: CountMeanSketch.calibrate(epsilon, FUNCTIONS, BUCKETS, symmetric=False),
}
WORDS: dict[str, Callable[[float, AlphabetWords], Mechanism]] = {
    "prefix": lambda epsilon, words: PrefixExtending.calibrate(epsilon, words.bits),
    "puzzle": lambda epsilon, words: FragmentPuzzle.calibrate(epsilon, words.bits, find_span(words)),
}
MEMOISED: dict[str, Callable[[float, float, int], Mechanism]] = {
    "memoised-hashing": MemoisedHashing.calibrate,
    "memoised-unary": MemoisedUnary.calibrate,
}
SPAN = 12
"""Bits of a fragment at most: with its piece, one of about a million items."""


def declare_choices(
    epsilon: float,
    choices: Sequence[str],
    mechanism: str | None = None,
    most_bytes: int | None = None,
    reports: int = 1_000_000,
) -> tuple[Declared, Advice]:
    """Return choices by the mechanism that is advised, or by the one that is named, and the advice."""
    domain = Choices(tuple(choices))
    advice = advise(epsilon, domain.size, most_bytes, reports)
    named = {each.mechanism.kind: each.mechanism for each in advice.candidates}
    return (domain, advice.mechanism if mechanism is None else _choose(named, mechanism)), advice


def declare_numbers(epsilon: float, bounds: Sequence[float], mechanism: str | None = None) -> Declared:
    """Return numbers between bounds, by the hybrid of the two mechanisms for means unless one is named."""
    if len(bounds) != 2:
        raise ParameterError("bounds", tuple(bounds), "two numbers, the lower first")
    return BoundedNumbers(bounds[0], bounds[1]), _choose(NUMBERS, mechanism)(epsilon)


def declare_texts(epsilon: float, mechanism: str | None = None) -> Declared:
    """Return texts that nobody listed, by a sketch."""
    return Texts(), _choose(TEXTS, mechanism)(epsilon)


def declare_rappor(numbers: Sequence[float], fragments: Sequence[float] | None = None) -> Declared:
    """Return texts by RAPPOR: bits, hashes, cohorts, p, q and f; with fragments, so many letters and pieces."""
    if len(numbers) != 6 or any(number != int(number) for number in numbers[:3]):
        raise ParameterError("rappor", tuple(numbers), "bits, hashes and cohorts, then p, q and f: six numbers")
    bits, hashes, cohorts = (int(number) for number in numbers[:3])
    part = Rappor.take(bits, hashes, cohorts, *numbers[3:])
    if fragments is None:
        return Texts(), part
    if len(fragments) != 2 or any(number != int(number) for number in fragments):
        told = "letters of a fragment, and pieces of a text: two whole numbers"
        raise ParameterError("fragments", tuple(fragments), told)
    return Texts(), RapporStrings.take(part, int(fragments[0]), int(fragments[1]))


def declare_words(epsilon: float, alphabet: str, letters: int, mechanism: str | None = None) -> Declared:
    """Return words of an alphabet, of which the frequent ones are found without a list."""
    words = AlphabetWords(alphabet, letters)
    return words, _choose(WORDS, mechanism)(epsilon, words)


def declare_memoised(constant: float, epsilon: float, choices: Sequence[str], mechanism: str | None = None) -> Declared:
    """Return choices that are reported again and again: `constant` is what a value that never changes tells in all."""
    domain = Choices(tuple(choices))
    return domain, _choose(MEMOISED, mechanism)(constant, epsilon, domain.size)


def declare_records(metrics: Sequence[Metric]) -> Declared:
    """Return records whose attributes are what metrics declare; each report tells one, drawn without looking."""
    check.integer("number of attributes", len(metrics), least=1)
    domain = Records(tuple(each.name for each in metrics), tuple(each.domain for each in metrics))
    return domain, Sampled(tuple(each.mechanism for each in metrics))


def find_span(words: AlphabetWords) -> int:
    """Return how many bits of a word a fragment has: whole letters, if it can be, and a divisor of all bits."""
    spans = [span for span in range(1, SPAN + 1) if words.bits % span == 0]
    whole = [span for span in spans if span % words.letter_bits == 0]
    return max(whole or spans)


def count_reports(metric: Metric, most: int = 1_000_000) -> int:
    """Return how many reports of one person fit the metric's lifetime, however values change; at most `most`."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if metric.mechanism.sum_epsilon(middle) <= metric.lifetime else (low, middle)
    return low


def _choose(known: Mapping[str, Made], name: str | None) -> Made:
    """Return what is known by a name; the first, where none is given."""
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise ParameterError("mechanism", name, f"one of {', '.join(known)} here")
    return known[name]
