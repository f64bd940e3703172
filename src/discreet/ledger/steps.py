"""The gaps between the ledger's steps, by name: where a crash may fall, and where tests let one fall."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

STEPS = (
    "before charge",
    "charging",  # inside the transaction, before its commit
    "charged",
    "sharing",  # inside the transaction, before its commit
    "taking over",  # inside the transaction, before its commit
    "before part",
    "part kept",  # durable, and nothing names it yet
    "before journal",
    "journaling",  # inside the transaction, before its commit
    "journaled",
    "before record",
    "recording",  # inside the transaction, before its commit
    "recorded",  # durable, its lease still held
)

_watcher: Callable[[str], None] | None = None


def pass_step(name: str) -> None:
    """Pass a gap. Outside of tests this does nothing."""
    if _watcher is not None:
        _watcher(name)


@contextmanager
def watch_steps(watcher: Callable[[str], None]) -> Iterator[None]:
    """Call the watcher at every gap, for tests."""
    global _watcher
    before, _watcher = _watcher, watcher
    try:
        yield
    finally:
        _watcher = before
