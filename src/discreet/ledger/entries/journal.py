"""The journal of a run: what its desk released so far, each result written before the run sees it.

A run that dies is run again from its journal: what was drawn is not drawn a second time, so nobody ever sees two draws
of one measurement. Each result is an entry of the chain and a row beside it, written in one transaction and only by the
holder of the charge's lease. Once the answer is recorded the rows go; the chain keeps their hashes.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.canonical import hash_bytes
from discreet.base.errors import LedgerError
from discreet.ledger.database import Database
from discreet.ledger.entries import chain


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One call of the desk: the hash of what was asked, and what was released."""

    call: str
    result: bytes


def write_row(db: Database, at: str, charge: int, position: int, row: JournalRow) -> None:
    """Add a row at this position, inside the caller's transaction; positions are counted from 0 without a gap."""
    (count,) = db.execute("SELECT count(*) FROM journal WHERE charge = ?", (charge,)).fetchone()
    if count != position:
        raise LedgerError(f"the journal of entry {charge} has {count} rows, so that none can be number {position}")
    body = {
        "charge": charge,
        "position": position,
        "call": row.call,
        "result": hash_bytes(row.result),
        "bytes": len(row.result),
    }
    chain.append(db, chain.MEASURE, at, body)
    db.execute("INSERT INTO journal VALUES (?, ?, ?, ?)", (charge, position, row.call, row.result))


def read_rows(db: Database, charge: int) -> tuple[JournalRow, ...]:
    """Return everything that was released for a charge whose answer is not recorded yet, in order."""
    rows = db.execute("SELECT call, result FROM journal WHERE charge = ? ORDER BY position", (charge,)).fetchall()
    return tuple(JournalRow(call, bytes(result)) for call, result in rows)


def clear_rows(db: Database, charge: int) -> None:
    """Forget the rows of a charge whose answer is recorded."""
    db.execute("DELETE FROM journal WHERE charge = ?", (charge,))
