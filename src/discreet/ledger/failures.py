"""The log of failures, for the operator alone: what failed, when, for whom, and what the engine said.

An engine's words may quote a row. So they are kept from analysts: in a file that only its owner may read, or in a table
that the roles of analysts may write and not read. No connection string is in it, and it is limited in size.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Protocol

LONGEST = 4_000
"""Letters that are kept of one failure's words."""

MOST = 1_000
"""Failures that are kept: the newest."""

_SECRETS = (
    (re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE), "<address>"),
    (
        re.compile(r"\b(password|passwd|pwd|user|host|hostaddr|token|secret)\s*=\s*('[^']*'|\S+)", re.IGNORECASE),
        r"\1=...",
    ),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure. `where` is the step that failed, `words` what was said there."""

    at: str
    analyst: str | None
    charge: int
    where: str
    words: str

    def __str__(self) -> str:
        who = self.analyst or "whoever asks without a name"
        return f"{self.at[:19]}  entry {self.charge}, {who}, {self.where}: {self.words}"


class FailureLog(Protocol):
    """Where failures are kept."""

    def add(self, failure: Failure) -> None:
        """Keep one more; the oldest go when there are too many."""

    def read(self) -> tuple[Failure, ...]:
        """Return all that are kept, the oldest first. For the operator."""


def describe_failure(trouble: BaseException) -> str:
    """Return what is kept of an exception: its kind and words, without addresses and passwords, on one line."""
    words = f"{type(trouble).__name__}: {trouble}"
    for secret, instead in _SECRETS:
        words = secret.sub(instead, words)
    line = " ".join(words.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}... ({len(line):,} letters)"


def write_failure(failure: Failure) -> str:
    """Return a failure as one line of JSON."""
    return json.dumps(asdict(failure), ensure_ascii=True)


def read_failures(lines: Iterable[str]) -> tuple[Failure, ...]:
    """Return the failures in these lines; one that a crash cut short is left out."""
    found = []
    for line in lines:
        with contextlib.suppress(ValueError, TypeError):
            found.append(Failure(**json.loads(line)))
    return tuple(found)
