"""Durable charges a second from several processes at once, and the longest that any of them waited.

Run by `make bench`; alone: `.venv/bin/python bench/ledger.py`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from discreet.ledger import Ledger, LedgerFacts, Request
from discreet.privacy.charges import Charge
from timing import markdown

PROCESSES = (1, 2, 4, 8, 16)
SECONDS = 3.0
FACTS = LedgerFacts("add-remove", {"people": {"unit": "person"}}, epsilon=10**6, delta=Fraction(1, 10**9))
PRICE = Charge(Fraction(1, 10), Fraction(1, 200))
ROUNDS = 3


def charging(path: Path, number: int, until: float, ready: Callable[[], object]) -> list[float]:
    """Charge distinct questions until the time is over; return how long each charge took to become durable."""
    waits: list[float] = []
    with Ledger.open(path, FACTS) as ledger:
        ready()
        end = time.perf_counter() + until
        while (start := time.perf_counter()) < end:
            question = Request(f"{number}:{len(waits)}", "v1", "SELECT count(*) FROM people")
            with ledger.charge(question, PRICE):
                waits.append(time.perf_counter() - start)
    return waits


def plain(path: Path, number: int, until: float, ready: Callable[[], object]) -> list[float]:
    """Insert a row with SQLite alone: its own busy handler, the same durability, no chain and no filter."""
    waits = []
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        ready()
        end = time.perf_counter() + until
        while (start := time.perf_counter()) < end:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows (text) VALUES (?)", (f"{number}" * 600,))
            connection.execute("COMMIT")
            waits.append(time.perf_counter() - start)
    return waits


Work = Callable[[Path, int, float, Callable[[], object]], list[float]]


def together(work: Work, processes: int, seconds: float = SECONDS) -> list[float]:
    """Run the work in that many processes at once on one new ledger; return all the waits."""
    spawn = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(dir=os.environ.get("DISCREET_BENCH_DIR")) as name:
        path = Path(name) / "ledger.db"
        _new(work, path)
        start, results = spawn.Barrier(processes), spawn.SimpleQueue()

        def run(number: int) -> None:
            results.put(work(path, number, seconds, start.wait))

        children = [spawn.Process(target=run, args=(number,)) for number in range(processes)]
        for child in children:
            child.start()
        waits = [wait for _ in children for wait in results.get()]
        for child in children:
            child.join()
        _check(work, path, len(waits))
    return waits


def _new(work: Work, path: Path) -> None:
    if work is charging:
        Ledger.create(path, FACTS).close()
        return
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)")


def _check(work: Work, path: Path, count: int) -> None:
    """Refuse to report charges that the ledger does not hold."""
    if work is charging:
        with Ledger.open(path, FACTS) as ledger:
            held, sound = ledger.spent().spent[0] * 10, ledger.verify().ok
        if held != count or not sound:
            raise SystemExit(f"{count} charges were made, the ledger holds {held}, verified: {sound}")


def report() -> str:
    """Return this file's part of the results."""
    rows = []
    for processes in PROCESSES:
        ours = [together(charging, processes) for _ in range(ROUNDS)]
        theirs = [together(plain, processes) for _ in range(ROUNDS)]
        rate, worst = statistics.median(len(waits) / SECONDS for waits in ours), max(map(max, ours))
        met = f"200/s and 1 s: {'met' if rate >= 200 and worst <= 1 else 'MISSED'}" if processes == 8 else ""
        typical = statistics.median(sorted(ours[0]))
        rows.append(
            [
                f"{processes}",
                f"{rate:,.0f}/s",
                f"{1e3 * typical:.1f} ms",
                f"{1e3 * worst:.0f} ms",
                f"{statistics.median(len(waits) / SECONDS for waits in theirs):,.0f}/s",
                f"{1e3 * max(map(max, theirs)):.0f} ms",
                met,
            ]
        )
    header = ["processes", "charges", "typical wait", "longest wait", "bare inserts", "longest wait", "asked"]
    return (
        "## The ledger\n\n"
        f"Durable charges in all, from processes that do nothing else, for {SECONDS:g} s; medians of {ROUNDS} rounds,\n"
        "the longest wait of all rounds. Bare inserts: one row of 600 bytes each with SQLite alone and its busy\n"
        "handler, at the same durability (write-ahead log, full sync). Every ledger is verified and counted after its\n"
        "round.\n\n"
        f"{markdown(header, rows)}\n"
    )


if __name__ == "__main__":
    print(report())
