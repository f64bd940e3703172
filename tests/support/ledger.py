"""What the ledger's tests share: a policy's facts, questions, prices, a clock that is set by hand, raw access."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.base.canonical import hash_json
from discreet.ledger import Ledger, LedgerFacts, Place, Request, Server
from discreet.ledger.database import Database
from discreet.ledger.entries import chain
from discreet.privacy.charges import Charge

PROCESSES = 8
HOMES = ("file", "postgres")
DSN = "DISCREET_TEST_LEDGER"
"""The environment variable that says where the tests' PostgreSQL is."""
TENTH = Charge(Fraction(1, 10), Fraction(1, 200))


def facts(**changed: Any) -> LedgerFacts:
    """Return the facts of a small policy: epsilon 1 and no delta, so that ten tenths fill it."""
    values: dict[str, Any] = {
        "neighbours": "add-remove",
        "tables": {"visits": {"unit": "person"}},
        "epsilon": 1,
        "other": {"bounds": {"age": [0, 100]}},
    }
    return LedgerFacts(**{**values, **changed})


CAPS = {"ann": (Fraction(1, 2), 0), "bob": (Fraction(3, 10), 0)}
"""Two analysts' own caps."""


def question(name: str = "q", version: str = "v1") -> Request:
    return Request(hash_json([name, version]), version, f"SELECT {name}")


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


Home = Path | Server
"""A folder for a ledger's file, or a schema of the tests' PostgreSQL."""


def home_of(request: pytest.FixtureRequest, kind: str, folder: Path, schema: str) -> Home:
    """Return a home of that kind, which may start PostgreSQL or skip the test."""
    if kind == "file":
        return folder
    cluster, database = request.getfixturevalue("postgres"), request.getfixturevalue("common_database")
    os.environ[DSN] = cluster.dsn(database)
    return Server(DSN, schema)


def place(home: Home) -> Place:
    return home if isinstance(home, Server) else home / "ledger.db"


def beside(home: Home) -> Home:
    """Return another home of the same kind."""
    return Server(home.dsn_env, f"{home.schema}_other") if isinstance(home, Server) else home / "other"


def left_behind(home: Home) -> list[str]:
    """Return what is left of leases that are over."""
    return [] if isinstance(home, Server) else os.listdir(home / "leases")


def soon(home: Home) -> float:
    """Return how long the end of a process may take to be seen: a server hears of it a moment later than a kernel."""
    return 20.0 if isinstance(home, Server) else 0.0


def new(home: Home, clock: Clock | None = None, **changed: Any) -> Ledger:
    """Create a ledger in a home; with a clock, time is the clock's."""
    return Ledger.create(place(home), facts(**changed), **timed(clock))


def again(home: Home, clock: Clock | None = None, **changed: Any) -> Ledger:
    """Open that ledger once more, as another process would."""
    return Ledger.open(place(home), facts(**changed), **timed(clock))


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


class Bare:
    """A PostgreSQL connection for statements that are written for SQLite."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        text = re.sub(r"x'([0-9a-f]*)'", r"'\\x\1'::bytea", sql.replace("?", "%s"))
        return self._connection.execute(text, parameters or None)


@contextlib.contextmanager
def tampering(home: Home) -> Iterator[Any]:
    """Give the bare database to somebody who goes behind the ledger's back."""
    if isinstance(home, Server):
        import psycopg

        with psycopg.connect(home.dsn, options=f"-c search_path={home.schema}") as session:
            yield Bare(session)
    else:
        with contextlib.closing(sqlite3.connect(home / "ledger.db")) as connection:
            yield connection
            connection.commit()


def relink(db: Database) -> None:
    """Compute every hash anew, as somebody would who rewrites the chain and knows how it is made."""
    previous = chain.GENESIS
    for entry in list(chain.read(db)):
        previous = chain.hash_entry(previous, entry.number, entry.kind, entry.at, entry.text)
        db.execute("UPDATE entries SET hash = ? WHERE number = ?", (previous, entry.number))
    db.execute("UPDATE head SET number = (SELECT max(number) FROM entries), hash = ?", (previous,))
    if isinstance(db, sqlite3.Connection):
        db.execute("UPDATE sqlite_sequence SET seq = (SELECT max(number) FROM entries) WHERE name = 'entries'")
    else:
        db.execute("UPDATE counted SET number = (SELECT max(number) FROM entries)")


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
