"""The server beside the curator in one process: overhead, fairness, load, ticks, and kills.

    python bench/server.py                 all of it, some minutes
    python bench/server.py overhead ticks  parts of it

Each part starts a server in a process of its own over the generated clinic. Ratios count, not seconds.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from discreet.base.errors import DiscreetError
from discreet.cli.clinic import generate
from discreet.curator import Curator
from discreet.curator.owner.account import open_account
from discreet.server.accounts.book import AccountBook
from discreet.server.client import Connection, connect
from discreet.server.schedule import TickSchedule
from discreet.server.serving import Address, Listening, listen, open_door, run_loop
from discreet.server.workers.telling import ServerError
from timing import markdown

ANALYSTS = ("ann", "bob")
MORE = """
[analysts.ann]
epsilon = 1000
[analysts.bob]
epsilon = 1000
[server]
workers = 2
rate = 100000
patience = 50
"""
QUESTION = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits WHERE age > {} GROUP BY ward"
SMALL = 0.0001


class Clinic:
    """A generated clinic with accounts, and how to serve it."""

    def __init__(self, folder: Path, visits: int) -> None:
        folder.mkdir()
        self.path = generate(folder, visits // 10, visits)
        text = self.path.read_text().replace("epsilon = 3.0 ", "epsilon = 1000.0 ")
        self.path.write_text(text + MORE)
        Curator.init(self.path)
        with open_account(self.path) as account:
            book = AccountBook(account.policy, account.ledger)
            self.tokens = {name: book.add(name) for name in ANALYSTS}

    @contextmanager
    def served(self, prompt: bool = True) -> Iterator[Server]:
        """Serve it until the end of the block."""
        server = Server(self, prompt)
        try:
            yield server
        finally:
            server.stop()


class Server:
    """A server in a process of its own."""

    def __init__(self, clinic: Clinic, prompt: bool) -> None:
        self.clinic = clinic
        how = "prompt" if prompt else "ticks"
        command = [sys.executable, __file__, "--serve", str(clinic.path), how]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.port, self.wire = (int(word) for word in line.split()[-2:])

    def connect(self, name: str = "ann") -> Connection:
        """Return an analyst's way in."""
        return connect(f"http://127.0.0.1:{self.port}", self.clinic.tokens[name])

    def connect_wire(self, name: str = "ann") -> psycopg.Connection[Any]:
        """Return an analyst's way in as a client of PostgreSQL, with intervals as columns."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.wire,
            user=name,
            password=self.clinic.tokens[name],
            dbname="discreet",
            autocommit=True,
            options=f"-c discreet.epsilon={SMALL} -c discreet.intervals=on",
        )

    def stop(self) -> None:
        """End it in order."""
        self.process.terminate()
        self.process.wait(60)

    def kill(self) -> None:
        """End it and all its processes at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)


async def serve(path: Path, prompt: bool) -> None:
    """Serve until told to end; without ticks where only the work is to be timed."""
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    schedule = TickSchedule(free=0.0, factor=0.0) if prompt else None
    both = Listening(Address("127.0.0.1", 0), Address("127.0.0.1", 0))
    async with open_door(path, schedule) as door, listen(door, both) as at:
        assert at.wire is not None
        print("listening at", at.http.port, at.wire.port, flush=True)
        await ending.wait()


