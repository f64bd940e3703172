"""Whoever is in the data or not: what leaves the server is the same, byte for byte, but for noisy numbers, and on the
same tick."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import DiscreetError
from discreet.noise.bits import replayed
from discreet.server.documents import to_answer
from discreet.server.door import FrontDoor
from discreet.server.questions import Asked, Delivered
from discreet.server.schedule import TickSchedule
from discreet.server.serving import open_door
from discreet.server.workers.pool import PlanWatch
from support.clinic import VISITS, Visit, write_tables
from support.sampling import GeneratorBits
from support.serving import PROMPT, DirectPool, make_served_clinic

DEAREST: list[Visit] = [(9999, 109, 4999.0, "icu")] * 3
"""As many rows as the policy lets a unit have."""

QUESTIONS = [
    ("SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits WHERE age < 100 GROUP BY ward", "0.2"),
    ("SELECT doctor, COUNT(*) AS n FROM visits WHERE age < 100 AND doctor IN ('Adler', 'Dr 2') GROUP BY doctor", "0.1"),
    ("SELECT MEDIAN(cost) FROM visits WHERE age < 100", "0.1"),
    ("SELECT COUNT(*) FROM visits a JOIN visits b USING (patient_id) WHERE a.age < 100", "0.1"),
    ("SELECT COUNT(*) FROM visits", "50"),
    ("SELECT COUNT(*) FROM visits", None),
    ("SELECT MAX(ward) FROM visits", "0.1"),
]
"""Of each the dearest person decides nothing but how long it takes; some are refused."""


@dataclass(frozen=True, slots=True)
class Left:
    """What left the server: the document without the receipt's hash, and its tick."""

    document: str
    tick: int


