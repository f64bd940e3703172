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
from discreet.ledger.database import Database
from discreet.ledger.entries import chain, states
from discreet.ledger.entries.chain import Entry

PREFIX, OVERRUNS = "suspended ", "overruns "
"""How the names of states about suspensions and about overruns begin; `Ledger.set_state` sets no other under them."""


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


def name_state(who: str) -> str:
    """Return the name of the state that holds an analyst's suspension."""
    return f"{PREFIX}{who}"


def write_charge_number(charge: int) -> bytes:
    """Return what that state holds."""
    return str(charge).encode()


def find_suspension(db: Database, who: str) -> Suspension | None:
    """Return the suspension of an analyst, if there is one."""
    query = "SELECT value, coalesce(at, '') FROM states LEFT JOIN entries ON number = entry WHERE name = ?"
    row = db.execute(query, (name_state(who),)).fetchone()
    try:
        return Suspension(who or None, int(row[0]), row[1]) if row else None
    except ValueError:
        raise LedgerError("a suspension is damaged: run `discreet ledger --verify`") from None


def list_suspensions(db: Database) -> tuple[Suspension, ...]:
    """Return all suspensions, by name."""
    names = db.execute("SELECT name FROM states WHERE substr(name, 1, ?) = ? ORDER BY name", (len(PREFIX), PREFIX))
    found = [find_suspension(db, name.removeprefix(PREFIX)) for (name,) in names.fetchall()]
    return tuple(each for each in found if each is not None)


def refuse_suspended(db: Database, who: str) -> None:
    """Raise if this analyst is suspended."""
    if found := find_suspension(db, who):
        raise SuspendedError(f"{found}; nothing was charged. Ask the operator to run `{found.remedy}`")


def suspend(db: Database, at: str, who: str, charge: int) -> None:
    """Suspend an analyst, inside the caller's transaction; one who is suspended stays so, and no entry is made.

    So of several questions that run at once, only the first failure leaves a trace: whether the others would have
    failed as well cannot be told.
    """
    if find_suspension(db, who) is None:
        entry = chain.append(db, chain.SUSPEND, at, {"analyst": who or None, "charge": charge})
        states.write_state(db, name_state(who), entry.number, write_charge_number(charge))


def resume(db: Database, at: str, who: str) -> Entry:
    """End a suspension, inside the caller's transaction; raise if there is none."""
    found = find_suspension(db, who)
    if found is None:
        told = [f"`{each.remedy}`" for each in list_suspensions(db)]
        others = f"; these would end one: {', '.join(told)}" if told else "; nobody is"
        raise LedgerError(f"asking is not suspended{f' for {who!r}' if who else ''}{others}")
    states.delete_state(db, name_state(who))
    states.delete_state(db, f"{OVERRUNS}{who}")
    return chain.append(db, chain.RESUME, at, {"analyst": who or None, "charge": found.charge})
