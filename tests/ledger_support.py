"""What the ledger's tests share: a policy's facts, questions, prices, a clock that is set by hand, raw access."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.ledger import Facts, Ledger, Question
from discreet.privacy.charges import Charge

TENTH = Charge(Fraction(1, 10), Fraction(1, 200))


def facts(**changed: Any) -> Facts:
    """Return the facts of a small policy: epsilon 1 and no delta, so that ten tenths fill it."""
    values: dict[str, Any] = {
        "neighbours": "add-remove",
        "tables": {"visits": {"unit": "person"}},
        "epsilon": 1,
        "other": {"bounds": {"age": [0, 100]}},
    }
    return Facts(**{**values, **changed})


CAPS = {"ann": (Fraction(1, 2), 0), "bob": (Fraction(3, 10), 0)}
"""Two analysts' own caps."""


def question(name: str = "q", version: str = "v1") -> Question:
    return Question(name, version, f"SELECT {name}")


class Clock:
    """A clock that is set by hand; sleeping moves it, and calls whatever should happen meanwhile."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self.slept = 0
        self.meanwhile: dict[int, Any] = {}

    def __call__(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.slept += 1
        self.meanwhile.get(self.slept, lambda: None)()


def new(folder: Path, clock: Clock | None = None, **changed: Any) -> Ledger:
    """Create a ledger in a folder; with a clock, time is the clock's."""
    return Ledger.create(folder / "ledger.db", facts(**changed), **timed(clock))


def again(folder: Path, clock: Clock | None = None, **changed: Any) -> Ledger:
    """Open that ledger once more, as another process would."""
    return Ledger.open(folder / "ledger.db", facts(**changed), **timed(clock))


def timed(clock: Clock | None) -> dict[str, Any]:
    return {"clock": clock, "sleep": clock.sleep} if clock else {}


def ask(ledger: Ledger, name: str = "q", answer: bytes = b"42", analyst: str | None = None, **how: Any) -> bytes:
    """Ask as a curator does: charge, run, record, show."""
    with ledger.charge(question(name), TENTH, analyst, **how) as claim:
        if not claim.found:
            ledger.record(claim, answer)
        assert claim.answer is not None
        return claim.answer


def kinds(ledger: Ledger) -> list[str]:
    return [entry.kind for entry in ledger.entries()]


@contextlib.contextmanager
def tampering(folder: Path) -> Iterator[sqlite3.Connection]:
    """Give the bare database to somebody who goes behind the ledger's back."""
    with contextlib.closing(sqlite3.connect(folder / "ledger.db")) as connection:
        yield connection
        connection.commit()
