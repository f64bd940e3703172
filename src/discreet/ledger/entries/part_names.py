"""Which parts of results the chain names: those whose names were journaled.

A run journals the name of a part, which is the part's hash in 64 letters, as its result. The chain keeps the hash of
every result for good, and so the hash of every name, also when the journal's rows are gone and its record holds the
names. So the chain alone decides whether a part is named, and no record need be understood for it. Which parts must be
there is read from the journal and the records: a text of 64 such letters in them is a name where the chain has its hash
as a result of that charge. A record therefore writes names of parts as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from discreet.base.canonical import hash_bytes
from discreet.ledger.database import Database
from discreet.ledger.entries import chain

PART = "part "
"""What the names of parts begin with, where they lie in the database."""

LETTERS = 64
"""Of a name: a SHA-256 in hexadecimal digits."""

NAME = re.compile(f"[0-9a-f]{{{LETTERS}}}")
_WITHIN = re.compile(f"(?<![0-9a-f])[0-9a-f]{{{LETTERS}}}(?![0-9a-f])".encode())


def is_name(text: str) -> bool:
    """Say whether a text can be the name of a part."""
    return NAME.fullmatch(text) is not None


@dataclass(slots=True)
class PartNames:
    """Hashes of all results that may be the name of a part, each with the charges that journaled it."""

    hashes: dict[str, set[int]] = field(default_factory=dict)

    def follow(self, body: dict[str, Any]) -> None:
        """Take in what an entry of a journal says."""
        if body["bytes"] == LETTERS:
            self.hashes.setdefault(body["result"], set()).add(body["charge"])

    def holds(self, name: str) -> bool:
        """Say whether a journal named this part."""
        return hash_bytes(name.encode()) in self.hashes

    def find(self, charge: int, data: bytes) -> Iterator[str]:
        """Yield the parts of a charge that are named in a result or a record of it."""
        for found in _WITHIN.findall(data) if self.hashes else ():
            if charge in self.hashes.get(hash_bytes(found), ()):
                yield found.decode()


def read_part_names(db: Database) -> PartNames:
    """Return what the whole chain names."""
    found = PartNames()
    for (body,) in db.execute("SELECT body FROM entries WHERE kind = ?", (chain.MEASURE,)):
        found.follow(json.loads(body))
    return found