def clock(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def ask_here(curator: Curator, age: int) -> str:
    return curator.ask(QUESTION.format(f"{age} AND stay_days < 59"), SMALL).to_json()


def find_p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


def measure_overhead(folder: Path) -> list[list[str]]:
    """Ask the same kind of question in this process, over HTTP and over PostgreSQL's wire, in turn: new, then recorded.

    Both end with the whole answer, intervals included.
    """
    clinic = Clinic(folder / "overhead", 1_000_000)
    new: dict[str, list[float]] = {"here": [], "HTTP": [], "wire": []}
    old: dict[str, list[float]] = {"here": [], "HTTP": [], "wire": []}
    with (
        clinic.served() as server,
        server.connect() as link,
        server.connect_wire() as wire,
        Curator.open(clinic.path, "bob") as curator,
    ):

        def ask_wire(age: int) -> object:
            return wire.execute(QUESTION.format(f"{age} AND stay_days < 61")).fetchall()

        def ask_http(age: int) -> object:
            return link.ask(QUESTION.format(f"{age} AND stay_days < 60"), SMALL)

        ways: dict[str, Callable[[int], object]] = {
            "here": partial(ask_here, curator),
            "HTTP": ask_http,
            "wire": ask_wire,
        }
        for age in range(42):
            for name, ask in ways.items():
                seconds = clock(partial(ask, age))
                if age >= 2:
                    new[name].append(seconds)
        for age in range(100):
            for name, ask in ways.items():
                old[name].append(clock(partial(ask, age % 40)))
    rows = []
    for kind, found, most in (("a new question", new, 1.10), ("a recorded answer", old, 1.5)):
        here = statistics.median(found["here"])
        for name in ("HTTP", "wire"):
            there = statistics.median(found[name])
            times = f"{1e3 * there:.1f} / {1e3 * here:.1f} ms"
            rows.append([f"{name} over in-process, {kind}", times, f"{there / here:.2f}", f"{most:g}"])
    return rows


def measure_health(folder: Path) -> list[list[str]]:
    """Ask for health while four questions run."""
    clinic, found = Clinic(folder / "health", 1_000_000), []
    with clinic.served() as server, ThreadPoolExecutor(4) as threads:
        ending = threading.Event()

        def ask(who: int) -> None:
            with server.connect(ANALYSTS[who % 2]) as link:
                for age in range(1000):
                    if ending.is_set():
                        return
                    link.ask(QUESTION.format(f"{age} AND stay_days > {who}"), SMALL)

        asking = [threads.submit(ask, who) for who in range(4)]
        time.sleep(1)
        with server.connect() as link:
            for _ in range(200):
                found.append(clock(partial(link._exchange, "GET", "/health", None)))
                time.sleep(0.02)
        ending.set()
        for each in asking:
            each.result()
    return [["`/health` p95, four questions running", f"{1e3 * find_p95(found):.1f} ms", "", "50 ms"]]


def measure_flood(folder: Path) -> list[list[str]]:
    """Have one analyst ask politely, alone and while another sends ten times as much as it may."""
    clinic = Clinic(folder / "flood", 200_000)
    clinic.path.write_text(clinic.path.read_text().replace("rate = 100000", "rate = 600"))
    with clinic.served() as server, server.connect("ann") as polite:

        def ask_politely(first: int) -> float:
            found = []
            for number in range(30):
                found.append(clock(partial(polite.ask, QUESTION.format(f"{first + number} AND age < 100"), SMALL)))
                time.sleep(0.15)
            return find_p95(found)

        alone, ending, sent = ask_politely(0), threading.Event(), [0]

        def flood(who: int) -> None:
            with server.connect("bob") as link:
                while not ending.is_set():
                    sent[0] += 1
                    try:
                        link.ask(QUESTION.format(f"{sent[0] % 97} AND stay_days > {who}"), SMALL)
                    except DiscreetError:
                        time.sleep(0.1)

        threads = [threading.Thread(target=flood, args=(who,)) for who in range(64)]
        for each in threads:
            each.start()
        began = time.monotonic()
        crowded = ask_politely(40)
        rate = 60 * sent[0] / (time.monotonic() - began)
        ending.set()
        for each in threads:
            each.join()
    shown = f"{1e3 * crowded:.0f} / {1e3 * alone:.0f} ms ({rate / 600:.0f} times the limit sent)"
    return [["a polite analyst's p95, flooded over alone", shown, f"{crowded / alone:.2f}", "2"]]


def measure_connecting(folder: Path) -> list[list[str]]:
    """Connect while 500 sockets say nothing."""
    clinic = Clinic(folder / "sockets", 10_000)
    with clinic.served() as server:

        def connect_often() -> float:
            found = []
            for _ in range(200):
                with server.connect() as link:
                    found.append(clock(partial(link._exchange, "GET", "/health", None)))
            return find_p95(found)

        connect_often()
        alone = connect_often()
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(500)]
        crowded = connect_often()
        for each in silent:
            each.close()
    shown = f"{1e3 * crowded:.2f} / {1e3 * alone:.2f} ms"
    return [["connecting p95, 500 silent sockets over none", shown, f"{crowded / alone:.2f}", "3"]]


