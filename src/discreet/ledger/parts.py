"""Parts of results that are too large to be written twice: each is kept under its hash, before anything names it.

Beside a ledger's file they are files, as large answers are (`files/results.py`); on PostgreSQL they are rows of the
database, each with an entry of the chain. A journal's row or a record that holds a part's name is written after it, so
a name never stands for a part that was not there. One that is missing later, or was changed, is an error and never a
new draw. A part that nothing names was left by a run that died, and was told to nobody.
"""

from __future__ import annotations

import re

from discreet.base.canonical import hash_bytes
from discreet.base.errors import LedgerError
from discreet.ledger.database import Store
from discreet.ledger.entries import states
from discreet.ledger.entries.decisions import Decisions
from discreet.ledger.steps import pass_step

PREFIX = "part "
"""What the names of parts begin with, where they lie in the database."""


class LedgerParts:
    """The parts of one ledger's results."""

    def __init__(self, store: Store, rules: Decisions) -> None:
        self._store, self._rules = store, rules

    def write(self, data: bytes) -> str:
        """Keep a part, durably, and return its name."""
        pass_step("before part")
        name, files = hash_bytes(data), self._store.results
        if files is not None:
            with self._store.explaining():
                files.write(data)
        else:
            with self._store.writing() as db:
                states.set_state(db, self._rules.now(), f"{PREFIX}{name}", data)
        pass_step("part kept")
        return name

    def read(self, name: str) -> bytes:
        """Return a part, or raise where it is missing or was changed."""
        if re.fullmatch("[0-9a-f]{64}", name) is None:
            raise LedgerError("a part is named by its hash, as a record has it")
        files = self._store.results
        if files is not None:
            with self._store.explaining():
                return files.read(name)
        with self._store.reading() as db:
            found = states.read_state(db, f"{PREFIX}{name}")
        if found is None or hash_bytes(found) != name:
            raise LedgerError(f"part {name} of a result is missing or was changed: restore it. It is not drawn again")
        return found
