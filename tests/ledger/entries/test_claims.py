"""Requests and claims: what makes two requests the same, and how a claim ends."""

from __future__ import annotations

from discreet.ledger import Request
from support.ledger import TENTH, Home, new, question


def test_requests_are_the_same_exactly_when_their_identities_are(home: Home) -> None:
    with new(home) as ledger:
        ledger.record(ledger.charge(Request("a", "v1", "select 1"), TENTH), b"1")
        assert ledger.charge(Request("a", "v1", "SELECT 1", kind="other"), TENTH).answer == b"1"
        assert not ledger.charge(Request("b", "v1", "select 1"), TENTH).found


def test_leaving_a_claim_without_an_answer_gives_it_up(home: Home) -> None:
    with new(home) as ledger:
        with ledger.charge(question(), TENTH) as first:
            assert not first.found
        with ledger.charge(question(), TENTH) as second:
            assert second.entry == first.entry
            ledger.record(second, b"1")
            assert second.found
        assert ledger.spent().spent[0] == TENTH.epsilon