class CountingSchedule(TickSchedule):
    """Notes which tick each reply leaves on."""

    def __init__(self) -> None:
        super().__init__(free=1.0, factor=2.0)
        self.ticks: list[int] = []
        self.hold: asyncio.Event | None = None

    async def _wait(self, arrived: float, step: float) -> bool:
        await asyncio.sleep(0)
        self.ticks.append(max(1, -int(-(self.now() - arrived) // step)))
        if self.hold is not None:
            await self.hold.wait()
        return False


def ask_all(folder: Path, rows: list[Visit]) -> list[Left]:
    folder.mkdir()
    path, _ = make_served_clinic(folder)
    write_tables(folder, rows)
    schedule, found = CountingSchedule(), []

    async def run() -> None:
        async with open_door(path, schedule, DirectPool(path)) as door:
            visits = [await door.admit(name, True, "test") for name in ("alice", "bob")]
            for sql, epsilon in QUESTIONS:
                for visit in visits:
                    schedule.ticks.clear()
                    try:
                        text = write(await visit.ask(Asked(sql, epsilon)))
                    except DiscreetError as refused:
                        text = f"{type(refused).__name__}: {refused}"
                    found.append(Left(text, *schedule.ticks))

    with replayed(GeneratorBits(7)):
        asyncio.run(run())
    return found


def write(delivered: Delivered) -> str:
    plain = {**delivered.receipt, "receipt": f"{delivered.receipt['receipt'].partition(':')[0]}:{'0' * 64}"}
    return to_answer(replace(delivered, receipt=plain)).to_json()


def test_the_dearest_person_changes_neither_a_byte_nor_a_tick(tmp_path: Path) -> None:
    without, present = ask_all(tmp_path / "without", VISITS), ask_all(tmp_path / "with", VISITS + DEAREST)
    assert without == present
    assert {each.tick for each in present} == {1}
    assert sum(each.document.startswith("{") for each in present) == 8


def test_another_analysts_answer_leaves_like_a_new_one(tmp_path: Path) -> None:
    found = ask_all(tmp_path / "clinic", VISITS)
    for alice, bob in zip(found[::2], found[1::2], strict=True):
        assert alice.tick == bob.tick
        if alice.document.startswith("{"):
            assert bob.document == alice.document.replace('"alice"', '"bob"')


@pytest.mark.parametrize("again", [True, False])
def test_what_was_received_before_leaves_at_once(tmp_path: Path, again: bool) -> None:
    path, _ = make_served_clinic(tmp_path)
    schedule = CountingSchedule()

    async def run() -> None:
        async with open_door(path, schedule, DirectPool(path)) as door:
            visit = await door.admit("alice", True, "test")
            await visit.ask(Asked("SELECT COUNT(*) FROM visits", "0.1"))
            schedule.ticks.clear()
            await visit.ask(Asked("SELECT COUNT(*) FROM visits", "0.1" if again else "0.2"))

    asyncio.run(run())
    assert schedule.ticks == ([] if again else [1])


class SlowPool(DirectPool):
    """Questions about ages above 50 take as long as a test says."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.done, self.recorded = asyncio.Event(), asyncio.Event()

    async def call(self, method: str, *arguments: Any, watch: PlanWatch | None = None) -> Any:
        found = await super().call(method, *arguments, watch=watch)
        if method == "ask" and "age > 50" in arguments[1].sql:
            self.recorded.set()
            await self.done.wait()
        return found


def count_held(door: FrontDoor) -> int:
    return sum(each.total() for each in door._held.values())


def test_free_replies_do_not_tell_that_a_run_has_ended_before_its_answer_leaves(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)

    async def run() -> None:
        pool = SlowPool(path)
        async with open_door(path, PROMPT, pool) as door:
            visit, asked = (
                await door.admit("alice", True, "test"),
                Asked("SELECT COUNT(*) FROM visits WHERE age > 50", "0.1"),
            )
            slow = asyncio.create_task(visit.ask(asked))
            while (await visit.read_budget())["spent"] == 0 or not pool.recorded.is_set():
                await asyncio.sleep(0.01)
            assert "answered before" not in (await visit.describe(asked)).text
            assert not (await visit.preview(asked)).known
            assert await visit.list_entries() == []
            pool.done.set()
            delivered = await slow
            assert "answered before" in (await visit.describe(asked)).text
            assert (await visit.preview(asked)).known
            (entry,) = await visit.list_entries()
            assert delivered.receipt["receipt"] == f"1:{entry.hash}"

    asyncio.run(run())


def test_nobody_learns_when_a_run_ended_from_who_comes_next(tmp_path: Path) -> None:
    """A turn ends with the tick, and while anything is held an answer that was received before leaves on the grid."""
    path, _ = make_served_clinic(tmp_path)

    async def run() -> None:
        pool, schedule = SlowPool(path), CountingSchedule()
        async with open_door(path, schedule, pool) as door:
            visit = await door.admit("alice", True, "test")
            known = Asked("SELECT COUNT(*) FROM visits", "0.1")
            await visit.ask(known)
            slow = [
                asyncio.create_task(
                    visit.ask(Asked(f"SELECT COUNT(*) FROM visits WHERE age > 50 AND cost > {cost}", "0.1"))
                )
                for cost in range(2)
            ]
            while count_held(door) < 2:
                await asyncio.sleep(0.01)
            left = asyncio.Event()
            schedule.hold = left
            schedule.ticks.clear()
            next_one = asyncio.create_task(visit.ask(known))
            pool.done.set()  # both runs end here, and their ticks are not yet
            while len(schedule.ticks) < 2:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)
            assert (len(schedule.ticks), next_one.done(), count_held(door)) == (2, False, 2)
            left.set()
            await asyncio.gather(*slow, next_one)
            assert count_held(door) == 0

    asyncio.run(run())


def test_what_was_received_leaves_on_the_grid_while_another_runs(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)

    async def run() -> None:
        pool, schedule = SlowPool(path), CountingSchedule()
        async with open_door(path, schedule, pool) as door:
            alice, bob = [await door.admit(name, True, "test") for name in ("alice", "bob")]
            known = Asked("SELECT COUNT(*) FROM visits", "0.1")
            await alice.ask(known)
            slow = asyncio.create_task(bob.ask(Asked("SELECT COUNT(*) FROM visits WHERE age > 50", "0.1")))
            while not door._held:
                await asyncio.sleep(0.01)
            schedule.ticks.clear()
            await alice.ask(known)
            assert len(schedule.ticks) == 1
            pool.done.set()
            await slow
            schedule.ticks.clear()
            await alice.ask(known)
            assert schedule.ticks == []

    asyncio.run(run())
