"""Questions and claims: what makes two questions the same, and how a claim ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from discreet.ledger import Request
from support.ledger import TENTH, Home, new, question


@given(st.text(), st.text(), st.text(), st.text())
def test_questions_are_the_same_exactly_when_key_and_version_are(a: str, b: str, c: str, d: str) -> None:
    assert (Request(a, b, "one").hash == Request(c, d, "other").hash) is ((a, b) == (c, d))


def test_the_text_is_only_for_showing() -> None:
    assert Request("k", "v", "select 1").hash == Request("k", "v", "SELECT 1").hash


def test_key_and_version_cannot_be_moved_into_one_another() -> None:
    assert Request("ab", "c", "").hash != Request("a", "bc", "").hash


def test_leaving_a_claim_without_an_answer_gives_it_up(home: Home) -> None:
    with new(home) as ledger:
        with ledger.charge(question(), TENTH) as first:
            assert not first.found
        with ledger.charge(question(), TENTH) as second:
            assert second.entry == first.entry
            ledger.record(second, b"1")
            assert second.found
        assert ledger.spent().spent[0] == TENTH.epsilon
