"""Large answers as files beside the ledger, each named by its hash, which the chain holds.

A file is written whole and synced before the record that names it: a record never names a file that was not there. One
that is missing later, or is not what the chain says, is an error and never a new draw.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from discreet.base.canonical import hash_bytes
from discreet.base.errors import LedgerError

LARGE = 1 << 20
"""Bytes from which an answer is a file of its own."""


class ResultFiles:
    """The folder of large answers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, data: bytes) -> str:
        """Keep an answer, durably, and return its name; one that is there already is left as it is."""
        name = hash_bytes(data)
        path = self._folder / name
        if path.exists():
            return name
        if not self._folder.exists():
            self._folder.mkdir(mode=0o700, exist_ok=True)
            sync_folder(self._folder.parent)
        part = self._folder / f"{name}.{secrets.token_hex(8)}.part"
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
            sync_folder(self._folder)
        finally:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()
        return name

    def read(self, name: str) -> bytes:
        """Return an answer, or raise where its file is missing or was changed."""
        try:
            data = (self._folder / name).read_bytes()
        except FileNotFoundError:
            raise LedgerError(
                f"the file {self._folder / name} is missing, which holds an answer that was paid for: "
                "put it back from a backup. It is not drawn again"
            ) from None
        if hash_bytes(data) != name:
            raise LedgerError(f"the file {self._folder / name} was changed: put it back from a backup")
        return data

    def list_names(self) -> list[str]:
        """Return the names of all files, also of those that a writer that died left half written."""
        try:
            return sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return []

    def find_size(self, name: str) -> int | None:
        """Return how many bytes a file has; None where there is none."""
        try:
            return (self._folder / name).stat().st_size
        except FileNotFoundError:
            return None

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        (self._folder / name).unlink(missing_ok=True)
        sync_folder(self._folder)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
