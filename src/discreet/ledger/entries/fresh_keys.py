"""Keys of fresh askings: a request that is sent twice under one key is one charge and one answer.

Whoever asks over a network cannot tell a lost request from a lost reply. Without a key, asking for fresh noise again
would pay again. The key is written in the transaction that charges, bound to what was asked, so both are there
or neither.
"""

from __future__ import annotations

import json

from discreet.base.canonical import hash_bytes, write_json
from discreet.base.errors import QueryError
from discreet.ledger.database import Database
from discreet.ledger.entries import states

PREFIX = "fresh:"


def name_key(who: str, key: str) -> str:
    """Return the name of the state that holds a key: of one analyst, and without the key itself."""
    return f"{PREFIX}{hash_bytes(write_json([who, key]).encode())}"


def find_keyed(db: Database, who: str, key: str, identity: str) -> int | None:
    """Return the charge that was made under a key; raise where something else was asked under it."""
    found = states.read_state(db, name_key(who, key))
    if found is None:
        return None
    question, charge = json.loads(found)
    if question != identity:
        raise QueryError("this key was used for another question; give each new question a key of its own")
    return int(charge)


def keep_key(db: Database, time: str, who: str, key: str, identity: str, charge: int) -> None:
    """Bind a key to a charge, inside the transaction that makes the charge."""
    states.set_state(db, time, name_key(who, key), write_json([identity, charge]).encode())
