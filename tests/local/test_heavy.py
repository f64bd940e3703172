"""Heavy hitters among words that nobody listed: what is found, what it costs in error, and what is sure to be found."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import AlphabetWords, BoundedNumbers, LocalHashing, Metric, OneBitMean, PrefixExtending
from discreet.local.heavy import find_heavy_hitters, find_reach
from discreet.local.oracles.find import find_oracle
from discreet.local.tally import Tally

LETTERS = AlphabetWords(string.ascii_lowercase, 8)
METHOD = PrefixExtending.calibrate(4, LETTERS.bits, first=10, step=6, pool=512)


def make_words(count: int) -> list[str]:
    generator = np.random.default_rng(9)
    return ["".join(generator.choice(list(string.ascii_lowercase), generator.integers(3, 9))) for _ in range(count)]


def collect(method: PrefixExtending, words: list[str], counts: Any) -> Tally:
    placed = np.array([LETTERS.place(word) for word in words], dtype=np.uint64)
    batch = find_oracle(method).encode(np.repeat(placed, counts))
    tally, lost = Tally.start(Metric("x", LETTERS, method, lifetime=9)).add(batch)
    assert lost == 0
    return tally


def test_most_of_the_most_frequent_words_of_a_zipf_law_are_found() -> None:
    """200,000 people, 1,000 words, epsilon 4: of the ten most frequent words (13 to 1.3 percent) at least eight."""
    words, shares = make_words(1000), 1 / np.arange(1, 1001)
    counts = np.round(200_000 * shares / shares.sum()).astype(int)
    found = find_heavy_hitters(collect(METHOD, words, counts), 10, confidence=0.9999)
    assert len(found.names) == 10
    assert len(set(found.names) & set(words[:10])) >= 8
    shared = dict(zip(words, counts / counts.sum(), strict=True))
    true = np.array([shared.get(name, 0.0) for name in found.names])
    assert (found.all_low <= true).all()
    assert (true <= found.all_high).all()
    assert found.names[0] == words[0]


def test_words_beyond_the_reach_are_found() -> None:
    """Three words share all people: each has more than the reach at a confidence of 0.999999, so none is missed."""
    words = make_words(3)
    assert find_reach(METHOD, 60_000, 6, confidence=0.999999) < 1 / 3
    found = find_heavy_hitters(collect(METHOD, words, [20_000] * 3), 6)
    assert set(found.names[:3]) == set(words)


def test_reach_falls_with_people_and_with_what_is_known_of_collisions() -> None:
    reaches = [find_reach(METHOD, people, 20) for people in (10_000, 100_000, 1_000_000)]
    assert reaches == sorted(reaches, reverse=True)
    assert find_reach(METHOD, 1_000_000, 20, squares=0.02) < reaches[-1]
    assert find_reach(METHOD, 100_000, 20, width=400) > reaches[1]
    assert find_reach(METHOD, 10**12, 20, squares=0.0) == pytest.approx(1 / 21, rel=1e-3)


def test_intervals_hold_the_frequencies_of_the_last_group() -> None:
    """Errors in standard errors vary no more than a normal law: they hold the group's draw and the collisions."""
    small = AlphabetWords("ab", 4)
    method = PrefixExtending(small.bits, 4, 4, LocalHashing.calibrate(3, 1 << small.bits, 64))
    words, counts = ["abab", "b", "ba"], [3000, 2000, 1000]
    placed = np.repeat(np.array([small.place(word) for word in words], dtype=np.uint64), counts)
    scores = []
    for _ in range(80):
        tally = Tally.start(Metric("x", small, method, lifetime=9)).add(find_oracle(method).encode(placed))[0]
        found = find_heavy_hitters(tally, 3)
        assert set(found.names) == set(words)
        true = np.array([counts[words.index(name)] for name in found.names]) / 6000
        scores.append((found.raw - true) / found.errors)
    assert np.var(scores) < 1 + 4.9 * np.sqrt(2 / 240)
    assert np.mean(np.abs(scores) < 1.96) > 0.9


def test_what_is_found_spells_a_word() -> None:
    noise = collect(METHOD, make_words(50), [20] * 50)
    found = find_heavy_hitters(noise, 20)
    assert all(LETTERS.spell(LETTERS.place(name)) == name for name in found.names)
    assert found.compared == 40 << 6


def test_wrong_questions_are_refused() -> None:
    tally = collect(METHOD, ["a"], [5])
    for given in ({"count": 0}, {"count": 5, "width": 4}, {"count": 1 << 20}, {"count": 5, "confidence": 1}):
        with pytest.raises(ParameterError):
            find_heavy_hitters(tally, **given)
    with pytest.raises(ParameterError, match="prefix"):
        find_heavy_hitters(Tally.start(Metric("x", BoundedNumbers(0, 1), OneBitMean.calibrate(1), lifetime=1)), 3)
    with pytest.raises(ParameterError, match="people"):
        find_reach(METHOD, 0, 5)
