"""Keys of fresh askings: one charge and one answer, however often the request arrives."""

from __future__ import annotations

import pytest

from discreet.base.errors import ParameterError, PendingError, QueryError
from support.ledger import TENTH, Home, again, kinds, new, question


def test_a_fresh_request_sent_twice_under_one_key_is_one_charge_and_one_answer(home: Home) -> None:
    with new(home) as ledger:
        first = ledger.charge(question("q"), TENTH, "alice", fresh=True, key="k")
        ledger.record(first, b"42")
        second = ledger.charge(question("q"), TENTH, "alice", fresh=True, key="k")
        assert (second.entry, second.answer, second.paid) == (first.entry, b"42", "free")
        assert kinds(ledger).count("CHARGE") == 1
        assert ledger.charge(question("q"), TENTH, "alice", fresh=True, key="another").answer is None
        assert ledger.verify().ok


def test_a_key_is_bound_to_its_question_and_to_its_analyst(home: Home) -> None:
    with new(home) as ledger:
        ledger.record(ledger.charge(question("q"), TENTH, "alice", fresh=True, key="k"), b"42")
        head = ledger.head
        with pytest.raises(QueryError, match="this key was used for another question"):
            ledger.charge(question("other"), TENTH, "alice", fresh=True, key="k")
        assert ledger.head == head
        assert ledger.charge(question("q"), TENTH, "bob", fresh=True, key="k").answer is None


def test_a_keyed_run_that_was_given_up_is_run_again_for_what_it_paid(home: Home) -> None:
    with new(home) as ledger:
        with ledger.charge(question("q"), TENTH, "alice"):
            pass
        ledger.record(ledger.charge(question("q"), TENTH, "alice"), b"old")
        given_up = ledger.charge(question("q"), TENTH, "alice", fresh=True, key="k")
        with given_up, pytest.raises(PendingError):
            ledger.charge(question("q"), TENTH, "alice", fresh=True, key="k", timeout=0)
        claim = ledger.charge(question("q"), TENTH, "alice", fresh=True, key="k")
        assert (claim.entry, claim.answer) == (given_up.entry, None)
        ledger.record(claim, b"new")
        assert kinds(ledger).count("CHARGE") == 2
    with again(home) as ledger:
        assert ledger.charge(question("q"), TENTH, "alice", fresh=True, key="k").answer == b"new"


def test_nobody_else_writes_a_key(home: Home) -> None:
    with new(home) as ledger, pytest.raises(ParameterError):
        ledger.set_state("fresh:0", b"")
