"""Somebody who polls `/v1/explain` while another asks does not see whether the dearest person is there."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow.parquet
import pytest

from discreet.curator import Curator
from discreet.server.schedule import TickSchedule
from hostile.clock import POLICY, join_visits, make_worlds
from support.serving import PROMPT, Served, make_accounts, serving

POLLS = 100
"""With so many on each side, a fair coin's share of pairs strays from a half by .041."""

TICK = 0.25
"""Seconds of the grid on which prices leave."""

UNTOLD = 0.15
"""How far from a half that share may be: 3.7 deviations."""

ANALYSTS = """
[analysts.alice]
epsilon = 100
[analysts.bob]
epsilon = 900
[server]
workers = 1
rate = 60000
patience = 100
"""

TURNS = 5
NUMBERS = itertools.count()
"""What makes each of bob's questions a new one."""

DEAR = (
    f"SELECT COUNT(*) FROM {join_visits(3)} WHERE CASE WHEN t0.id = 17 THEN "
    "LENGTH(LPAD(UPPER(CONCAT(t0.note, t1.note, t2.note)), 1000, '\U0001f600')) ELSE 0 END > {}"
)


@contextmanager
def serve_world(folder: Path, place: int, schedule: TickSchedule) -> Iterator[Served]:
    """Serve the world with the dearest person (0), or the one without (1)."""
    folder.mkdir()
    world = make_worlds()[place]
    pyarrow.parquet.write_table(world.tables["visits"], folder / "visits.parquet")
    path = folder / "policy.toml"
    path.write_text(POLICY.replace('unit = "id"', 'source = "visits.parquet"\nunit = "id"') + ANALYSTS)
    Curator.init(path)
    with serving(path, make_accounts(path), schedule) as served:
        yield served


@contextmanager
def asked_by_bob(*worlds: Served) -> Iterator[None]:
    """Have bob ask one dear question after another, everywhere at once; all of them are answered."""
    stopped, answered = threading.Event(), dict.fromkeys(worlds, 0)

    def ask(served: Served) -> None:
        bob = served.connect("bob")
        while not stopped.is_set():
            bob.ask(DEAR.format(next(NUMBERS)), 0.1)
            answered[served] += 1

    askers = [threading.Thread(target=ask, args=(each,)) for each in worlds]
    for each in askers:
        each.start()
    while not all(answered.values()):
        time.sleep(0.05)
    before = dict(answered)
    try:
        yield
    finally:
        stopped.set()
        for each in askers:
            each.join(60)
    assert all(answered[each] > before[each] for each in worlds)


def poll(served: Served) -> float:
    """Return how long alice waits for one price."""
    start = time.perf_counter()
    asked = {"sql": "SELECT COUNT(*) FROM visits", "epsilon": "0.1"}
    status, _, _ = served.send("POST", "/v1/explain", asked, token=served.tokens["alice"])
    assert status == 200
    return time.perf_counter() - start


def share_of_longer(first: list[float], second: list[float]) -> float:
    """Return in which share of all pairs the first is longer: a half where nothing tells them apart."""
    return sum((a > b) + (a == b) / 2 for a in first for b in second) / (len(first) * len(second))


@pytest.mark.long
def test_polling_tells_nothing_of_the_dearest_person(tmp_path: Path) -> None:
    with ExitStack() as held:
        present, absent = (
            held.enter_context(serve_world(tmp_path / str(place), place, TickSchedule(free=TICK, factor=0.0)))
            for place in range(2)
        )  # bob does not wait for his ticks, so that there is always a question that runs
        with asked_by_bob(present, absent):
            pairs = [(poll(present), poll(absent)) for _ in range(POLLS)]
    with_person, without = ([pair[side] for pair in pairs] for side in range(2))
    assert abs(share_of_longer(with_person, without) - 0.5) < UNTOLD


@pytest.mark.long
def test_without_ticks_polling_tells_that_somebody_asks(tmp_path: Path) -> None:
    """The same eyes see a difference where there is one; in turn, so that no other work of the computer is seen."""
    idle, busy = [], []
    with serve_world(tmp_path / "world", 0, PROMPT) as served:
        for _ in range(TURNS):
            idle += [poll(served) for _ in range(POLLS // TURNS)]
            with asked_by_bob(served):
                busy += [poll(served) for _ in range(POLLS // TURNS)]
    assert share_of_longer(busy, idle) > 0.5 + UNTOLD
