"""The journal: in order, fenced by the lease, covered by the chain, and gone once the answer is recorded."""

from __future__ import annotations

import pytest

from discreet.base.errors import LedgerError, LostLeaseError
from discreet.ledger import JournalRow
from support.ledger import TENTH, Clock, Home, again, kinds, new, question, tampering

ROWS = (JournalRow("a", b"1"), JournalRow("b", b"\0\xff"), JournalRow("c", b""))


def test_what_was_written_is_read_in_order_by_the_next_run(home: Home) -> None:
    with new(home) as ledger:
        with ledger.charge(question(), TENTH) as claim:
            assert ledger.runs.read_journal(claim) == ()
            ledger.runs.write_journal(claim, 0, ROWS[:1])
            ledger.runs.write_journal(claim, 1, ROWS[1:])
        with again(home) as other, other.charge(question(), TENTH) as claim:
            assert other.runs.read_journal(claim) == ROWS
            other.record(claim, b"42")
        assert kinds(ledger) == ["CREATE", "CHARGE", "MEASURE", "MEASURE", "MEASURE", "RETRY", "RECORD"]
        assert ledger.verify().ok
        with tampering(home) as db:
            assert db.execute("SELECT count(*) FROM journal").fetchone() == (0,), "the rows go with the record"


def test_no_position_is_written_twice_or_left_out(home: Home) -> None:
    with new(home) as ledger, ledger.charge(question(), TENTH) as claim:
        ledger.runs.write_journal(claim, 0, ROWS[:1])
        for position in (0, 2):
            with pytest.raises(LedgerError, match=f"has 1 rows, so that none can be number {position}"):
                ledger.runs.write_journal(claim, position, ROWS[1:2])
        assert ledger.runs.read_journal(claim) == ROWS[:1]


def test_whoever_was_overtaken_writes_nothing(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        hung = ledger.charge(question(), TENTH)
        clock.time += 3601
        taken = other.charge(question(), TENTH)
        with pytest.raises(LostLeaseError):
            ledger.runs.write_journal(hung, 0, ROWS[:1])
        other.runs.write_journal(taken, 0, ROWS[1:2])
        assert other.runs.read_journal(taken) == ROWS[1:2]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE journal SET result = x'99'", "the journal of entry and position (2, 0) was edited"),
        ("UPDATE journal SET call = 'x'", "the journal of entry and position (2, 0) was edited"),
        ("DELETE FROM journal", "the journal of entry and position (2, 0) is missing"),
        (
            "INSERT INTO journal VALUES (2, 1, 'x', x'99')",
            "the journal of entry and position (2, 1) is not in the chain",
        ),
    ],
)
def test_a_journal_that_somebody_changed_is_found(home: Home, change: str, found: str) -> None:
    with new(home) as ledger:
        claim = ledger.charge(question(), TENTH)
        ledger.runs.write_journal(claim, 0, ROWS[:1])
        assert ledger.verify().ok
        with tampering(home) as db:
            db.execute(change)
        assert any(problem.startswith(found) for problem in ledger.verify().problems)
