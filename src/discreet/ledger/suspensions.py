"""Suspensions: who may not ask, because a question of theirs failed after its charge, until the operator says so.

Whether a question fails may depend on the data. Nobody learns more than one such bit before somebody who may look at
the data has looked at why: the charge stays, and everything else that the analyst asks is refused, recorded answers
and questions that run already included. A suspension is an entry of the chain and a named state beside it, written in
one transaction; it holds the number of the charge, and nothing about the failure.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from discreet.base.errors import LedgerError, SuspendedError
from discreet.ledger import chain
from discreet.ledger.chain import Entry
from discreet.ledger.database import Database

PREFIX = "suspended "
"""How the names of these states begin; `Ledger.set_state` sets no other under it."""


@dataclass(frozen=True, slots=True)
class Suspension:
    """Who is suspended (None: whoever asks without a name), after which charge failed, and when."""

    analyst: str | None
    charge: int
    at: str

    def __str__(self) -> str:
        who = f"for {self.analyst!r} " if self.analyst is not None else ""
        return f"asking is suspended {who}after a failure in entry {self.charge}"

    @property
    def remedy(self) -> str:
        """What the operator runs, having seen to the failure."""
        return f"discreet resume {shlex.quote(self.analyst)}" if self.analyst is not None else "discreet resume"


def state_of(who: str) -> str:
    """Return the name of the state that holds an analyst's suspension."""
    return f"{PREFIX}{who}"


def value_of(charge: int) -> bytes:
    """Return what that state holds."""
    return str(charge).encode()


def find(db: Database, who: str) -> Suspension | None:
    """Return the suspension of an analyst, if there is one."""
    query = "SELECT value, coalesce(at, '') FROM states LEFT JOIN entries ON number = entry WHERE name = ?"
    row = db.execute(query, (state_of(who),)).fetchone()
    try:
        return Suspension(who or None, int(row[0]), row[1]) if row else None
    except ValueError:
        raise LedgerError("a suspension is damaged: run `discreet ledger --verify`") from None


def every(db: Database) -> tuple[Suspension, ...]:
    """Return all suspensions, by name."""
    names = db.execute("SELECT name FROM states WHERE substr(name, 1, ?) = ? ORDER BY name", (len(PREFIX), PREFIX))
    found = [find(db, name.removeprefix(PREFIX)) for (name,) in names.fetchall()]
    return tuple(each for each in found if each is not None)


def refuse(db: Database, who: str) -> None:
    """Raise if this analyst is suspended."""
    if found := find(db, who):
        raise SuspendedError(f"{found}; nothing was charged. Ask the operator to run `{found.remedy}`")


def suspend(db: Database, at: str, who: str, charge: int) -> None:
    """Suspend an analyst, inside the caller's transaction; one who is suspended stays so, and no entry is made.

    So of several questions that run at once, only the first failure leaves a trace: whether the others would have
    failed as well cannot be told.
    """
    if find(db, who) is None:
        entry = chain.append(db, chain.SUSPEND, at, {"analyst": who or None, "charge": charge})
        db.execute("INSERT INTO states VALUES (?, ?, ?)", (state_of(who), entry.number, value_of(charge)))


def resume(db: Database, at: str, who: str) -> Entry:
    """End a suspension, inside the caller's transaction; raise if there is none."""
    found = find(db, who)
    if found is None:
        told = [f"`{each.remedy}`" for each in every(db)]
        others = f"; these would end one: {', '.join(told)}" if told else "; nobody is"
        raise LedgerError(f"asking is not suspended{f' for {who!r}' if who else ''}{others}")
    db.execute("DELETE FROM states WHERE name = ?", (state_of(who),))
    return chain.append(db, chain.RESUME, at, {"analyst": who or None, "charge": found.charge})
