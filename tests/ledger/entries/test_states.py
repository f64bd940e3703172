"""Values that are kept with a charge: both are there or neither, and what is kept once belongs to one charge."""

from __future__ import annotations

import pytest

from discreet.base.errors import BudgetError, ParameterError, TakenError
from discreet.ledger import Keepsake
from discreet.ledger.steps import watch_steps
from support.ledger import TENTH, Home, again, kinds, new, question

NOTE = Keepsake("note", b"first")
ONCE = Keepsake("number 1", b"mine", once=True)


def test_what_is_kept_is_written_before_its_charge_and_verifies(home: Home) -> None:
    with new(home) as ledger:
        ledger.charge(question(), TENTH, keep=(NOTE, ONCE))
        assert kinds(ledger) == ["CREATE", "STATE", "STATE", "CHARGE"]
        assert ledger.get_state("note") == b"first"
        assert ledger.verify().ok


def test_a_value_that_is_there_stays(home: Home) -> None:
    with new(home) as ledger:
        ledger.charge(question("a"), TENTH, keep=(NOTE,))
        ledger.charge(question("b"), TENTH, keep=(Keepsake("note", b"second"),))
        assert ledger.get_state("note") == b"first"
        assert kinds(ledger) == ["CREATE", "STATE", "CHARGE", "CHARGE"]


def test_what_is_kept_once_belongs_to_one_charge_and_the_second_pays_nothing(home: Home) -> None:
    with new(home) as ledger:
        ledger.charge(question("a"), TENTH, keep=(ONCE,))
    with again(home) as ledger:
        spent = ledger.spent().spent
        with pytest.raises(TakenError, match="number 1 was paid for by somebody else"):
            ledger.charge(question("b"), TENTH, keep=(NOTE, ONCE))
        assert ledger.spent().spent == spent
        assert ledger.get_state("note") is None, "nothing of a charge that was refused"
        assert kinds(ledger) == ["CREATE", "STATE", "CHARGE"]


def test_a_charge_that_is_refused_or_dies_keeps_nothing(home: Home) -> None:
    with new(home, epsilon=1) as ledger:
        with pytest.raises(BudgetError):
            ledger.charge(question(), TENTH.__class__(2, 2), keep=(ONCE,))

        def die(step: str) -> None:
            if step == "charging":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), watch_steps(die):
            ledger.charge(question(), TENTH, keep=(ONCE,))
        assert ledger.get_state("number 1") is None
        assert kinds(ledger) == ["CREATE"]


def test_names_of_the_ledgers_own_are_refused(home: Home) -> None:
    with new(home) as ledger:
        with pytest.raises(ParameterError, match="none of the ledger's own"):
            ledger.charge(question(), TENTH, keep=(Keepsake("a\0b", b""),))
        assert kinds(ledger) == ["CREATE"]
