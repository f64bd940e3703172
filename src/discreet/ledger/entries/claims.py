"""What goes into the ledger and what comes back: a request, and the claim to its answer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from discreet.answers.receipt import SHARED, Mark, Receipt
from discreet.base.errors import LedgerError
from discreet.ledger.database import Database, Lease
from discreet.ledger.entries.totals import read_charge, write_charge
from discreet.privacy.charges import Charge


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked. Two requests with one `identity` are the same and have one answer.

    The identity is a hash over everything that shapes the answer, the data's version included. `version` names that
    version, `kind` the operation and `text` what the analyst wrote: kept for showing.
    """

    identity: str
    version: str
    text: str
    kind: str = "sql"


@dataclass(eq=False, slots=True)
class Claim:
    """An answer that was found (`answer` and `receipt`), or the right to run the charge at `entry` and record one.

    As a context manager it gives that right up at the end, unless the answer was recorded.
    """

    entry: int
    charge: Charge
    analyst: str | None
    paid: str
    answer: bytes | None = None
    receipt: Receipt | None = None
    lease: Lease | None = None
    give_up: Callable[[Claim], None] | None = None
    """Tells the ledger that this run ends without a record."""

    @property
    def found(self) -> bool:
        """Whether the answer is there already."""
        return self.receipt is not None

    def pay_by(self, share: Mark) -> Self:
        """Return the claim as that of somebody who paid their share while they waited for it."""
        self.paid = SHARED
        if self.receipt is not None:
            self.receipt = replace(self.receipt, mark=share, paid=SHARED)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.lease is None or self.found or not self.lease.held:
            return
        try:
            if self.give_up is not None:
                with contextlib.suppress(LedgerError):  # then the run will look as if it had died
                    self.give_up(self)
        finally:
            self.lease.release()


@dataclass(frozen=True, slots=True)
class ChargeRow:
    """A charge as the database holds it: its price, its lease, and the entry that records its answer, if any.

    `runner` is whose run holds the lease or held it last, and `deaths` how many runs of it died.
    """

    entry: int
    charge: Charge
    record: int | None
    token: str | None
    expires: float | None
    runner: str
    deaths: int


_COLUMNS = "SELECT entry, epsilon, rho, delta, record, token, expires, runner, deaths FROM charges WHERE "


def find_answered(db: Database, identity: str, who: str) -> ChargeRow | None:
    """Return the charge with the newest recorded answer to a request that somebody has paid for; else with anybody's.

    So asking again finds one's own answer, for nothing, though another has paid for fresh noise meanwhile.
    """
    own = "EXISTS (SELECT 1 FROM payments WHERE payments.charge = charges.entry AND payments.who = ?)"
    return _find(db, f"question = ? AND record IS NOT NULL ORDER BY {own} DESC, record DESC LIMIT 1", identity, who)


def find_unanswered(db: Database, identity: str, charge: Charge) -> ChargeRow | None:
    """Return the newest charge without an answer that paid exactly this price for a request.

    Only then may it be run again for what it paid: a plan that is priced otherwise today needs a charge of its own.
    """
    condition = "question = ? AND record IS NULL AND epsilon = ? AND rho = ? AND delta = ? ORDER BY entry DESC LIMIT 1"
    return _find(db, condition, identity, *write_charge(charge).values())


def find_charge(db: Database, entry: int) -> ChargeRow | None:
    """Return the charge that an entry made."""
    return _find(db, "entry = ?", entry)


def has_paid(db: Database, entry: int, who: str) -> bool:
    """Say whether this analyst has paid for a charge, to the total or to their own cap."""
    return db.execute("SELECT 1 FROM payments WHERE charge = ? AND who = ?", (entry, who)).fetchone() is not None


def _find(db: Database, condition: str, *values: str | int) -> ChargeRow | None:
    row = db.execute(_COLUMNS + condition, values).fetchone()
    return ChargeRow(row[0], read_charge(*row[1:4]), *row[4:]) if row else None
