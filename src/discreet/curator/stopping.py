"""Ctrl-C after a charge: a clean end that says what became of the charge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from discreet.base.errors import StoppedError

STOPPED = "stopped. The charge stays; asking again runs it again without a new charge"


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn Ctrl-C into an error that may be shown; wrap what happens after a charge."""
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError(STOPPED) from None
