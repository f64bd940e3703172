"""What a client keeps on its device: one secret and what was told so far. No value is ever in it.

One file, replaced whole: written beside, synced, renamed, and the folder synced. A lock makes processes take turns. A
second file holds nothing but the number of lifetimes, so that losing the first is counted.
"""

from __future__ import annotations

import contextlib
import fcntl
import glob
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from .errors import ClientError

FORMAT = 1
SECRET_SIZE = 32
LABEL = b"discreet local secret 1"


@dataclass(frozen=True)
class Told:
    """What was told: epsilon in all, and by how many reports under the parameters of now."""

    spent: Fraction = Fraction(0)
    sent: int = 0


@dataclass
class Page:
    """What was told of one metric, in a lifetime and on each day."""

    parameters: str
    generation: int = 1
    """How often the parameters changed, from 1: every generation has permanent noise of its own."""
    whole: Told = Told()
    days: dict[str, Told] = field(default_factory=dict)
    last: str | None = None
    """The last report of a mechanism with permanent noise, in hexadecimal digits."""


@dataclass
class Diary:
    """All that is kept."""

    lifetime: int
    """Which lifetime this is: 1, and one more after every loss of the file that was noticed."""
    secret: bytes
    pages: dict[str, Page] = field(default_factory=dict)

    def derive_secret(self, metric: str, version: int, generation: int) -> bytes:
        """Return the secret of one metric, version and generation; a mechanism derives its cohorts from it.

        With one secret for two metrics, the same permanent noise would tell whether two values are equal. HMAC is a
        pseudorandom function and the label is injective, so these look like independent secrets.
        """
        name = json.dumps([metric, version, generation]).encode()
        return hmac.new(self.secret, LABEL + name, hashlib.sha256).digest()


class ClientStore:
    """The file of a client, and its lock."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = self.path.with_name(self.path.name + ".lock")
        self._counter = self.path.with_name(self.path.name + ".lifetimes")

    def start(self, lifetimes: int = 0) -> None:
        """See to it that there is a sound file: where there is none, a new lifetime starts, and is counted.

        `lifetimes` is how many there were, where somebody else knows it. A damaged file is kept beside.
        """
        with self._locked():
            sweep_parts(self.path)
            known, found = self._read_counter(), self._read()
            if found is not None:
                os.chmod(self.path, 0o600)
                if known < found.lifetime:
                    write_whole(self._counter, f"{found.lifetime}\n".encode())
                return
            number = 1 + max(lifetimes, known, self.path.exists())
            if self.path.exists():
                os.replace(self.path, self.path.with_name(f"{self.path.name}.damaged-{number - 1}"))
            write_whole(self._counter, f"{number}\n".encode())
            write_whole(self.path, _write_diary(Diary(number, secrets.token_bytes(SECRET_SIZE))))

    @contextlib.contextmanager
    def open(self) -> Iterator[Diary]:
        """Give the diary to one at a time, as it is on the disk."""
        with self._locked():
            found = self._read()
            if found is None:
                raise ClientError(
                    f"{self.path} was lost or damaged; open the client again, which starts a new lifetime"
                )
            yield found

    def save(self, diary: Diary) -> None:
        """Make the diary durable; only whoever holds it may."""
        write_whole(self.path, _write_diary(diary))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as trouble:
            raise ClientError(f"{self._lock} cannot be opened: {trouble.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        except OSError as trouble:
            raise ClientError(f"{self.path} cannot be kept ({trouble.strerror}); nothing was handed out") from None
        finally:
            os.close(descriptor)

    def _read(self) -> Diary | None:
        """Return the diary, or None where it was lost or damaged; a file that cannot be read for now is an error."""
        try:
            return _read_diary(self.path.read_bytes())
        except FileNotFoundError:
            return None

    def _read_counter(self) -> int:
        try:
            words = self._counter.read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:
            return 0
        return int(words) if words.isdecimal() and words.isascii() and len(words) < 10 else 0


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place of another, durably and for the owner's eyes only: after a crash it is the old or the new."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()


def sweep_parts(path: Path) -> None:
    """Take away what writers of a file left that were killed; nobody may be writing it now."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        part.unlink()


def _write_diary(diary: Diary) -> bytes:
    pages = {
        name: {
            "parameters": page.parameters,
            "generation": page.generation,
            "whole": _write_told(page.whole),
            "days": {day: _write_told(told) for day, told in page.days.items()},
            "last": page.last,
        }
        for name, page in diary.pages.items()
    }
    form = {"format": FORMAT, "lifetime": diary.lifetime, "secret": diary.secret.hex(), "pages": pages}
    return json.dumps({**form, "check": _hash_form(form)}, sort_keys=True).encode()


def _read_diary(data: bytes) -> Diary | None:
    """Return the diary that bytes hold, or None where they are not what was written."""
    try:
        form: dict[str, Any] = json.loads(data)
        if form.pop("check") != _hash_form(form):
            return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if form["format"] != FORMAT:
        raise ClientError("the client's file is of a newer version; use a client at least as new as it is")
    pages = {
        name: Page(
            page["parameters"],
            page["generation"],
            _read_told(page["whole"]),
            {day: _read_told(told) for day, told in page["days"].items()},
            page["last"],
        )
        for name, page in form["pages"].items()
    }
    return Diary(form["lifetime"], bytes.fromhex(form["secret"]), pages)


def _write_told(told: Told) -> list[Any]:
    return [str(told.spent), told.sent]


def _read_told(form: list[Any]) -> Told:
    return Told(Fraction(form[0]), form[1])


def _hash_form(form: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(form, sort_keys=True).encode()).hexdigest()
