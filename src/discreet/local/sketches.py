"""Texts that nobody listed before: how frequent those are that somebody asks for, and which ones there are."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.local.client import AlphabetWords, FragmentPuzzle
from discreet.local.client.puzzle import find_piece, write_word
from discreet.local.estimates import Frequencies, find_quantile, solve
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.puzzle import PuzzleOracle
from discreet.local.oracles.sketch import SketchOracle
from discreet.local.tally import Tally

FALSE_FRAGMENTS = 2.0
"""Fragments that noise alone brings through at each position, for one puzzle piece, on average.

Put together they make 2^positions false words for each piece, of which 1 in 256 has this piece: some tens in all.
"""


def estimate_texts(
    tally: Tally, texts: Sequence[str], confidence: float = 0.95, people: int | None = None
) -> Frequencies:
    """Return how frequent each text is, whether it was known before or not.

    A report of another text supports this one's bucket too where both share it: under 1 of m functions, on average over
    all functions that might have been chosen, and in this sense the estimates are unbiased. The k functions in use are
    fixed, and share a little more or less. So an estimate is off by the sum of f_u (c_u - 1/m) m / (m - 1) over all
    other texts u, of which a share c_u of the k functions collides with it: no noise, but a number that stays the same
    for these people. Its variance over functions is the sum of f_u^2, over k (m - 1). That sum is estimated from the
    sketch itself, texts that nobody asks for included, and part of the standard errors.
    """
    oracle = find_oracle(tally.metric.mechanism)
    if not isinstance(oracle, SketchOracle):
        raise ParameterError("tally", tally.metric.mechanism.kind, "a tally of a count-mean or hadamard-mean sketch")
    placed = [tally.metric.domain.place(text) for text in texts]
    if len(set(placed)) < len(placed) or not placed:
        raise ParameterError("texts", len(texts), "at least one text, each once: longer ones are cut as clients do")
    return _estimate_placed(oracle, tally.reports, tally.counts, texts, placed, confidence, people)


def find_words(
    tally: Tally,
    confidence: float = 0.95,
    most: int = 10_000,
    false_fragments: float = FALSE_FRAGMENTS,
    people: int | None = None,
) -> Frequencies:
    """Return the words of a fragment puzzle that stand out, the most frequent first, with their frequencies.

    Fragments that stand out at every position are put together where they have the same puzzle piece, and what they
    spell is a candidate if it has that piece itself: of words put together wrongly 1 of 256 does. At most `most`
    candidates are looked up in the sketch of whole words, and those whose interval lies above 0 are returned. The noise
    of that sketch is independent of the fragments', so the intervals hold for all candidates at once, and for those
    that are returned. No word that nobody has is returned, but with the probability 1 - confidence in all. A word is
    found if its fragments stand out everywhere, each among the reports of its position; see `docs/local-sketches.md`.
    """
    oracle, domain = find_oracle(tally.metric.mechanism), tally.metric.domain
    if not isinstance(oracle, PuzzleOracle) or not isinstance(domain, AlphabetWords):
        raise ParameterError("tally", tally.metric.mechanism.kind, "a tally of a fragment puzzle over words")
    check.integer("most", most, least=1)
    check.real("false_fragments", false_fragments, above=0)
    fragments, whole = oracle.split(tally.counts)
    words = _join_fragments(oracle, domain, fragments, most, false_fragments)
    names = [str(domain.spell(word)) for word in words]
    placed = [write_word(word) for word in words]
    found = _estimate_placed(oracle.whole, tally.reports, whole, names, placed, confidence, people)
    return found.pick(np.array([place for place in np.argsort(-found.raw) if found.all_low[place] > 0], dtype=np.int64))


def find_visible(mechanism: FragmentPuzzle, reports: int, false_fragments: float = FALSE_FRAGMENTS) -> float:
    """Return the frequency at which each fragment of a word stands out about half of the times, noise being normal.

    A position has one of `positions` reports, and a fragment stands out where it exceeds the level of `find_words`.
    """
    error = np.sqrt(mechanism.fragment.variance() * mechanism.positions / reports)
    return float(_find_level(mechanism, false_fragments) * error)


def _estimate_placed(
    oracle: SketchOracle[Any],
    reports: int,
    counts: Ints,
    names: Sequence[str],
    placed: Sequence[bytes],
    confidence: float,
    people: int | None = None,
) -> Frequencies:
    """Return how frequent the texts are that these bytes stand for."""
    mechanism = oracle.mechanism
    table = oracle.find_table(counts)
    supports = oracle.find_supports_of(table, placed)
    found = solve(supports, reports, float(mechanism.supported), float(mechanism.strayed), people)
    others = oracle.find_squares(table, oracle.find_sizes(counts)) - np.clip(found.raw, 0.0, 1.0) ** 2
    spread = np.maximum(others, 0.0) / (mechanism.functions * (mechanism.buckets - 1))
    return found.state(names, confidence, spread, complete=False)


def _join_fragments(
    oracle: PuzzleOracle, domain: AlphabetWords, fragments: Ints, most: int, false_fragments: float
) -> list[int]:
    """Return the words that fragments of one piece make, first those whose rarest fragment is the most frequent.

    At every position the `most` strongest fragments are used, and a hundred times as many beginnings go on.
    """
    mechanism, own = oracle.mechanism, float(oracle.mechanism.fragment.supported)
    level = _find_level(mechanism, false_fragments)
    begun: list[tuple[float, int, int]] = [(1.0, piece, 0) for piece in range(mechanism.pieces)]
    for counts in fragments:
        if (reports := int(counts.sum())) == 0:
            return []
        found = solve(oracle.fragment.find_supports(counts), reports, own, 0.5)
        strong = np.flatnonzero(found.raw > level * np.sqrt(found.variance))
        strong = strong[np.argsort(-found.raw[strong])][:most]
        ends: dict[int, list[tuple[float, int]]] = {}
        for item in strong:
            end = (float(found.raw[item]), int(item) & ((1 << mechanism.span) - 1))
            ends.setdefault(int(item) >> mechanism.span, []).append(end)
        longer = (
            (min(least, share), piece, word << mechanism.span | fragment)
            for least, piece, word in begun
            for share, fragment in ends.get(piece, [])
        )
        begun = heapq.nlargest(100 * most, longer)
    checked = [word for _, piece, word in begun if find_piece(word, mechanism.pieces) == piece]
    return [word for word in checked if domain.spell(word) is not None][:most]


def _find_level(mechanism: FragmentPuzzle, false_fragments: float) -> float:
    """Return how many standard errors a fragment must stand out by."""
    return find_quantile(1 - 2 * min(0.5, false_fragments * mechanism.pieces / mechanism.fragment.size))
