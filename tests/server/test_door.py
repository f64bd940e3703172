"""The front door: who was let in stays in only while their account does, and what a login may spend is limited."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from discreet.base.errors import BudgetError, QueryError
from discreet.curator.owner.account import open_account
from discreet.server.accounts.book import AccountBook, LoginError
from discreet.server.door import FrontDoor
from discreet.server.questions import Asked
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
