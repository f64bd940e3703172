"""Parts and large answers that nothing names: left by runs that died before the row or the record that would name them.

They were told to nobody. What nothing names *yet* looks the same while a run lives: it has kept a part, and its journal
is about to name it. So they are removed only inside a writing transaction, in which no run can begin or journal, and
only while nobody holds the lease of a charge without a record, in time or not. A run whose lease was lost without its
knowledge (a session with PostgreSQL ended) is overtaken there and then: it names nothing afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from discreet.ledger.database import Database, LargeResults, Leases
from discreet.ledger.entries import chain, states
from discreet.ledger.entries.part_names import PART, PartNames, is_name

LOST = "lost"
"""The token of a charge whose run is overtaken: nobody holds it."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that nothing names: its own name, and how large it is."""

    name: str
    bytes: int


def find_leftovers(
    db: Database, names: PartNames, answers: Collection[str], results: LargeResults | None
) -> Iterator[Leftover]:
    """Yield what lies there though no journal of the chain names it, and no record of these answers."""
    for name, size in db.execute("SELECT name, length(value) FROM states WHERE substr(name, 1, ?) = ?", _PREFIXED):
        if not names.holds(name.removeprefix(PART)):
            yield Leftover(name.removeprefix(PART), int(size))
    for name in results.list_names() if results is not None else ():
        whole, _, rest = name.partition(".")
        is_ours = is_name(whole) and (not rest or rest.endswith("part"))
        if is_ours and (rest or not (names.holds(name) or name in answers)):
            size = results.find_size(name) if results is not None else None
            if size is not None:
                yield Leftover(name, size)


def read_answer_names(db: Database) -> set[str]:
    """Return the names of all recorded answers."""
    rows = db.execute("SELECT body FROM entries WHERE kind = ?", (chain.RECORD,))
    return {json.loads(body)["answer"] for (body,) in rows}


def is_any_running(db: Database, leases: Leases) -> bool:
    """Say whether somebody holds the lease of a charge without a record, whether its time is over or not."""
    rows = db.execute("SELECT token FROM charges WHERE record IS NULL AND token IS NOT NULL").fetchall()
    return any(leases.alive(token) for (token,) in rows)


def overtake_lost(db: Database) -> None:
    """Take their charges from runs that hold no lease any more: should one of them live on, it can write nothing."""
    db.execute("UPDATE charges SET token = ? WHERE token IS NOT NULL AND record IS NULL", (LOST,))


def remove_leftover(db: Database, time: str, found: Leftover, results: LargeResults | None) -> None:
    """Remove what nothing names, and write down that it was; inside the caller's transaction."""
    chain.append(db, chain.SWEEP, time, {"part": found.name, "bytes": found.bytes})
    states.delete_state(db, f"{PART}{found.name}")
    if results is not None:
        results.remove(found.name)


_PREFIXED = (len(PART), PART)
