"""What a worker process does for owners alone. The door lets nobody else call it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from discreet.base.exact import read_exact
from discreet.curator import Curator
from discreet.curator.owner.budget import Budget, Share
from discreet.curator.owner.check import Finding, check_policy
from discreet.curator.owner.versions import DataState
from discreet.ledger import Failure
from discreet.ledger.entries.chain import CHARGE, SHARE
from discreet.privacy.filter import Sums

CURRENCIES = ("epsilon", "rho", "delta")
MOST_TIMES = 400
"""Times that are told of one budget: the first, the last, and some between."""


@dataclass(frozen=True, slots=True)
class SpendingOverTime:
    """How much of a budget was spent by when: times to the minute, and shares of today's cap."""

    name: str
    times: tuple[tuple[str, float], ...]


class OwnerClerk:
    """Looks into the ledger and at the sources for owners, and does what they decide. Threads may share it."""

    def __init__(self, curator: Curator) -> None:
        self._curator, self._lock, self._next = curator, threading.Lock(), 1
        self._began = ""
        self._sums: dict[str, dict[str, Sums]] = {}

    def read_budget(self) -> Budget:
        """Return what is spent and left of the whole budget and of every cap, and who is suspended."""
        return self._curator.budget

    def read_spending(self) -> tuple[SpendingOverTime, ...]:
        """Return what was spent over time: of the whole budget first, then of every analyst's cap."""
        budget = self._curator.budget
        with self._lock:
            self._read_on()
            kept = {name: dict(times) for name, times in self._sums.items()}
        return tuple(
            _measure(share, self._began, kept.get("" if place == 0 else share.name, {}))
            for place, share in enumerate((budget.total, *budget.analysts))
        )

    def list_failures(self) -> tuple[Failure, ...]:
        """Return what failed after its charge, the newest first, in the engine's own words: they may quote rows."""
        return self._curator.failures[::-1]

    def resume(self, analyst: str) -> None:
        """Let an analyst ask again who was suspended."""
        self._curator.resume(analyst or None)

    def retry(self, charge: int) -> None:
        """Let a charge be run again whose runs died."""
        self._curator.retry(charge)

    def list_data(self) -> tuple[DataState, ...]:
        """Return every table's version, and whether its files changed since it was accepted."""
        return self._curator.data_states

    def accept(self, table: str, version: str) -> DataState:
        """Take a table's files as they are now, under a new version."""
        return self._curator.accept(table, version)

    def check(self) -> tuple[Finding, ...]:
        """Return what `discreet check` finds: the policy as its file is now, its sources, its ledger, its versions."""
        return tuple(check_policy(self._curator.policy.path))

    def _read_on(self) -> None:
        """Add up what was charged since the last look: the total pays for charges, caps for shares as well."""
        for entry in self._curator.ledger.entries(self._next):
            self._next = entry.number + 1
            self._began = self._began or entry.at[:16]
            if entry.kind in (CHARGE, SHARE):
                body = entry.body
                paid = [float(read_exact(body[name])) for name in CURRENCIES]
                for name in {body["analyst"] or "", *([""] if entry.kind == CHARGE else [])}:
                    times = self._sums.setdefault(name, {})
                    before = times.get(entry.at[:16], (0.0, 0.0, 0.0))
                    times[entry.at[:16]] = (before[0] + paid[0], before[1] + paid[1], before[2] + paid[2])


def _measure(share: Share, began: str, times: Mapping[str, Sums]) -> SpendingOverTime:
    """Return the share that was spent by each time, from what was paid then; nothing was when the ledger began."""
    spent: list[float] = [0.0, 0.0, 0.0]
    found = [(began, 0.0)] if times else []
    for at in sorted(times):
        spent = [one + other for one, other in zip(spent, times[at], strict=True)]
        sums = (spent[0], spent[1], spent[2])
        found.append((at, replace(share, filter=replace(share.filter, spent=sums)).spent))
    step = -(-len(found) // MOST_TIMES) or 1
    return SpendingOverTime(
        share.name, tuple(each for place, each in enumerate(found) if (len(found) - 1 - place) % step == 0)
    )
