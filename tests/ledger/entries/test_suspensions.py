"""A failure after a charge suspends whoever asked, until the operator has looked: a failing run is no oracle."""

from __future__ import annotations

import os
from fractions import Fraction

import pytest

from discreet.base.errors import LedgerError, ParameterError, SuspendedError
from discreet.ledger import Ledger
from discreet.ledger.entries import suspensions, totals
from support.ledger import (
    CAPS,
    PROCESSES,
    TENTH,
    Clock,
    Home,
    again,
    ask,
    at_once,
    facts,
    kinds,
    new,
    place,
    question,
    relink,
    tampering,
)


def fail(ledger: Ledger, name: str = "failing", analyst: str | None = None) -> int:
    """Ask, fail, and return the number of the charge."""
    with ledger.charge(question(name), TENTH, analyst) as claim:
        ledger.suspend(claim)
    return claim.entry


def test_who_is_suspended_is_refused_everything_and_charged_nothing(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        ask(ledger, "answered", analyst="ann")
        entry = fail(ledger, analyst="ann")
        head = ledger.head
        told = rf"suspended for 'ann' after a failure in entry {entry}; nothing was charged\. .*`discreet resume ann`"
        for name in ("failing", "answered", "another"):
            for fresh in (False, True):
                with pytest.raises(SuspendedError, match=told):
                    ask(ledger, name, analyst="ann", fresh=fresh)
        assert ledger.head == head
        assert ledger.spent("ann").spent[0] == Fraction(2, 10)
        assert [(each.analyst, each.charge) for each in ledger.suspended] == [("ann", entry)]
        assert ledger.verify().ok


def test_others_go_on_even_with_the_question_that_failed(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        fail(ledger, analyst="ann")
        assert ask(ledger, "failing", b"bobs", analyst="bob") == b"bobs"
        with pytest.raises(SuspendedError):
            ask(ledger, "failing", analyst="ann")
        assert ask(ledger, "unnamed") == b"42"


def test_after_resuming_the_charge_is_run_again_for_what_it_paid(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        fail(ledger, analyst="ann")
        mark = ledger.resume("ann")
        assert ledger.suspended == ()
        assert ask(ledger, "failing", b"at last", analyst="ann") == b"at last"
        assert kinds(ledger) == ["CREATE", "CHARGE", "SUSPEND", "RESUME", "RETRY", "RECORD"]
        assert ledger.spent().spent[0] == Fraction(1, 10)
        assert ledger.verify(mark).ok


def test_without_analysts_the_only_asker_is_suspended(home: Home) -> None:
    with new(home) as ledger:
        fail(ledger)
        with pytest.raises(SuspendedError, match=r"asking is suspended after .*`discreet resume`"):
            ask(ledger)
        ledger.resume()
        assert ask(ledger) == b"42"


def test_a_suspension_outlives_the_process_and_a_new_policy(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        fail(ledger, analyst="ann")
    with again(home, epsilon=50) as ledger:
        with pytest.raises(SuspendedError):
            ask(ledger, analyst="ann")
        ledger.resume("ann")
        assert ask(ledger, analyst="ann") == b"42"


def test_what_ran_meanwhile_is_not_recorded_and_only_the_first_failure_leaves_a_trace(home: Home) -> None:
    """Ten questions at once tell no more than one: whether the others would have failed is not to be seen."""
    with new(home) as ledger:
        well, ill = (ledger.charge(question(name), TENTH) for name in ("well", "ill"))
        entry = fail(ledger)
        head = ledger.head
        with pytest.raises(SuspendedError):
            ledger.record(well, b"never shown")
        for claim in (ill, well):
            with pytest.raises(SuspendedError):
                ledger.suspend(claim)
        assert ledger.head == head
        assert [each.charge for each in ledger.suspended] == [entry]
        well.__exit__()
        ledger.resume()
        assert ask(ledger, "well", b"shown") == b"shown"
        assert ledger.spent().spent[0] == Fraction(3, 10)


def test_only_who_is_suspended_can_be_resumed(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        with pytest.raises(LedgerError, match="not suspended for 'ann'; nobody is"):
            ledger.resume("ann")
        fail(ledger, analyst="ann")
        with pytest.raises(LedgerError, match="not suspended for 'bob'; these would end one: `discreet resume ann`"):
            ledger.resume("bob")
        with pytest.raises(LedgerError, match="asking is not suspended; these"):
            ledger.resume()
        assert kinds(ledger) == ["CREATE", "CHARGE", "SUSPEND"]


def test_a_suspension_that_could_not_be_written_comes_before_the_next_charge(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with new(home) as ledger:
        with ledger.charge(question("failing"), TENTH) as claim, monkeypatch.context() as patch:
            patch.setattr("discreet.ledger.entries.suspensions.suspend", full)
            with pytest.raises(LedgerError):
                ledger.suspend(claim)
            with pytest.raises(LedgerError):
                ask(ledger)
        assert kinds(ledger) == ["CREATE", "CHARGE"]
        with pytest.raises(SuspendedError, match="entry 2"):
            ask(ledger)
        assert kinds(ledger) == ["CREATE", "CHARGE", "SUSPEND"]


def test_states_of_others_cannot_pretend_to_be_suspensions(home: Home) -> None:
    with new(home) as ledger, pytest.raises(ParameterError, match="none of the ledger's own"):
        ledger.set_state("suspended ann", b"2")


@pytest.mark.many
@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        ("DELETE FROM states", "the state suspended ann is missing"),
        ("UPDATE states SET name = 'suspended bob'", "the state suspended ann is missing"),
        ("UPDATE states SET value = x'37'", "the state suspended ann was edited"),
        ("UPDATE entries SET kind = 'RESUME' WHERE kind = 'SUSPEND'", "entry 3 is for somebody who was not suspended"),
        ("UPDATE entries SET kind = 'NOTHING' WHERE kind = 'SUSPEND'", "the state suspended ann is not in the chain"),
        (
            "UPDATE entries SET body = replace(body, '2', '9') WHERE number = 3",
            "entry 3 suspends somebody for no",
        ),
        ("UPDATE entries SET body = replace(body, 'bob', 'ann') WHERE number = 4", "entry 4 is for somebody who was"),
    ],
)
def test_tampering_with_suspensions_is_found_even_in_a_chain_made_anew(home: Home, tamper: str, found: str) -> None:
    with new(home, caps=CAPS) as ledger:
        fail(ledger, analyst="ann")
        ledger.charge(question("bobs"), TENTH, "bob")
        assert ledger.verify().ok
        with tampering(home) as db:
            assert db.execute(tamper).rowcount == 1
            relink(db)
        assert found in "\n".join(ledger.verify().problems)


def test_a_damaged_suspension_still_refuses(home: Home) -> None:
    with new(home) as ledger:
        fail(ledger)
        with tampering(home) as db:
            db.execute("UPDATE states SET value = x'00'")
        with pytest.raises(LedgerError, match="damaged"):
            ask(ledger)


def test_nothing_happens_for_an_analyst_after_a_suspension_from_another_process(home: Home) -> None:
    with Ledger.create(place(home), facts(epsilon=10**4, caps={"ann": (10**4, 0)})) as ledger:

        def until_suspended(number: int) -> bool:
            for turn in range(500):
                try:
                    with ledger.charge(question(f"{number}.{turn}"), TENTH, "ann") as claim:
                        if number == 0 and turn == 5:
                            ledger.suspend(claim)
                        else:
                            ledger.record(claim, os.urandom(4))
                except SuspendedError:
                    return True
            return False

        assert all(at_once(until_suspended))
        assert kinds(ledger)[-1] == "SUSPEND"
        assert kinds(ledger).count("RECORD") >= 5
        assert ledger.verify().ok


def test_many_failures_at_once_suspend_once(home: Home) -> None:
    with Ledger.create(place(home), facts()) as ledger:

        def failing(number: int) -> bool:
            try:
                fail(ledger, f"{number}")
            except SuspendedError:
                return False
            return True

        assert 1 <= sum(at_once(failing)) <= PROCESSES
        assert kinds(ledger).count("SUSPEND") == 1
        assert ledger.verify().ok


def test_who_waits_for_a_question_that_fails_is_refused_and_does_not_run_it(home: Home) -> None:
    """The suspension is durable before the claim is given up."""
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        claim = ledger.charge(question(), TENTH)

        def fails() -> None:
            with claim:
                ledger.suspend(claim)

        clock.meanwhile[2] = fails
        with pytest.raises(SuspendedError):
            ask(other)
        assert clock.slept == 2
        assert kinds(ledger) == ["CREATE", "CHARGE", "SUSPEND"]


def test_whoever_is_suspended_stays_so_and_no_second_entry_tells_of_it(home: Home) -> None:
    """As with a suspension that could not be written at once, or one late run more."""
    with new(home) as ledger:
        entry = fail(ledger)
        head = ledger.head
        with ledger._store.writing() as db:
            suspensions.suspend(db, ledger._rules.now(), totals.TOTAL, entry + 1)
        assert ledger.head == head
        assert [each.charge for each in ledger.suspended] == [entry]