def measure_throughput(folder: Path) -> list[list[str]]:
    """Ask for recorded answers with one client and with sixteen."""
    clinic = Clinic(folder / "throughput", 50_000)
    with clinic.served() as server:
        for name in ANALYSTS:
            with server.connect(name) as link:
                for age in range(8):
                    link.ask(QUESTION.format(age), SMALL)

        def count(clients: int, seconds: float = 8.0) -> float:
            done, ending = [0] * clients, time.monotonic() + seconds

            def ask(who: int) -> None:
                with server.connect(ANALYSTS[who % 2]) as link:
                    while time.monotonic() < ending:
                        link.ask(QUESTION.format(done[who] % 8), SMALL)
                        done[who] += 1

            threads = [threading.Thread(target=ask, args=(who,)) for who in range(clients)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            return sum(done) / seconds

        count(2, 2.0)
        one, many = count(1), count(16)
    shown = f"{many:.0f} / {one:.0f} a second"
    return [["recorded answers, 16 clients over 1", shown, f"{many / one:.2f}", "at least 1.5"]]


def measure_ticks(folder: Path) -> list[list[str]]:
    """Count answers that left off their tick: new, another's, refused after planning, and free ones."""
    clinic, off, total = Clinic(folder / "ticks", 100_000), 0, 0
    clinic.path.write_text(clinic.path.read_text().replace("patience = 50", "patience = 2"))
    with clinic.served(prompt=False) as server, server.connect("ann") as ann, server.connect("bob") as bob:
        ann.explain("SELECT COUNT(*) FROM visits", SMALL)
        bob.explain("SELECT COUNT(*) FROM visits", SMALL)

        def time_refusal(link: Connection, sql: str, epsilon: float) -> float:
            began = time.perf_counter()
            with suppress(DiscreetError):
                link.ask(sql, epsilon)
            return time.perf_counter() - began

        for age in range(15):
            for link in (ann, bob):
                for seconds, step in (
                    (time_refusal(link, QUESTION.format(age), SMALL), 0.25),
                    (time_refusal(link, "SELECT COUNT(*) FROM visits", 5000), 0.25),
                    (time_refusal(link, "SELECT * FROM visits", 1), 0.25),
                    (clock(partial(link.explain, QUESTION.format(3), SMALL)), 0.25),
                ):
                    total += 1
                    off += not -0.01 <= (seconds + 0.01) % step <= 0.06
    return [["answers off the tick", f"{off} of {total}", "", "0"]]


def measure_kills(folder: Path, kills: int = 200) -> list[list[str]]:
    """Kill the whole server again and again while clients ask and ask again; nothing is paid for twice."""
    clinic, chance = Clinic(folder / "kills", 20_000), random.Random(7)
    server, ending, asked = Server(clinic, True), threading.Event(), dict.fromkeys(ANALYSTS, 0)
    answers: dict[tuple[str, int], set[str]] = {}
    lock, wrong = threading.Lock(), []

    def ask(name: str) -> None:
        link, port = server.connect(name), server.port
        while not ending.is_set():
            number = asked[name]
            try:
                if port != server.port:
                    link, port = server.connect(name), server.port
                rows = str(link.ask(QUESTION.format(f"{number % 90} AND stay_days < {2 + number // 90}"), SMALL).rows)
            except ServerError:
                time.sleep(0.05)
            except DiscreetError as trouble:
                if "not done yet" not in str(trouble):
                    wrong.append(str(trouble))
                    asked[name] += 1
                time.sleep(0.05)
            else:
                with lock:
                    answers.setdefault((name, number), set()).add(rows)
                asked[name] += chance.random() < 0.7

    threads = [threading.Thread(target=ask, args=(name,)) for name in ANALYSTS]
    for each in threads:
        each.start()
    for _ in range(kills):
        time.sleep(chance.uniform(0.05, 0.6))
        server.kill()
        with open_account(clinic.path) as account:  # runs that die are counted, and the owner is asked every few kills
            for name in ANALYSTS:
                with suppress(DiscreetError):
                    account.ledger.resume(name)
        server = Server(clinic, True)
    time.sleep(3)
    ending.set()
    for each in threads:
        each.join()
    server.stop()
    with open_account(clinic.path) as account:
        bodies = [entry.body for entry in account.ledger.entries() if entry.kind == "CHARGE"]
        whole = account.ledger.verify()
    doubled = len(bodies) - len({body["question"] for body in bodies})
    changed = sum(len(rows) > 1 for rows in answers.values())
    shown = f"{doubled} double charges, {changed} changed answers, {len(bodies)} charges, {len(wrong)} refused; "
    return [
        [f"{kills} kills with clients reconnecting", shown + ("chain whole" if whole.ok else "CHAIN BROKEN"), "", "0"]
    ]


PARTS: dict[str, Callable[[Path], list[list[str]]]] = {
    "overhead": measure_overhead,
    "health": measure_health,
    "flood": measure_flood,
    "connecting": measure_connecting,
    "throughput": measure_throughput,
    "ticks": measure_ticks,
    "kills": measure_kills,
}


def main() -> None:
    """Measure the parts that are named, or all."""
    if sys.argv[1:2] == ["--serve"]:
        run_loop(serve(Path(sys.argv[2]), sys.argv[3] == "prompt"))
        return
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PARTS:
            rows += PARTS[name](Path(folder))
            print(name, rows[-1], flush=True)
    print(markdown(["", "measured", "ratio", "asked at most"], rows))


if __name__ == "__main__":
    main()
