"""What goes into the ledger and what comes back: a question, and the claim to its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from discreet.answers.receipt import Receipt
from discreet.base.canonical import hash_json
from discreet.ledger.database import Database, Lease
from discreet.ledger.totals import from_texts, texts
from discreet.privacy.charges import Charge


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. Two questions with the same `key` and `version` are the same question and have one answer.

    `key` is the canonical text of the plan and of every parameter that shapes the answer; `version` names the data;
    `text` is what the analyst wrote, kept for showing.
    """

    key: str
    version: str
    text: str

    @property
    def hash(self) -> str:
        """The name of the question in the ledger."""
        return hash_json([self.key, self.version])


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

    @property
    def found(self) -> bool:
        """Whether the answer is there already."""
        return self.receipt is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.lease is not None:
            self.lease.release()


@dataclass(frozen=True, slots=True)
class Asked:
    """A charge as the database holds it: its price, its lease, and the entry that records its answer, if any."""

    entry: int
    charge: Charge
    record: int | None
    token: str | None
    expires: float | None


_COLUMNS = "SELECT entry, epsilon, rho, delta, record, token, expires FROM charges WHERE "


def answered(db: Database, question: str) -> Asked | None:
    """Return the charge with the newest recorded answer to a question."""
    return _asked(db, "question = ? AND record IS NOT NULL ORDER BY record DESC LIMIT 1", question)


def unanswered(db: Database, question: str, charge: Charge) -> Asked | None:
    """Return the newest charge without an answer that paid exactly this price for a question.

    Only then may it be run again for what it paid: a plan that is priced otherwise today needs a charge of its own.
    """
    condition = "question = ? AND record IS NULL AND epsilon = ? AND rho = ? AND delta = ? ORDER BY entry DESC LIMIT 1"
    return _asked(db, condition, question, *texts(charge).values())


def numbered(db: Database, entry: int) -> Asked | None:
    """Return the charge that an entry made."""
    return _asked(db, "entry = ?", entry)


def has_paid(db: Database, entry: int, who: str) -> bool:
    """Say whether this analyst has paid for a charge, to the total or to their own cap."""
    return db.execute("SELECT 1 FROM payments WHERE charge = ? AND who = ?", (entry, who)).fetchone() is not None


def _asked(db: Database, condition: str, *values: str | int) -> Asked | None:
    row = db.execute(_COLUMNS + condition, values).fetchone()
    return Asked(row[0], from_texts(*row[1:4]), *row[4:]) if row else None
