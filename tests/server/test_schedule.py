"""Ticks: a reply leaves at a public time, whatever it took, and one that is late leaves on a later tick."""

from __future__ import annotations

import asyncio

import pytest

from discreet.server.schedule import TickSchedule


class Clock:
    """A clock that sleeping moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0

        async def sleep(seconds: float) -> None:
            self.now += seconds

        monkeypatch.setattr(asyncio, "sleep", sleep)

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("took", "left", "late"),
    [(0.0, 2.0, 0), (0.3, 2.0, 0), (1.999, 2.0, 0), (2.001, 2.001, 0), (2.1, 4.0, 1), (3.9, 4.0, 1), (9.0, 10.0, 1)],
)
def test_an_answer_leaves_on_the_next_tick_after_it_is_there(
    monkeypatch: pytest.MonkeyPatch, took: float, left: float, late: int
) -> None:
    clock = Clock(monkeypatch)
    schedule = TickSchedule(clock=clock)
    clock.now += took
    asyncio.run(schedule.leave(1000.0, 2.0))
    assert clock.now - 1000.0 == pytest.approx(left)
    assert schedule.late == late


def test_what_is_free_has_one_time_and_an_owner_may_be_more_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    schedule = TickSchedule(free=0.25, factor=3.0, clock=clock)
    asyncio.run(schedule.leave_free(1000.0))
    assert clock.now == pytest.approx(1000.25)
    asyncio.run(schedule.leave(1000.0, 2.0))
    assert clock.now == pytest.approx(1006.0)
