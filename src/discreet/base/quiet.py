"""Other libraries' own remarks, which are not for whoever asks and could quote what they must not."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silence(logger: logging.Logger) -> Iterator[None]:
    """Drop what this thread makes a logger say; other threads go on as before."""
    thread = threading.get_ident()

    def others(record: logging.LogRecord) -> bool:
        return record.thread != thread

    logger.addFilter(others)
    try:
        yield
    finally:
        logger.removeFilter(others)
