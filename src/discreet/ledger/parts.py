"""Parts of results that are too large to be written twice: each is kept under its hash, before anything names it.

Beside a ledger's file they are files, as large answers are (`files/results.py`); on PostgreSQL they are rows of the
database, each with an entry of the chain. A journal's row or a record that holds a part's name is written after it, so
a name never stands for a part that was not there. One that is missing later, or was changed, is an error and never a
new draw. A part that nothing names was left by a run that died, and was told to nobody: `sweep` removes it.
"""

from __future__ import annotations

from discreet.base.canonical import hash_bytes
from discreet.base.errors import LedgerError, PendingError
from discreet.ledger.database import Store
from discreet.ledger.entries import leftovers, states
from discreet.ledger.entries.decisions import Decisions
from discreet.ledger.entries.leftovers import Leftover
from discreet.ledger.entries.part_names import PART, is_name, read_part_names
from discreet.ledger.steps import pass_step

RUNNING = "a question is being run now, and may have kept a part that it is about to name: wait until it has ended"


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
                states.set_state(db, self._rules.now(), f"{PART}{name}", data)
        pass_step("part kept")
        return name

    def read(self, name: str) -> bytes:
        """Return a part, or raise where it is missing or was changed."""
        if not is_name(name):
            raise LedgerError("a part is named by its hash, as a record has it")
        files = self._store.results
        if files is not None:
            with self._store.explaining():
                return files.read(name)
        with self._store.reading() as db:
            found = states.read_state(db, f"{PART}{name}")
        if found is None or hash_bytes(found) != name:
            raise LedgerError(f"part {name} of a result is missing or was changed: restore it. It is not drawn again")
        return found

    def sweep(self) -> tuple[Leftover, ...]:
        """Remove what nothing names, and return it; raise PendingError while anybody runs a charge. For the operator.

        What a journal or a record names stays, whatever became of its run. Each removal is an entry of the chain.
        """
        with self._store.writing() as db:
            if leftovers.is_any_running(db, self._store.leases):
                raise PendingError(RUNNING)
            leftovers.overtake_lost(db)
            names, answers = read_part_names(db), leftovers.read_answer_names(db)
            found = tuple(leftovers.find_leftovers(db, names, answers, self._store.results))
            for each in found:
                leftovers.remove_leftover(db, self._rules.now(), each, self._store.results)
        return found
