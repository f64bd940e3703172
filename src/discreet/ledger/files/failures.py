"""The log of failures as a file beside the ledger, that only its owner may read and write."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from discreet.ledger.failures import MOST, Failure, read_failures, write_failure


class FailureFile:
    """A file of one JSON object a line, that only its owner may read and write."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, failure: Failure) -> None:
        """Keep one more; the oldest go when there are too many."""
        with self._locked() as file:
            before = file.read().decode(errors="replace").splitlines()
            if len(before) >= 2 * MOST:
                before = before[-(MOST - 1) :]
                file.truncate(0)
                file.write("".join(f"{line}\n" for line in before).encode())
            file.write(f"{write_failure(failure)}\n".encode())
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> tuple[Failure, ...]:
        """Return all that are kept, the oldest first."""
        try:
            return read_failures(self._path.read_text(errors="replace").splitlines())[-MOST:]
        except FileNotFoundError:
            return ()

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            os.fchmod(descriptor, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield file
