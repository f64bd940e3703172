"""Cursors: rows that are fetched in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.server.wire.commands import DeclareCursor
from discreet.server.wire.oids import WireColumn
from discreet.server.wire.outcomes import WireRow
from discreet.server.wire.settings import WireSettings


@dataclass(slots=True)
class Cursor:
    """Rows that were asked for, and how many of them were fetched."""

    columns: tuple[WireColumn, ...]
    rows: Sequence[WireRow]
    hold: bool
    binary: bool
    at: int = 0


@dataclass(slots=True)
class PendingCursor:
    """A cursor that was declared; the first FETCH asks its question."""

    command: DeclareCursor
    settings: WireSettings
    values: Sequence[object]

    @property
    def hold(self) -> bool:
        """Whether it outlives its transaction."""
        return self.command.hold
