"""Overruns and deaths: counted, limited, and ended by the operator."""

from __future__ import annotations

import pytest

from discreet.base.errors import LedgerError, SuspendedError
from discreet.ledger import Ledger
from support.ledger import CAPS, TENTH, Clock, Home, again, ask, kinds, new, question, tampering


def die(ledger: Ledger, home: Home, clock: Clock, name: str = "q", analyst: str | None = None) -> None:
    """Claim a question and hang until the lease is over."""
    with again(home, clock, caps=CAPS) as other:
        claim = other.charge(question(name), TENTH, analyst)
        assert claim.lease is not None
        clock.time += 3601
        claim.lease.release()


def test_three_overruns_suspend_nobody_and_a_fourth_does(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        for number in range(4):
            with ledger.charge(question(f"q{number}"), TENTH, "ann") as claim:
                ledger.runs.count_overrun(claim)
                if number < 3:
                    ledger.record(claim, b"late")
        with pytest.raises(SuspendedError, match="for 'ann'"):
            ask(ledger, "another", analyst="ann")
        assert ask(ledger, "another", analyst="bob") == b"42"
        ledger.resume("ann")
        assert ask(ledger, "q3", analyst="ann") == b"42"
        assert ledger.verify().ok


def test_resuming_begins_the_count_anew(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        claim = ledger.charge(question(), TENTH, "ann")
        for _ in range(4):
            ledger.runs.count_overrun(claim)
        ledger.resume("ann")
        for _ in range(3):
            ledger.runs.count_overrun(claim)
        assert not ledger.suspended
        assert [entry.body["count"] for entry in ledger.entries() if entry.kind == "OVERRUN"] == [1, 2, 3, 4, 1, 2, 3]
        assert ledger.verify().ok


def test_a_run_that_died_is_run_again_once_and_then_waits_for_the_operator(home: Home) -> None:
    clock = Clock()
    with new(home, clock, caps=CAPS) as ledger:
        die(ledger, home, clock, analyst="ann")
        die(ledger, home, clock, analyst="bob")
        with pytest.raises(SuspendedError, match=r"entry 2, this question, died 2 times .* `discreet retry 2`"):
            ledger.charge(question(), TENTH, "ann")
        assert kinds(ledger) == ["CREATE", "CHARGE", "DEATH", "SHARE", "RETRY", "DEATH"]
        deaths = [entry.body for entry in ledger.entries() if entry.kind == "DEATH"]
        assert [each["analyst"] for each in deaths] == ["ann", "bob"], "it counts for whoever ran it"
        assert ask(ledger, "other", analyst="ann") == b"42"
        ledger.retry(2)
        assert ask(ledger, analyst="ann") == b"42"
        assert ledger.verify().ok


def test_only_a_charge_that_waits_can_be_let_go_on(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger:
        ask(ledger)
        for number in (2, 3, 99):
            with pytest.raises(LedgerError, match=f"entry {number} is no charge that waits"):
                ledger.retry(number)


def test_giving_up_is_not_dying(home: Home) -> None:
    with new(home) as ledger:
        for _ in range(5):
            with ledger.charge(question(), TENTH):
                pass
        assert "DEATH" not in kinds(ledger)
        assert ask(ledger) == b"42"


def test_deaths_of_many_charges_suspend_like_overruns(home: Home) -> None:
    clock = Clock()
    with new(home, clock, caps=CAPS) as ledger:
        for number in range(4):
            die(ledger, home, clock, f"q{number}", "ann")
            if number < 3:
                ask(ledger, f"q{number}", analyst="bob")
        with pytest.raises(SuspendedError, match="for 'ann'"):
            ledger.charge(question("q3"), TENTH, "ann")
        assert [each.analyst for each in ledger.suspended] == ["ann"]
        assert ledger.verify().ok


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE states SET value = x'31' WHERE name = 'overruns ann'",
        "UPDATE charges SET deaths = 0",
        "DELETE FROM states",
    ],
)
def test_a_count_that_somebody_changed_is_found(home: Home, change: str) -> None:
    clock = Clock()
    with new(home, clock, caps=CAPS) as ledger:
        die(ledger, home, clock, analyst="ann")
        with ledger.charge(question(), TENTH, "ann") as claim:
            ledger.runs.count_overrun(claim)
        assert ledger.verify().ok
        with tampering(home) as db:
            db.execute(change)
        assert not ledger.verify().ok
