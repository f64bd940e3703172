"""The chain: every entry's hash covers the entry before it, so a place in the chain covers all that came before."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.answers.receipt import Mark
from discreet.base.canonical import hash_json, write_json
from discreet.ledger.database import Database

GENESIS = "0" * 64

CREATE, POLICY, CHARGE, SHARE, RETRY, RECORD, STATE = "CREATE", "POLICY", "CHARGE", "SHARE", "RETRY", "RECORD", "STATE"
SUSPEND, RESUME, OVERRUN, DEATH, MEASURE, ALLOW = "SUSPEND", "RESUME", "OVERRUN", "DEATH", "MEASURE", "ALLOW"
SWEEP = "SWEEP"
KINDS = (CREATE, POLICY, CHARGE, SHARE, RETRY, RECORD, STATE, SUSPEND, RESUME, OVERRUN, DEATH, MEASURE, ALLOW, SWEEP)
"""The kinds that the ledger itself writes; `Ledger.note` adds others."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger. `text` is the canonical JSON that was hashed; `at` is the time in UTC."""

    number: int
    kind: str
    at: str
    text: str
    hash: str

    @property
    def body(self) -> dict[str, Any]:
        """What the entry says, as JSON values."""
        body: dict[str, Any] = json.loads(self.text)
        return body

    @property
    def mark(self) -> Mark:
        """The place in the chain: what a receipt carries."""
        return Mark(self.number, self.hash)


def hash_entry(previous: str, number: int, kind: str, at: str, text: str) -> str:
    """Return the hash of an entry that follows the hash `previous`."""
    return hash_json([previous, number, kind, at, text])


def append(db: Database, kind: str, at: str, body: dict[str, Any]) -> Entry:
    """Add an entry at the end of the chain, inside the caller's transaction.

    Hashes of what analysts pay for are on their receipts. These entries hold some random bits, or trying what may stand
    between two receipts would tell how many entries others have, and whether their answers were there before.
    """
    last, previous = db.execute("SELECT number, hash FROM head").fetchone()
    text = write_json({**body, "salt": secrets.token_hex(16)} if kind in (CHARGE, SHARE, RECORD) else body)
    entry = Entry(last + 1, kind, at, text, hash_entry(previous, last + 1, kind, at, text))
    db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (entry.number, kind, at, text, entry.hash))
    db.execute("UPDATE head SET number = ?, hash = ?", (entry.number, entry.hash))
    return entry


def read(db: Database, first: int = 1, most: int = 2**62) -> Iterator[Entry]:
    """Yield the entries from number `first` on, in order, as they are stored."""
    query = "SELECT number, kind, at, body, hash FROM entries WHERE number >= ? ORDER BY number LIMIT ?"
    return (Entry(*row) for row in db.execute(query, (first, most)))


def get(db: Database, number: int) -> Entry | None:
    """Return one entry."""
    return next((entry for entry in read(db, number, 1) if entry.number == number), None)
