"""The keeper: a thread that renews the leases of all runs that live, and counts those that outlast the public time."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from discreet.base.errors import LedgerError, LostLeaseError, PendingError
from discreet.ledger import Claim
from discreet.ledger.entries.overruns import MOST
from discreet.ledger.runs import Runs

RETRY = 5.0
"""Seconds until an overrun is counted again that could not be written."""

RENEWALS = 4
"""How often a lease is renewed in its own time: some may be missed, when the ledger cannot be reached for a while."""


@dataclass(eq=False)
class Kept:
    """A run that is looked after: its claim, what to do when its lease is lost, and when to see to it."""

    claim: Claim
    lose: Callable[[], None]
    late_at: float
    """When it is counted as late; infinity where there is no deadline, or once it was."""

    stop: Callable[[], None] | None = None
    """What ends a run that lives until somebody ends it."""

    renewed: float = field(default_factory=time.monotonic)


class Keeper:
    """Looks after all runs of one curator. Its thread lives only while there are runs."""

    def __init__(self, runs: Runs, deadline: float | None) -> None:
        self._runs, self._deadline = runs, deadline
        self._kept: set[Kept] = set()
        self._places: Counter[str | None] = Counter()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def reserve(self, analyst: str | None, public_time: float | None = None) -> None:
        """Take one of an analyst's places; raises where runs can be late and all of them are taken.

        Of runs that were begun before the first was late, each would tell whether it is late.
        """
        with self._changed:
            if math.isfinite(self._find_limit(public_time)) and self._places[analyst] >= MOST:
                raise PendingError(f"{MOST} of your questions are still running; nothing was charged. Ask again later")
            self._places[analyst] += 1

    def free(self, analyst: str | None) -> None:
        """Give a place back."""
        with self._changed:
            self._places[analyst] -= 1

    @contextmanager
    def keep(
        self,
        claim: Claim,
        lose: Callable[[], None],
        stop: Callable[[], None] | None = None,
        public_time: float | None = None,
    ) -> Iterator[None]:
        """Renew a claim's lease until the end of the block; `lose` is called if somebody else took the charge.

        A run with a `stop` would live for ever: it is stopped by whoever waits for all runs. One that takes longer than
        its public time, or than the policy's deadline, is counted as late.
        """
        kept = Kept(claim, lose, time.monotonic() + self._find_limit(public_time), stop)
        with self._changed:
            self._kept.add(kept)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="discreet-keeper", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._kept.discard(kept)
                self._changed.notify_all()

    def wait(self) -> None:
        """Wait until no run lives any more; runs that live until somebody ends them are stopped."""
        with self._changed:
            endless = [each.stop for each in self._kept if each.stop is not None]
        for stop in endless:
            stop()
        with self._changed:
            self._changed.wait_for(lambda: not self._kept)

    def _find_limit(self, public_time: float | None) -> float:
        """Return the seconds after which a run is late; infinity where it never is."""
        return min(math.inf if each is None else each for each in (self._deadline, public_time))

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._kept:
                    self._thread = None
                    return
                now = time.monotonic()
                due = [each for each in self._kept if self._next(each) <= now]
                if not due:
                    self._changed.wait(min(self._next(each) for each in self._kept) - now)
                    continue
            for each in due:
                self._look_after(each)

    def _next(self, kept: Kept) -> float:
        """Return when something is to be done about a run."""
        return min(kept.renewed + self._runs.lease_seconds / RENEWALS, kept.late_at)

    def _look_after(self, kept: Kept) -> None:
        """Count a run that is late, and renew its lease. A ledger that cannot be reached is tried again later."""
        now = time.monotonic()
        with contextlib.suppress(LedgerError):
            if kept.late_at <= now:
                kept.late_at = now + RETRY
                self._runs.count_overrun(kept.claim)
                kept.late_at = math.inf
        try:
            if kept.renewed + self._runs.lease_seconds / RENEWALS <= now:
                kept.renewed = now
                self._runs.renew(kept.claim)
        except LostLeaseError:
            kept.lose()
        except LedgerError:
            return
