"""Small durable values under names, each covered by an entry of the chain."""

from __future__ import annotations

from discreet.ledger.database import Database


def read_state(db: Database, name: str) -> bytes | None:
    """Return the value that was last set under a name."""
    row = db.execute("SELECT value FROM states WHERE name = ?", (name,)).fetchone()
    return bytes(row[0]) if row else None


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
