"""Leases: who is running a charge now. A crash frees a lease at once, a hang when its time is over.

A lease is a random token, written beside the charge in the ledger, and a file of that name under `leases/` that its
holder keeps locked. A name is used once, so nothing can be removed and made again between two looks at it. A lease
is dead when its file is missing or unlocked. Only a holder whose token still stands beside the charge may record:
one that was overtaken cannot.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from discreet.ledger.files.locks import FileLock, is_held


class FileLease:
    """The right to run one charge, until it is released, dropped, or its process ends."""

    def __init__(self, folder: Path) -> None:
        self.token = secrets.token_hex(16)
        self._path = folder / self.token
        self._lock = FileLock(self._path)
        if not self._lock.try_exclusive():  # pragma: no cover - nobody else knows the token
            raise OSError("a new lease is held by somebody else")

    @property
    def held(self) -> bool:
        """Whether this process still holds it: not after a release, and not in a forked child."""
        return not self._lock.closed

    def release(self) -> None:
        """Give the lease up; doing so again changes nothing. In a forked child the parent's lease stays."""
        if self._lock.closed:
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)
        self._lock.close()


class FileLeases:
    """The folder of lease files beside a ledger. Leases are taken only while the ledger's gate is held."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take(self) -> FileLease:
        """Return a new lease, locked."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        return FileLease(self._folder)

    def alive(self, token: str) -> bool:
        """Say whether the holder of that token still runs."""
        return is_held(self._folder / token)

    def forget(self, token: str) -> None:
        """Remove the file of a lease that is over."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._folder / token)

    def sweep(self) -> None:
        """Remove the files that crashes left behind. Only while the gate is held: a lease being taken looks dead."""
        with contextlib.suppress(FileNotFoundError):
            for name in os.listdir(self._folder):
                if not self.alive(name):
                    self.forget(name)
