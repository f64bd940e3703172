"""Routes: ways to answer a prepared question without a new run, tried in order before the direct one.

The ledger is asked first, always. The curator knows no other route by itself: those of wings, such as inference from
earlier releases, are handed to it. A route reads recorded answers only, never private rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from discreet.answers import Answer, Receipt
from discreet.curator.asking.outlook import Outlook
from discreet.curator.asking.prepared import Prepared
from discreet.ledger import Keepsake, Ledger
from discreet.policy.model import Policy
from discreet.query.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Routed:
    """An answer that a route found: the charges whose recorded answers it was made from, and how it is put together.

    The asker pays for each of them what asking for it again would cost: nothing, or their own cap.
    """

    charges: tuple[int, ...]
    assemble: Callable[[Receipt], Answer]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a route may see: who asks, what was recorded for a charge, if anything was, and the ledger's public side.

    No session hands this to whoever asks: what an analyst reads of it is paid for. A route may `prepare` a question of
    its own, which is free, and `buy` its answer: it is charged to whoever asks, like a question of theirs, and what is
    to be kept is written with that charge.
    """

    analyst: str | None
    read_record: Callable[[int], bytes | None]
    ledger: Ledger
    catalog: Catalog
    prepare: Callable[..., Prepared]
    buy: Callable[[Prepared, Sequence[Keepsake]], Receipt]


class Route(Protocol):
    """A way to answer."""

    def answer(self, prepared: Prepared, records: Recorded) -> Routed | Keepsake | None:
        """Return an answer; where this route has none, what is to be kept with the charge of the direct one, if any."""

    def describe(self, prepared: Prepared, records: Recorded) -> Outlook | None:
        """Say how this route would answer now, if it would; nothing is bought or written."""


RouteMaker = Callable[[Policy], Sequence[Route]]
"""Makes the routes that a policy asks for; none where it asks for none."""

_MAKERS: dict[str, RouteMaker] = {}


def register_routes(name: str, make: RouteMaker) -> None:
    """Let every curator that is opened from now on have the routes of a wing, where its policy asks for them.

    Wings call this when they are loaded; the faces of the house load them. So the curator imports none.
    """
    _MAKERS[name] = make


def make_routes(policy: Policy) -> tuple[Route, ...]:
    """Return the routes of all wings that were loaded, in the order of their names."""
    return tuple(route for _, make in sorted(_MAKERS.items()) for route in make(policy))
