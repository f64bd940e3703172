"""Small durable values under names, each covered by an entry of the chain."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.canonical import hash_bytes
from discreet.base.errors import TakenError
from discreet.ledger.database import Database
from discreet.ledger.entries import chain


@dataclass(frozen=True, slots=True)
class Keepsake:
    """A small durable value that is set with a charge, in one transaction: both are there, or neither.

    A value that is there under the name stays. With `once` the name belongs to one charge for good: whoever comes
    second is refused and pays nothing, so two processes never both buy what is bought once.
    """

    name: str
    value: bytes
    once: bool = False


def read_state(db: Database, name: str) -> bytes | None:
    """Return the value that was last set under a name."""
    row = db.execute("SELECT value FROM states WHERE name = ?", (name,)).fetchone()
    return bytes(row[0]) if row else None


def list_states(db: Database, prefix: str) -> dict[str, bytes]:
    """Return the values whose names begin so, by name."""
    query = "SELECT name, value FROM states WHERE substr(name, 1, ?) = ? ORDER BY name"
    return {name: bytes(value) for name, value in db.execute(query, (len(prefix), prefix)).fetchall()}


def write_state(db: Database, name: str, entry: int, value: bytes) -> None:
    """Set a value, which the entry of that number names; inside the caller's transaction."""
    statement = (
        "INSERT INTO states VALUES (?, ?, ?) ON CONFLICT (name) "
        "DO UPDATE SET entry = excluded.entry, value = excluded.value"
    )
    db.execute(statement, (name, entry, value))


def delete_state(db: Database, name: str) -> None:
    """Forget a value, if there is one."""
    db.execute("DELETE FROM states WHERE name = ?", (name,))


def set_state(db: Database, time: str, name: str, value: bytes) -> chain.Entry:
    """Set a value with an entry of its own; inside the caller's transaction."""
    body = {"name": name, "value": hash_bytes(value), "bytes": len(value)}
    entry = chain.append(db, chain.STATE, time, body)
    write_state(db, name, entry.number, value)
    return entry


def keep_state(db: Database, time: str, kept: Keepsake) -> None:
    """Set a value before the charge that it belongs to; inside the transaction of that charge."""
    if read_state(db, kept.name) is None:
        set_state(db, time, kept.name, kept.value)
    elif kept.once:
        raise TakenError(f"{kept.name} was paid for by somebody else; nothing was charged")
