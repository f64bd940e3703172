"""What tests of desks share: a journal in memory, and a reader that must not be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from discreet.engines.held import HeldRows, MemoryRows
from discreet.engines.result import ExactRows
from discreet.ledger import JournalRow
from discreet.plan.rows_plan import RowsPlan


class Pages:
    """A journal in memory."""

    def __init__(self, rows: Iterable[JournalRow] = ()) -> None:
        self.rows = list(rows)

    def read(self) -> tuple[JournalRow, ...]:
        return tuple(self.rows)

    def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
        assert position == len(self.rows)
        self.rows += rows


def never(_: object) -> Any:
    raise AssertionError("nothing is read here")


def hold_by(read: Callable[[RowsPlan], ExactRows]) -> Callable[[RowsPlan], HeldRows]:
    """Return how a desk holds rows that are read so."""
    return lambda plan: MemoryRows(lambda: read(plan))
