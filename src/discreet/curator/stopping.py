"""What may end a question after its charge, apart from an answer: a failure, or Ctrl-C; and what is said then."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

from discreet.base.errors import FailedError, StoppedError
from discreet.ledger import Claim, Ledger

STOPPED = "stopped. The charge stays; asking again runs it again without a new charge"

GENERIC = (
    "the question failed after it was charged; the charge stays, and asking is suspended until the operator runs "
    "`discreet resume`. Asking again then runs it again without a new charge"
)


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn Ctrl-C into an error that may be shown; wrap what happens after a charge.

    A person stopped the question, not the data: nobody is suspended for it.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError(STOPPED) from None


@contextmanager
def suspending(ledger: Ledger, claim: Claim) -> Iterator[None]:
    """Turn every failure into the same error, having suspended whoever asked; wrap running, noise and recording.

    That a question failed may be a fact about the data, whatever the message says, so an analyst sees it once and asks
    nothing more until the operator has looked. A suspension that cannot be written now is written before the ledger's
    next charge.
    """
    try:
        yield
    except Exception:
        with contextlib.suppress(Exception):
            ledger.suspend(claim)
        raise FailedError(GENERIC) from None
