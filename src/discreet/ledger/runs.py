"""What a run does to the ledger between its charge and its record: renew its lease, journal, count an overrun, give up.

Everything here is fenced: only the holder of the token that stands beside the charge may write.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.ledger.database import Store
from discreet.ledger.entries import chain, journal, overruns, totals
from discreet.ledger.entries.claims import Claim, find_charge
from discreet.ledger.entries.decisions import Decisions
from discreet.ledger.entries.journal import JournalRow
from discreet.ledger.steps import pass_step


class Runs:
    """The runs of one ledger's charges."""

    def __init__(self, store: Store, rules: Decisions) -> None:
        self._store, self._rules = store, rules

    @property
    def lease_seconds(self) -> float:
        """How long a lease lasts when it is not renewed."""
        return self._rules.lease_seconds

    def renew(self, claim: Claim) -> None:
        """Let the claim's lease last for its whole time again; raise LostLeaseError if somebody else has the charge."""
        with self._store.writing() as db:
            self._rules.renew(db, claim)

    def read_journal(self, claim: Claim) -> tuple[JournalRow, ...]:
        """Return what earlier runs of the charge released, in order."""
        with self._store.reading() as db:
            return journal.read_rows(db, claim.entry)

    def write_journal(self, claim: Claim, position: int, rows: Sequence[JournalRow]) -> None:
        """Make results of the desk durable, the first of them at this position; only after this may they be used."""
        pass_step("before journal")
        with self._store.writing() as db:
            self._rules.check_lease(db, claim)
            for place, row in enumerate(rows, start=position):
                journal.write_row(db, self._rules.now(), claim.entry, place, row)
            pass_step("journaling")
        pass_step("journaled")

    def count_overrun(self, claim: Claim) -> None:
        """Count that a run took longer than the public time; the run itself goes on."""
        with self._store.writing() as db:
            who = claim.analyst or totals.TOTAL
            overruns.count_overrun(db, self._rules.now(), chain.OVERRUN, who, claim.entry)

    def count_death(self, claim: Claim) -> None:
        """Note that a run died with the engine that it ran on: its charge stays, and may be run again once."""
        with self._store.writing() as db:
            self._rules.note_death(db, claim)

    def give_up(self, claim: Claim) -> None:
        """Note that a run ends without a record: its charge stays, and whoever asks next may run it again for it.

        Where this cannot be written, the run will look as if it had died.
        """
        with self._store.writing() as db:
            now = find_charge(db, claim.entry)
            if now is not None and claim.lease is not None and now.token == claim.lease.token:
                db.execute("UPDATE charges SET token = NULL WHERE entry = ?", (claim.entry,))
