"""What the ledger's tests share: a policy's facts, questions, prices, a clock that is set by hand, raw access."""

from __future__ import annotations

import contextlib
import multiprocessing
import sqlite3
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.ledger import Facts, Ledger, Question, chain
from discreet.privacy.charges import Charge

PROCESSES = 8
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


def relink(db: sqlite3.Connection) -> None:
    """Compute every hash anew, as somebody would who rewrites the chain and knows how it is made."""
    previous = chain.GENESIS
    for entry in list(chain.read(db)):
        previous = chain.link(previous, entry.number, entry.kind, entry.at, entry.text)
        db.execute("UPDATE entries SET hash = ? WHERE number = ?", (previous, entry.number))
    db.execute("UPDATE head SET number = (SELECT max(number) FROM entries), hash = ?", (previous,))
    db.execute("UPDATE sqlite_sequence SET seq = (SELECT max(number) FROM entries) WHERE name = 'entries'")


def at_once(task: Callable[[int], Any]) -> list[Any]:
    """Run the task in eight processes that begin together, and return what each one returned."""
    fork = multiprocessing.get_context("fork")
    begin, results = fork.Barrier(PROCESSES), fork.SimpleQueue()

    def run(number: int) -> None:
        begin.wait()
        results.put(task(number))

    children = [fork.Process(target=run, args=(number,)) for number in range(PROCESSES)]
    for child in children:
        child.start()
    told = [results.get() for _ in children]
    for child in children:
        child.join()
        assert child.exitcode == 0
    return told
