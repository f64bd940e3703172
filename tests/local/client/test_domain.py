from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.local.client import UNKNOWN, AlphabetWords, BoundedNumbers, Choices, ClientError, Records, Texts
from discreet.local.client.domain import read_domain


@given(st.text(alphabet="abcxyz", max_size=5))
def test_a_word_is_spelled_as_it_was(word: str) -> None:
    domain = AlphabetWords("xyzabc", 5)
    assert domain.spell(domain.place(word)) == word
    assert domain.place(word) < 1 << domain.bits


def test_letters_too_many_are_cut_and_letters_that_are_lacking_are_one() -> None:
    domain = AlphabetWords("abc", 4)
    assert domain.bits == 12
    assert domain.spell(domain.place("abcabc")) == "abca"
    assert domain.place("aéc") == domain.place("a?c")
    assert domain.spell(domain.place("aéc")) == f"a{UNKNOWN}c"
    assert [domain.place(value) for value in (None, 5, "", b"a")] == [0, 0, 0, 0]


def test_numbers_that_spell_no_word_are_none() -> None:
    domain = AlphabetWords("abc", 3)
    spelled = [domain.spell(word) for word in range(1 << domain.bits)]
    words = [word for word in spelled if word is not None]
    assert len(words) == len(set(words)) == 1 + 4 + 4**2 + 4**3
    assert domain.spell(0b000_001_000) is None
    assert domain.spell(0b111_000_000) is None


def test_a_record_places_every_attribute_also_one_that_is_missing() -> None:
    domain = Records(("fruit", "age"), (Choices(("apple",)), BoundedNumbers(0, 10)))
    assert domain.place({"fruit": "apple", "age": 10, "more": 1}) == (0, 1)
    assert domain.place({"age": 0}) == (1, -1)
    assert domain.place("nonsense") == (1, 0)


@pytest.mark.parametrize(
    "domain",
    [AlphabetWords("ab", 3), Records(("a", "b"), (Texts(5), AlphabetWords("x", 2)))],
    ids=lambda each: each.kind,
)
def test_domains_go_and_come(domain: Any) -> None:
    assert read_domain(domain.describe()) == domain


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ({"kind": "words", "alphabet": "aa", "letters": 2}, "once"),
        ({"kind": "words", "alphabet": "", "letters": 2}, "alphabet"),
        ({"kind": "words", "alphabet": f"a{UNKNOWN}", "letters": 2}, "leave it out"),
        ({"kind": "words", "alphabet": "abcdefghijklmnopqrstuvwxyz", "letters": 13}, "letters"),
        ({"kind": "records", "names": ["a"], "domains": []}, "one domain"),
        ({"kind": "records", "names": ["a", "a"], "domains": [{"kind": "texts", "letters": 1}] * 2}, "of its own"),
        ({"kind": "records", "names": [], "domains": []}, "at least one"),
        ({"kind": "records", "names": "ab", "domains": []}, "list"),
        (
            {"kind": "records", "names": ["a"], "domains": [{"kind": "records", "names": ["a"], "domains": []}]},
            "no record",
        ),
    ],
)
def test_what_is_no_domain_is_refused_with_a_word(form: Any, word: str) -> None:
    with pytest.raises(ClientError, match=word):
        read_domain(form)
