"""Turns and rates: who sends without end waits for themselves alone."""

from __future__ import annotations

import asyncio

import pytest

from discreet.server.turns import BusyError, Rate, Turns


def run_all(turns: Turns, names: list[str]) -> list[str]:
    """Have everybody take a turn at once, and return whose turns began, in order."""
    began: list[str] = []

    async def one(name: str) -> None:
        async with turns.take(name):
            began.append(name)
            await asyncio.sleep(0)

    async def every() -> None:
        await asyncio.gather(*(one(name) for name in names))

    asyncio.run(every())
    return began


def test_analysts_are_taken_in_turn_however_much_one_of_them_sent() -> None:
    began = run_all(Turns(at_once=1, of_each=1, waiting=100), ["ann"] * 50 + ["bob"] * 3)
    assert len(began) == 53
    assert max(place for place, name in enumerate(began) if name == "bob") <= 7


def test_so_many_run_at_once_in_all_and_of_each() -> None:
    turns, running, most = Turns(at_once=3, of_each=2, waiting=100), {"ann": 0, "bob": 0}, {"ann": 0, "bob": 0, "": 0}

    async def one(name: str) -> None:
        async with turns.take(name):
            running[name] += 1
            most[name] = max(most[name], running[name])
            most[""] = max(most[""], sum(running.values()))
            await asyncio.sleep(0.001)
            running[name] -= 1

    async def every() -> None:
        await asyncio.gather(*(one(name) for name in ["ann"] * 20 + ["bob"] * 20))

    asyncio.run(every())
    assert most == {"ann": 2, "bob": 2, "": 3}


def test_too_many_who_wait_are_refused_and_the_others_go_on() -> None:
    turns, refused = Turns(at_once=1, of_each=1, waiting=5), []

    async def one() -> None:
        try:
            async with turns.take("ann"):
                await asyncio.sleep(0)
        except BusyError as busy:
            refused.append(busy.seconds)

    async def every() -> None:
        await asyncio.gather(*(one() for _ in range(10)))
        async with turns.take("ann"):
            pass

    asyncio.run(every())
    assert len(refused) == 4


def test_a_turn_that_is_given_up_while_waiting_or_just_granted_is_not_lost() -> None:
    turns = Turns(at_once=1, of_each=1, waiting=10)

    async def hold(release: asyncio.Event) -> None:
        async with turns.take("ann"):
            await release.wait()

    async def take() -> None:
        async with turns.take("bob"):
            pass

    async def every() -> None:
        release = asyncio.Event()
        holder = asyncio.create_task(hold(release))
        await asyncio.sleep(0)
        left, granted = asyncio.create_task(take()), asyncio.create_task(take())
        await asyncio.sleep(0)
        left.cancel()
        release.set()
        await holder
        granted.cancel()
        await asyncio.gather(left, granted, return_exceptions=True)
        await asyncio.wait_for(take(), 5)

    asyncio.run(every())


def test_a_rate_lets_a_burst_through_and_then_so_many_a_minute() -> None:
    now = [100.0]
    rate = Rate(60, burst=5, clock=lambda: now[0])
    for _ in range(5):
        rate.take("ann")
    with pytest.raises(BusyError, match="too many requests") as busy:
        rate.take("ann")
    assert busy.value.seconds == pytest.approx(1.0)
    rate.take("bob")
    now[0] += 1.0
    rate.take("ann")
    with pytest.raises(BusyError):
        rate.take("ann")
