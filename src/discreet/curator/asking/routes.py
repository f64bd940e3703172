"""Routes: ways to answer a prepared question without a new run, tried in order before the direct one.

The ledger is asked first, always. The curator knows no other route by itself: those of wings, such as inference from
earlier releases, are handed to it. A route reads recorded answers only, never private rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from discreet.answers import Answer, Receipt
from discreet.curator.asking.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Routed:
    """An answer that a route found: the charges whose recorded answers it was made from, and how it is put together.

    The asker pays for each of them what asking for it again would cost: nothing, or their own cap.
    """

    charges: tuple[int, ...]
    assemble: Callable[[Receipt], Answer]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a route may see: who asks, and what was recorded for a charge, if anything was.

    No session hands this to whoever asks: what an analyst reads of it is paid for.
    """

    analyst: str | None
    read_record: Callable[[int], bytes | None]


class Route(Protocol):
    """A way to answer."""

    def answer(self, prepared: Prepared, records: Recorded) -> Routed | None:
        """Return an answer, or nothing where this route has none."""
