"""Texts that nobody listed: frequent fragments, those that go together, and the texts that they make up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.client import RapporStrings
from discreet.local.client.rappor_strings import FILLER, PARTS
from discreet.local.oracles.oracle import Batch
from discreet.local.rappor.association import associate
from discreet.local.rappor.candidates import Candidates, hash_candidates
from discreet.local.rappor.decoding import DecodedCandidates, decode
from discreet.local.rappor.oracle import RapporOracle
from discreet.local.rappor.strings_oracle import find_sound

special = Later("scipy.special")

MOST_FRAGMENTS = 1 << 18
MOST_STRINGS = 100_000
MOST_KEPT = 32
"""Fragments of a place that are paired: the most frequent ones."""
LEVEL = 0.05

Edges = dict[tuple[int, int], set[tuple[str, str]]]


@dataclass(frozen=True, eq=False)
class FoundStrings:
    """Texts that were found without a list."""

    decoded: DecodedCandidates
    """How frequent each text is that frequent fragments make up; those that are significant are there."""
    fragments: tuple[tuple[str, ...], ...]
    """The frequent fragments of each place."""
    pairs: Edges
    """Which fragments of two places go together."""
    unsound: int
    """Reports that were left out."""


def find_strings(
    mechanism: RapporStrings, batch: Batch, alphabet: Iterable[str], confidence: float = 0.95
) -> FoundStrings:
    """Return the texts over an alphabet that reports show (Fanti, Pihur, Erlingsson 2016).

    All fragments of the alphabet are tried in every place, and those kept of which few are false (false-discovery
    rate). For each two places, EM finds which of them go together; a pair counts where its frequency stands out of the
    noise of all pairs. Texts whose fragments all go together are decoded from the reports of whole texts, which took
    no part in finding them: their p-values and intervals hold as for a list that was made before.
    """
    check.confidence(confidence)
    sound = find_sound(mechanism, batch)
    if not sound.any():
        raise ParameterError("batch", len(batch), "at least one sound report")
    seeds, payloads = batch.seeds[sound], batch.payloads[sound]
    cohorts = seeds % mechanism.cohorts
    whole, first, second = (Batch(cohorts, each) for each in np.split(payloads, PARTS, axis=1))
    pairs = seeds // mechanism.cohorts
    tried = hash_candidates(mechanism.part, list_fragments(mechanism, alphabet))
    kept = [_find_fragments(mechanism, tried, place, pairs, (first, second)) for place in range(mechanism.pieces)]
    names = tuple(each.names if each else () for each in kept)
    edges: Edges = {}
    for number, places in enumerate(mechanism.pairs):
        lines = np.flatnonzero(pairs == number)
        one, other = kept[places[0]], kept[places[1]]
        together = (Batch(cohorts[lines], first.payloads[lines]), Batch(cohorts[lines], second.payloads[lines]))
        edges[places] = _pair(one, other, together) if one and other and len(lines) else set()
    texts = find_cliques(names, edges)
    if not texts:
        told = "enough reports that the fragments of some text stand out: there is no text whose fragments all do"
        raise ParameterError("batch", int(sound.sum()), told)
    joined = sorted({mechanism.join(tuple(each.encode() for each in text)).decode() for text in texts})
    counts = RapporOracle(mechanism.part).count(whole).counts
    decoded = decode(hash_candidates(mechanism.part, joined), counts, confidence)
    return FoundStrings(decoded, names, edges, len(batch) - int(sound.sum()))


def list_fragments(mechanism: RapporStrings, alphabet: Iterable[str]) -> list[str]:
    """Return all fragments over an alphabet, and those at the end of a text, with filler."""
    letters, filler = sorted(set(alphabet) - {FILLER.decode()}), FILLER.decode()
    if not letters or any(len(letter.encode()) != 1 for letter in letters):
        raise ParameterError("alphabet", letters[:4], "ASCII letters, one by one")
    total = sum(len(letters) ** size for size in range(mechanism.letters + 1))
    if total > MOST_FRAGMENTS:
        told = f"one with at most {MOST_FRAGMENTS} fragments of {mechanism.letters} letters: fewer letters"
        raise ParameterError("alphabet", total, told)
    sizes = range(mechanism.letters + 1)
    return ["".join(each).ljust(mechanism.letters, filler) for size in sizes for each in product(letters, repeat=size)]


def find_cliques(names: Sequence[Sequence[str]], edges: Edges) -> list[tuple[str, ...]]:
    """Return all choices of one fragment for each place of which every two go together, place by place."""
    found: list[tuple[str, ...]] = [()]
    for place, own in enumerate(names):
        found = [
            (*start, name)
            for start in found
            for name in own
            if all((start[earlier], name) in edges[earlier, place] for earlier in range(place))
        ]
        if len(found) > MOST_STRINGS:
            told = f"such that at most {MOST_STRINGS} texts are possible: more reports, or fewer pieces"
            raise ParameterError("fragments", len(found), told)
    return found


def _find_fragments(
    mechanism: RapporStrings, tried: Candidates, place: int, pairs: Ints, parts: tuple[Batch, Batch]
) -> Candidates | None:
    """Return the frequent fragments of a place, from the reports of all pairs that it is in."""
    oracle = RapporOracle(mechanism.part)
    counts = np.zeros(oracle.shape, dtype=np.int64)
    for side, part in enumerate(parts):
        numbers = [number for number, places in enumerate(mechanism.pairs) if places[side] == place]
        lines = np.flatnonzero(np.isin(pairs, numbers))
        counts += oracle.count(Batch(part.seeds[lines], part.payloads[lines])).counts
    if not counts[:, 0].any():
        return None
    decoded = decode(tried, counts)
    there = np.flatnonzero(decoded.find_significant(LEVEL, "fdr"))
    ranked = there[np.argsort(-decoded.raw[there], kind="stable")][:MOST_KEPT]
    return tried.keep(np.sort(ranked)) if len(ranked) else None


def _pair(one: Candidates, other: Candidates, batches: tuple[Batch, Batch]) -> set[tuple[str, str]]:
    """Return which fragments of two places go together."""
    joint = associate(one, other, batches)
    strengths = joint.frequencies / np.maximum(joint.errors, 1e-300)
    there = strengths[:-1, :-1] > -special.ndtri(LEVEL / (len(one) * len(other)))
    return {(one.names[row], other.names[column]) for row, column in np.argwhere(there)}
