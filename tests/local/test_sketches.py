"""Texts: estimates are right on average over functions, their errors count collisions, and unknown words are found."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest
from scipy import stats

from discreet.base.errors import ParameterError
from discreet.local.client import (
    AlphabetWords,
    BoundedNumbers,
    CountMeanSketch,
    FragmentPuzzle,
    HadamardSketch,
    Metric,
    OneBitMean,
    SketchMechanism,
    Texts,
    UnaryEncoding,
)
from discreet.local.estimates import Frequencies
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.sketch import SketchOracle
from discreet.local.sketches import estimate_texts, find_words
from discreet.local.tally import Tally

RARE = 1e-6
LETTERS = AlphabetWords(string.ascii_lowercase, 6)


def collect(mechanism: Any, domain: Any, values: Any) -> Tally:
    tally, lost = Tally.start(Metric("x", domain, mechanism, lifetime=9)).add(find_oracle(mechanism).encode(values))
    assert lost == 0
    return tally


def ask(mechanism: SketchMechanism, people: list[bytes], texts: list[str]) -> Frequencies:
    return estimate_texts(collect(mechanism, Texts(), people), texts)


@pytest.mark.many
@pytest.mark.parametrize("frequency", [0.0, 0.3])
@pytest.mark.parametrize(
    "mechanism",
    [
        CountMeanSketch.calibrate(2, 8, 16),
        CountMeanSketch.calibrate(2, 8, 16, symmetric=False),
        HadamardSketch.calibrate(2, 8, 16),
    ],
    ids=["symmetric", "optimised", "hadamard"],
)
def test_mean_and_variance_are_those_derived_for_the_functions_in_use(
    mechanism: SketchMechanism, frequency: float
) -> None:
    """A report of u supports v with a chance of q + (p - q) c, of which c is the share of functions that u and v share.

    So the estimate of v is off by the sum of f_u (c_u - 1/m) m / (m - 1), and has the variance of independent coins.
    """
    runs, count = 400, 500
    own = round(count * frequency)
    people = [b"asked"] * own + [b"u%d" % (place % 3) for place in range(count - own)]
    oracle = find_oracle(mechanism)
    assert isinstance(oracle, SketchOracle)
    asked = oracle.find_buckets(b"asked")
    shares = np.array([np.mean(oracle.find_buckets(text) == asked) for text in people])
    buckets, p, q = mechanism.buckets, float(mechanism.supported), float(mechanism.missed)
    mean = (shares.mean() - 1 / buckets) * buckets / (buckets - 1)
    chances = q + (p - q) * shares
    variance = np.sum(chances * (1 - chances)) / (count * (p - float(mechanism.strayed))) ** 2
    found = np.array([ask(mechanism, people, ["asked"]).raw[0] for _ in range(runs)])
    assert abs(found.mean() - mean) < 5 * np.sqrt(variance / runs)
    spread = runs * found.var() / variance
    assert stats.chi2.ppf(RARE / 2, runs - 1) < spread < stats.chi2.ppf(1 - RARE / 2, runs - 1)


@pytest.mark.many
@pytest.mark.parametrize("frequency", [0.0, 0.3])
@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardSketch])
def test_over_many_functions_the_variance_is_the_stated_one(kind: Any, frequency: float) -> None:
    """With as many functions as a report may have, collisions are as rare as chance makes them."""
    runs, count = 400, 500
    mechanism = kind.calibrate(2, 4096, 4)
    own = round(count * frequency)
    people = [b"asked"] * own + [b"u%d" % (place % 3) for place in range(count - own)]
    found = np.array([ask_one(mechanism, people) for _ in range(runs)])
    variance = mechanism.variance(frequency) / count
    assert abs(found.mean() - frequency) < 5 * np.sqrt(variance / runs) + 0.02
    spread = runs * found.var() / variance
    assert stats.chi2.ppf(RARE / 2, runs - 1) / 1.02 < spread < stats.chi2.ppf(1 - RARE / 2, runs - 1) * 1.02


def ask_one(mechanism: SketchMechanism, people: list[bytes]) -> float:
    """Return the estimate of one text, without the table of all functions."""
    oracle = find_oracle(mechanism)
    assert isinstance(oracle, SketchOracle)
    seeds, payloads = oracle.encode(people)
    if isinstance(mechanism, CountMeanSketch):
        own = oracle.find_own_buckets(seeds, [b"asked"] * len(people))
        bits = np.unpackbits(payloads, axis=1, bitorder="little")
        supports = int(bits[np.arange(len(people)), own].sum())
    else:
        functions, rows = np.divmod(seeds, mechanism.buckets)
        own = oracle.find_own_buckets(functions, [b"asked"] * len(people))
        supports = int((payloads[:, 0] == (np.bitwise_count(rows & own) & 1)).sum())
    p, stray = float(mechanism.supported), float(mechanism.strayed)
    return (supports / len(people) - stray) / (p - stray)


def find_scores(mechanism: SketchMechanism, runs: int) -> tuple[np.ndarray[Any, Any], float]:
    """Return errors of absent texts in standard errors, where one text has half of the people; new texts each time."""
    scores, errors = [], []
    for run in range(runs):
        people = [b"half %d" % run] * 5000 + [b"rest %d %d" % (run, place % 50) for place in range(5000)]
        found = ask(mechanism, people, [f"absent {run} {place}" for place in range(40)])
        scores.append(found.raw / found.errors)
        errors.append(float(found.errors.mean()))
    return np.concatenate(scores), float(np.mean(errors))


@pytest.mark.many
@pytest.mark.parametrize("mechanism", [CountMeanSketch.calibrate(3, 64, 16), HadamardSketch.calibrate(3, 64, 16)])
def test_intervals_hold_as_often_as_they_say_collisions_included(mechanism: SketchMechanism) -> None:
    """With 64 functions collisions err more than coins do: intervals without them would hold far less often."""
    scores, error = find_scores(mechanism, 50)
    assert error > 1.3 * np.sqrt(mechanism.variance(0.0) / 10_000)
    held = np.mean(np.abs(scores) < 1.96)
    assert abs(held - 0.95) < 0.025
    assert abs(scores.mean()) < 5 * np.sqrt(1.2 / len(scores)) + 0.1


def test_listed_and_unlisted_texts_alike_are_estimated() -> None:
    people = [b"apple"] * 6000 + [b"banana"] * 3000 + [b"cherry"] * 1000
    found = ask(HadamardSketch.calibrate(4, 256, 256), people, ["apple", "cherry", "date"])
    assert found.names == ("apple", "cherry", "date")
    assert (np.abs(found.raw - [0.6, 0.1, 0.0]) < 5 * found.errors).all()
    assert found.consistent.min() >= 0
    assert found.consistent.sum() < 0.9


def test_a_malicious_report_moves_an_estimate_by_no_more_than_the_shift() -> None:
    mechanism = CountMeanSketch.calibrate(1, 4, 8)
    tally = collect(mechanism, Texts(), [b"apple"] * 500)
    before = estimate_texts(tally, ["apple", "banana"])
    counts = tally.counts.copy()
    counts[0, :-1] += 1
    moved = estimate_texts(Tally(tally.metric, tally.reports, counts), ["apple", "banana"])
    assert moved.raw - before.raw == pytest.approx(before.shift)


@pytest.mark.parametrize(
    ("texts", "confidence"), [([], 0.95), (["a", "a"], 0.95), (["a" * 64, "a" * 65], 0.95), (["a"], 1.0)], ids=str
)
def test_texts_that_cannot_be_told_apart_are_refused(texts: list[str], confidence: float) -> None:
    tally = collect(HadamardSketch.calibrate(1, 4, 8), Texts(), [b"apple"] * 50)
    with pytest.raises(ParameterError):
        estimate_texts(tally, texts, confidence)


def test_other_tallies_are_refused() -> None:
    numbers = collect(OneBitMean.calibrate(1), BoundedNumbers(0, 1), [0.5] * 9)
    with pytest.raises(ParameterError, match="sketch"):
        estimate_texts(numbers, ["a"])
    with pytest.raises(ParameterError, match="puzzle"):
        find_words(numbers)


def make_words(count: int) -> list[str]:
    generator = np.random.default_rng(5)
    return ["".join(generator.choice(list(string.ascii_lowercase), generator.integers(2, 7))) for _ in range(count)]


def collect_puzzle(people: int, whole: CountMeanSketch | HadamardSketch | None = None) -> tuple[Tally, list[str], Any]:
    """Return a puzzle of people with words whose frequencies fall off as 1 / rank, with all words and frequencies."""
    words = make_words(60)
    shares = 1 / np.arange(1, 61)
    counts = np.round(people * shares / shares.sum()).astype(int)
    puzzle = FragmentPuzzle.calibrate(6, LETTERS.bits, 10, functions=256, buckets=256)
    if whole is not None:
        puzzle = FragmentPuzzle(puzzle.bits, puzzle.span, puzzle.pieces, puzzle.fragment, whole)
    values = np.repeat(np.array([LETTERS.place(word) for word in words], dtype=np.uint64), counts)
    return collect(puzzle, LETTERS, values), words, counts / counts.sum()


@pytest.mark.many
@pytest.mark.parametrize("whole", [None, CountMeanSketch.calibrate(3, 64, 64)], ids=["hadamard", "count-mean"])
def test_a_puzzle_finds_frequent_words_that_nobody_listed(whole: CountMeanSketch | HadamardSketch | None) -> None:
    """80,000 people at epsilon 6: the first words, at 21 to 7 percent, come out, and none that nobody has."""
    tally, words, true = collect_puzzle(80_000, whole)
    found = find_words(tally, confidence=0.9999)
    assert set(words[:3]) <= set(found.names)
    assert set(found.names) <= set(words)
    expected = np.array([true[words.index(name)] for name in found.names])
    assert (found.all_low <= expected).all()
    assert (expected <= found.all_high).all()


def test_a_puzzle_of_rare_words_finds_none_and_one_of_nobody_is_refused() -> None:
    puzzle = FragmentPuzzle.calibrate(2, LETTERS.bits, 10, functions=16, buckets=16)
    with pytest.raises(ParameterError, match="at least one"):
        find_words(Tally.start(Metric("x", LETTERS, puzzle, lifetime=9)))
    every = np.random.default_rng(1).integers(0, 1 << LETTERS.bits, 3000, dtype=np.uint64)
    assert find_words(collect(puzzle, LETTERS, every), confidence=0.9999).names == ()


def test_unary_encoding_of_items_is_no_sketch() -> None:
    assert not isinstance(find_oracle(UnaryEncoding.calibrate(1, 4)), SketchOracle)
