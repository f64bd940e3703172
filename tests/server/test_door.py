"""The front door: who was let in stays in only while their account does, and what a login may spend is limited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import BudgetError, QueryError
from discreet.curator.owner.account import open_account
from discreet.server.accounts.book import AccountBook, LoginError
from discreet.server.door import FrontDoor
from discreet.server.questions import Asked
from discreet.server.schedule import TickSchedule
from discreet.server.serving import open_door
from discreet.server.turns import BusyError
from support.serving import ONE_WORKER, PROMPT, DirectPool, make_served_clinic

COUNT = "SELECT COUNT(*) FROM visits WHERE age > {}"


def change_account(path: Path, change: str) -> None:
    with open_account(path) as account:
        getattr(AccountBook(account.policy, account.ledger), change)("alice")


@pytest.mark.parametrize("change", ["revoke", "rotate"])
def test_an_open_connection_ends_with_its_account(tmp_path: Path, change: str) -> None:
    path, _ = make_served_clinic(tmp_path)

    async def run() -> None:
        async with open_door(path, PROMPT, DirectPool(path)) as door:
            visit = await door.admit("alice", True, "postgresql 127.0.0.1")
            await visit.ask(Asked(COUNT.format(1), "0.1"))
            change_account(path, change)
            for call in (visit.ask(Asked(COUNT.format(1), "0.1")), visit.list_tables(), visit.read_budget()):
                with pytest.raises(LoginError):
                    await call

    asyncio.run(run())


def test_an_owner_does_not_ask_by_any_wire(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)

    async def run() -> None:
        async with open_door(path, PROMPT, DirectPool(path)) as door:
            visit = await door.admit("carol", True, "postgresql 127.0.0.1")
            with pytest.raises(QueryError, match="owners do not ask"):
                await visit.ask(Asked(COUNT.format(1), "0.1"))

    asyncio.run(run())


def test_a_login_spends_no_more_than_it_may_and_another_begins_anew(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path, ONE_WORKER + "login_epsilon = 0.25\n")

    async def run() -> None:
        async with open_door(path, PROMPT, DirectPool(path)) as door:
            visit = await door.admit("alice", True, "postgresql 127.0.0.1")
            asked = [visit.ask(Asked(COUNT.format(age), "0.1")) for age in range(4)]
            found = await asyncio.gather(*asked, return_exceptions=True)
            assert sum(isinstance(each, BudgetError) for each in found) == 2
            await visit.ask(Asked(COUNT.format(0), "0.1"))  # paid for before
            again = await door.admit("alice", True, "postgresql 127.0.0.1")
            await again.ask(Asked(COUNT.format(7), "0.1"))

    asyncio.run(run())


def test_logins_that_fail_too_often_are_slowed_down(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)

    async def fail(door: FrontDoor) -> None:
        with pytest.raises(LoginError):
            await door.admit("alice", False, "postgresql 10.0.0.1")

    async def run() -> None:
        async with open_door(path, PROMPT, DirectPool(path)) as door:
            for _ in range(10):
                await fail(door)
            with pytest.raises(BusyError, match="too many failed logins"):
                await door.admit("alice", True, "postgresql 10.0.0.1")
            await door.admit("alice", True, "postgresql 10.0.0.2")

    asyncio.run(run())


@pytest.mark.parametrize("slow", ["log", "book"])
def test_replies_leave_on_their_tick_however_long_logs_and_accounts_take(tmp_path: Path, slow: str) -> None:
    path, _ = make_served_clinic(tmp_path)
    tick, delay = 0.5, 0.25

    def slow_down(work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def late(*given: Any, **named: Any) -> Any:
            await asyncio.sleep(delay)
            return await work(*given, **named)

        return late

    async def run() -> None:
        async with open_door(path, TickSchedule(free=tick), DirectPool(path)) as door:
            visit = await door.admit("alice", True, "postgresql 127.0.0.1")
            owner, name = {"log": (door.log, "note"), "book": (door, "recheck")}[slow]
            setattr(owner, name, slow_down(getattr(owner, name)))
            for call in (visit.ask(Asked("SELECT * FROM visits", "0.1")), visit.read_budget()):
                began = time.monotonic()
                with suppress(QueryError):
                    await call
                assert tick - 0.01 <= time.monotonic() - began <= tick + 0.8 * delay

    asyncio.run(run())
