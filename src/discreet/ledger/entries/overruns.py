"""Overruns: runs that took longer than the public time, or that died. Both may tell about the data, so both count.

Whether a run is late, or fills the memory and is killed, may depend on one person's rows. Nobody is suspended for one
such run, since machines are slow and crash by themselves; but an analyst with more than `MOST` of them is, so that they
learn so many bits this way and no more. The count is a state beside the chain, and every step of it is an entry there.
"""

from __future__ import annotations

from discreet.base.errors import LedgerError
from discreet.ledger.database import Database
from discreet.ledger.entries import chain, states, suspensions

MOST = 3
"""Overruns of one analyst that suspend nobody."""

DEADLY = 2
"""Deaths of one charge's runs after which it waits for the operator."""


RETRIES = 20
"""Times that a charge whose runs were stopped is begun anew before it waits for the operator.

Each run takes its time and is not paid for again: without a limit, as many of them could be timed as anybody likes.
"""


def count_retries(db: Database, charge: int) -> int:
    """Return how often a charge was begun anew since the operator last allowed it."""
    query = "SELECT number FROM entries WHERE kind IN (?, ?) AND number > ? ORDER BY number"
    count = 0
    for (number,) in db.execute(query, (chain.RETRY, chain.ALLOW, charge)).fetchall():
        entry = chain.get(db, number)
        if entry is not None and entry.body.get("charge") == charge:
            count = count + 1 if entry.kind == chain.RETRY else 0
    return count


def name_state(who: str) -> str:
    """Return the name of the state that holds an analyst's count."""
    return f"{suspensions.OVERRUNS}{who}"


def read_count(db: Database, who: str) -> int:
    """Return how many overruns an analyst has since they were last resumed."""
    try:
        return int(states.read_state(db, name_state(who)) or 0)
    except ValueError:
        raise LedgerError("a count of overruns is damaged: run `discreet ledger --verify`") from None


def count_overrun(db: Database, at: str, kind: str, who: str, charge: int) -> None:
    """Count one more overrun (`chain.OVERRUN`) or death (`chain.DEATH`), inside the caller's transaction.

    Whoever has too many is suspended in the same transaction.
    """
    count = read_count(db, who) + 1
    entry = chain.append(db, kind, at, {"analyst": who or None, "charge": charge, "count": count})
    states.write_state(db, name_state(who), entry.number, write_count(count))
    if count > MOST:
        suspensions.suspend(db, at, who, charge)


def write_count(count: int) -> bytes:
    """Return what that state holds."""
    return str(count).encode()
