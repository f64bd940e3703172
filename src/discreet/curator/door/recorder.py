"""The recorder of a run: admits each draw by its meter, and journals each result before anybody sees it.

A run that died is run again over the same journal: draws that were answered get the same result and draw nothing, and a
call that differs from the one before it is refused.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from discreet.base.canonical import Json, hash_json
from discreet.base.errors import OperationError
from discreet.curator.door.meter import Meter
from discreet.ledger import JournalRow
from discreet.privacy import Loss
from discreet.privacy.charges import Charge


class Journal(Protocol):
    """Where results are written before they are seen."""

    def read(self) -> tuple[JournalRow, ...]:
        """Return what earlier runs of the same charge released."""

    def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
        """Make results durable, the first of them at this position."""


class Recorder:
    """Draws one result after another: admitted, drawn once, journaled, then handed out."""

    def __init__(self, meter: Meter, journal: Journal, check: Callable[[], None]) -> None:
        self.lock = threading.RLock()
        self.failure: BaseException | None = None
        """What failed while something was drawn: it may be a fact about the data, whatever an operation makes of it."""
        self._meter, self._journal, self._check = meter, journal, check
        self._known = journal.read()
        self._position = 0
        self._unwritten: list[JournalRow] = []
        self._drawing = False

    @property
    def draws(self) -> int:
        """How many draws are journaled: those that could be drawn anew do not count."""
        return self._position - len(self._unwritten)

    @property
    def replays(self) -> bool:
        """Whether the next draw was journaled by an earlier run."""
        return self._position < len(self._known)

    def answer(self, call: Json, cost: Charge, loss: Loss, draw: Callable[[], bytes]) -> bytes:
        """Admit a call, and return its journaled result, or draw it and journal it before it is seen.

        One call at a time: a meter that two threads asked at once would admit both.
        """
        with self.lock:
            self._refuse_nested()
            self._meter.admit(cost, loss)
            return self.draw(hash_json(call), draw)

    def draw(self, name: str, draw: Callable[[], bytes]) -> bytes:
        """Return the journaled result of a call that was admitted, or draw and journal it."""
        self._refuse_nested()
        position = self._position
        if position < len(self._known):
            row = self._known[position]
            if row.call != name:
                raise OperationError(
                    f"call {position} of this run differs from the same call in an earlier run of its charge: an "
                    "operation may depend on nothing but its parameters and what its desk returned"
                )
            self._position += 1
            return row.result
        if self.failure is not None:
            raise self.failure
        try:
            self._check()
            self._drawing = True
            result = draw()
        except BaseException as trouble:
            self.failure = trouble
            raise
        finally:
            self._drawing = False
        self._unwritten.append(JournalRow(name, result))
        self._position += 1
        if len(self._unwritten) >= self._meter.checkpoint:
            self.flush()
        return result

    def _refuse_nested(self) -> None:
        """Raise while something is drawn: what a try asks here would be journaled, though it may lose."""
        if self._drawing:
            raise OperationError("this desk is drawing: a try asks its own desk, and no other")

    def confirm_written(self) -> None:
        """Raise unless all results are journaled."""
        if self._unwritten:
            raise OperationError("results are told once they are journaled: give a schedule a checkpoint of 1")

    def flush(self) -> None:
        """Write what a schedule's checkpoint has left unwritten."""
        with self.lock:
            if self._unwritten:
                rows = tuple(self._unwritten)
                self._journal.write(self._position - len(rows), rows)
                self._unwritten.clear()
