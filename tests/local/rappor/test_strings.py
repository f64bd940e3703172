"""Texts that nobody listed."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import Rappor, RapporStrings
from discreet.local.oracles.oracle import Batch
from discreet.local.rappor.strings import find_cliques, find_strings, list_fragments
from discreet.local.rappor.strings_oracle import encode_strings

MECHANISM = RapporStrings.take(Rappor.take(16, 2, 16, 0.1, 0.9, 0.125), 2, 3)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PLANTED = {b"apple": 0.5, b"kiwi": 0.3}


def collect(people: int = 20_000) -> Batch:
    """Return reports of two frequent texts and a thousand rare ones."""
    generator = np.random.default_rng(3)
    rare = [bytes(generator.choice(list(LETTERS.encode()), 6).astype(np.uint8)) for _ in range(1000)]
    values = generator.choice(3, people, p=[*PLANTED.values(), 0.2])
    return encode_strings(MECHANISM, [[*PLANTED, rare[place % 1000]][value] for place, value in enumerate(values)])


def test_planted_texts_are_found_without_a_list() -> None:
    batch = collect()
    batch.seeds[:10] = MECHANISM.seeds
    found = find_strings(MECHANISM, batch, LETTERS)
    names = [name for name, there in zip(found.decoded.names, found.decoded.find_significant(), strict=True) if there]
    assert names == ["apple", "kiwi"]
    raw = dict(zip(found.decoded.names, found.decoded.raw, strict=True))
    assert raw["apple"] == pytest.approx(0.5, abs=0.03)
    assert raw["kiwi"] == pytest.approx(0.3, abs=0.03)
    assert found.decoded.unallocated == pytest.approx(0.2, abs=0.05)
    assert {"ap", "ki"} <= set(found.fragments[0])
    assert ("ap", "pl") in found.pairs[0, 1]
    assert ("ap", "wi") not in found.pairs[0, 1]
    assert found.unsound == 10


def test_texts_are_made_of_fragments_of_which_every_two_go_together() -> None:
    names = [["ab", "cd"], ["ef", "gh"], ["ij"]]
    edges = {(0, 1): {("ab", "ef"), ("cd", "gh")}, (0, 2): {("ab", "ij"), ("cd", "ij")}, (1, 2): {("ef", "ij")}}
    assert find_cliques(names, edges) == [("ab", "ef", "ij")]


def test_fragments_end_with_filler_alone() -> None:
    assert list_fragments(MECHANISM, "ab") == ["\0\0", "a\0", "b\0", "aa", "ab", "ba", "bb"]


@pytest.mark.parametrize("alphabet", ["", "aé", [chr(number) for number in range(32, 127)]])
def test_other_alphabets_are_refused(alphabet: str | list[str]) -> None:
    mechanism = RapporStrings.take(MECHANISM.part, 3, 2)
    with pytest.raises(ParameterError, match="alphabet"):
        list_fragments(mechanism, alphabet)


def test_reports_that_show_no_text_are_refused_clearly() -> None:
    few = collect(40)
    with pytest.raises(ParameterError, match="enough reports"):
        find_strings(MECHANISM, few, LETTERS)
    with pytest.raises(ParameterError, match="payloads of 6 bytes"):
        find_strings(MECHANISM, Batch(few.seeds, few.payloads[:, :5]), LETTERS)
    with pytest.raises(ParameterError, match="at least one sound report"):
        find_strings(MECHANISM, Batch(few.seeds + 10_000, few.payloads), LETTERS)


def test_too_many_texts_are_refused() -> None:
    names = [[f"{number:02d}" for number in range(60)]] * 3
    every = {(one, other) for one in names[0] for other in names[0]}
    with pytest.raises(ParameterError, match="at most 100000"):
        find_cliques(names, {(0, 1): every, (0, 2): every, (1, 2): every})
