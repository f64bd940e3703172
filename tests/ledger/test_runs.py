"""What a run does to its lease: renew it, lose it, give it up."""

from __future__ import annotations

import pytest

from discreet.base.errors import LostLeaseError, PendingError
from support.ledger import TENTH, Clock, Home, again, kinds, new, question


def test_a_renewed_lease_lasts_for_its_whole_time_again(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        claim = ledger.charge(question(), TENTH)
        for _ in range(5):
            clock.time += 3000
            ledger.runs.renew(claim)
        clock.time += 3000
        with pytest.raises(PendingError, match="still being run"):
            other.charge(question(), TENTH, timeout=0)
        ledger.record(claim, b"after five hours")
        assert other.charge(question(), TENTH).answer == b"after five hours"
        assert kinds(ledger) == ["CREATE", "CHARGE", "RECORD"]


def test_whoever_was_overtaken_or_is_done_renews_nothing(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        hung = ledger.charge(question(), TENTH)
        clock.time += 3601
        taken = other.charge(question(), TENTH)
        with pytest.raises(LostLeaseError, match="lease on entry 2 was lost"):
            ledger.runs.renew(hung)
        other.record(taken, b"1")
        with pytest.raises(LostLeaseError):
            other.runs.renew(taken)


def test_a_death_that_is_noted_lets_the_next_one_run_at_once(home: Home) -> None:
    with new(home) as ledger, again(home) as other:
        with ledger.charge(question(), TENTH) as claim:
            ledger.runs.count_death(claim)
            taken = other.charge(question(), TENTH)
            assert taken.entry == claim.entry
            with pytest.raises(LostLeaseError):
                ledger.record(claim, b"from the dead")
        other.record(taken, b"1")
        assert kinds(ledger) == ["CREATE", "CHARGE", "DEATH", "RETRY", "RECORD"]
        assert ledger.verify().ok
