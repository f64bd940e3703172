"""The door of the server: who comes in, whose turn it is, when replies leave, and what is written down of it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from discreet.base.errors import DiscreetError, PendingError, QueryError
from discreet.curator.owner.tables import Tables
from discreet.policy.model import Policy
from discreet.server.accounts.account import Role, TokenAccount
from discreet.server.accounts.book import REFUSED, AccountBook, LoginError
from discreet.server.accounts.scram_verifier import ScramVerifier
from discreet.server.audit_log import AuditLog
from discreet.server.questions import AnyAsked, Asked, Delivered, Described, Preview
from discreet.server.schedule import TickSchedule
from discreet.server.turns import BusyError, Rate, Turns
from discreet.server.workers.clerk import Planned
from discreet.server.workers.own_entries import OwnEntry
from discreet.server.workers.pool import WorkerPool
from discreet.server.workers.telling import PENDING, OwnerError

LONGEST_WAIT = 600.0
"""Seconds after which nobody is kept waiting; what runs goes on and is recorded."""

LOGINS_A_MINUTE = 30
"""Failed logins from one address."""

MOST_RECEIVED = 100_000
"""Answers of one analyst that are known to have been received."""

MOST_WAITING = 50
"""Requests of one analyst that wait for their turn."""

OWNERS_ONLY = "only owners see this: log in with an owner's token"


class FrontDoor:
    """One for all wires of a server. It holds no privacy logic: that is the curator's, in the worker processes."""

    def __init__(
        self, policy: Policy, book: AccountBook, pool: WorkerPool, log: AuditLog, schedule: TickSchedule
    ) -> None:
        self.policy, self.schedule, self.log = policy, schedule, log
        self._book, self._pool = book, pool
        workers = policy.server.workers
        self._asking = Turns(at_once=2 * workers, of_each=2, waiting=MOST_WAITING)
        self._looking = Turns(at_once=4 * workers, of_each=4, waiting=MOST_WAITING)
        self._rate = Rate(policy.server.rate, burst=max(10.0, policy.server.rate / 4))
        self._failing = Rate(LOGINS_A_MINUTE, burst=10)
        self._received: dict[str, set[str]] = {}
        self._held: dict[str, Counter[str]] = {}
        """By analyst, the questions that are run, or whose answers wait for their tick."""

        self._tasks: set[asyncio.Task[Any]] = set()

    async def find_verifier(self, name: str) -> ScramVerifier:
        """Return what checks a name's token; for unknown names one that nobody passes, with the same work."""
        return await asyncio.to_thread(self._book.find_verifier, name)

    async def admit(self, name: str, proof_ok: bool, where: str) -> GuestVisit:
        """Log the login and return the visit; raises where the proof failed, or nobody of that name may come in."""

        def check() -> TokenAccount:
            if not proof_ok:
                raise LoginError(REFUSED)
            return self._book.check_open(name)

        return await self._let_in(name, where, check)

    async def admit_token(self, token: str, where: str) -> GuestVisit:
        """Return the visit of whoever shows a token."""
        return await self._let_in("", where, lambda: self._book.check_token(token))

    async def recheck(self, account: TokenAccount) -> None:
        """Raise where an account that was let in is not what it was: rotated, revoked, expired."""
        now = await asyncio.to_thread(self._book.check_open, account.name)
        if now.verifier != account.verifier:
            raise LoginError(REFUSED)

    async def _let_in(self, name: str, where: str, check: Callable[[], TokenAccount]) -> GuestVisit:
        arrived = self.schedule.now()
        host = where.rpartition(" ")[2]
        try:
            self._failing.check(host, "failed logins")
            account = await asyncio.to_thread(check)
        except LoginError:
            self._failing.count(host)
            await self.log.note("login refused", name, where=where)
            await self.schedule.leave_free(arrived)
            raise
        await self.log.note("login", account.name, where=where, role=account.role.value)
        return GuestVisit(self, account, where)

    async def call_free(self, visit: GuestVisit, method: str, *arguments: Any) -> Any:
        """Have something free done in turn; the reply leaves on the short schedule, and so does a refusal.

        It tells nothing of answers that wait for their tick: who asks on and on would else learn when the run ended.
        """
        arrived, analyst = self.schedule.now(), visit.analyst
        self._rate.take(analyst)
        try:
            async with self._looking.take(analyst), asyncio.timeout(LONGEST_WAIT):
                await visit.check_open()
                while True:
                    held = self._list_held(analyst)
                    found = await self._pool.call(method, analyst, *arguments, held)
                    if self._list_held(analyst) <= held:
                        return found
        except TimeoutError:
            raise PendingError(PENDING) from None
        finally:
            await self.schedule.leave_free(arrived)

    async def call_owner(self, visit: GuestVisit, method: str, *arguments: Any) -> Any:
        """Have something done that only owners see or do; anybody else is refused before a worker hears of it."""
        if visit.role is not Role.OWNER:
            await self.log.note("owners only", visit.analyst, wanted=method, where=visit.where)
            raise OwnerError(OWNERS_ONLY)
        self._rate.take(visit.analyst)
        try:
            async with self._looking.take(visit.analyst):
                return await asyncio.wait_for(self._pool.call_owner(method, *arguments), LONGEST_WAIT)
        except TimeoutError:
            raise OwnerError(f"not done within {LONGEST_WAIT:g} s") from None

    async def ask(self, visit: GuestVisit, asked: AnyAsked) -> Delivered:
        """Answer a question. Whoever stops waiting, or loses the connection, finds the answer by asking again."""
        arrived = self.schedule.now()
        self._rate.take(visit.analyst)
        task = asyncio.create_task(self._take_turn(visit, asked, arrived))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.wait_for(asyncio.shield(task), LONGEST_WAIT)
        except TimeoutError:
            raise PendingError(PENDING) from None

    async def _take_turn(self, visit: GuestVisit, asked: AnyAsked, arrived: float) -> Delivered:
        """Ask in turn, and hold the turn until the tick: who comes next would else learn when the run ended.

        It goes on when nobody waits any more. What is written down of it is on the disk before the tick: how long that
        takes is not told either.
        """
        plans: list[Planned] = []
        received, new = self._received.setdefault(visit.analyst, set()), False

        def note(planned: Planned) -> None:
            nonlocal new
            plans.append(planned)
            new = _name(planned, asked) not in received
            if new:
                self._held.setdefault(visit.analyst, Counter())[planned.identity] += 1

        try:
            async with self._asking.take(visit.analyst):
                try:
                    await visit.check_open()
                    delivered = await self._run(visit, asked, plans, note)
                except DiscreetError as refused:
                    await self._note_refusal(visit, asked, refused)
                    raise
                finally:
                    try:
                        await self._leave(arrived, plans, known=bool(plans) and not new)
                    finally:
                        if new:
                            self._let_go(visit.analyst, plans[0].identity)
        except BusyError as busy:
            await self._note_refusal(visit, asked, busy)
            await self.schedule.leave_free(arrived)
            raise
        if len(received) >= MOST_RECEIVED:
            received.clear()  # what is forgotten leaves on its tick again
        received.add(_name(plans[0], asked))
        return delivered

    async def _note_refusal(self, visit: GuestVisit, asked: AnyAsked, refused: DiscreetError) -> None:
        await self.log.note("refused", visit.analyst, question=asked.text, why=type(refused).__name__)

    def _list_held(self, analyst: str) -> frozenset[str]:
        return frozenset(self._held.get(analyst, ()))

    def _let_go(self, analyst: str, identity: str) -> None:
        held = self._held[analyst]
        held[identity] -= 1
        if not held[identity]:
            del held[identity]
        if not held:
            del self._held[analyst]

    async def _run(
        self, visit: GuestVisit, asked: AnyAsked, plans: list[Planned], note: Callable[[Planned], None]
    ) -> Delivered:
        """Ask, and write down what was asked and what it cost."""
        async with visit.spending() as left:
            delivered: Delivered = await self._pool.call("ask", visit.analyst, asked, left, watch=note)
            if delivered.receipt["paid"] != "free":
                visit.spent += plans[0].amount
            written = self.log.add(
                "answered",
                visit.analyst,
                question=asked.text,
                receipt=delivered.receipt["receipt"],
                paid=delivered.receipt["paid"],
                epsilon=delivered.receipt["epsilon"],
                rho=delivered.receipt["rho"],
                where=visit.where,
            )
            if delivered.receipt["paid"] != "free":
                await asyncio.wrap_future(written)
            return delivered

    async def _leave(self, arrived: float, plans: list[Planned], *, known: bool) -> None:
        """Wait for the tick of a reply. What was received before leaves at once, unless something runs meanwhile."""
        if not plans or (known and self._held):
            await self.schedule.leave_free(arrived)
        elif not known:
            await self.schedule.leave(arrived, plans[0].seconds)

    async def close(self) -> None:
        """Wait for what is being asked."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LONGEST_WAIT)


@dataclass(eq=False)
class GuestVisit:
    """One login. What it spends is limited where the policy says so."""

    door: FrontDoor
    account: TokenAccount
    where: str
    spent: float = 0.0
    began: float = field(default_factory=time.time)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def analyst(self) -> str:
        """Who asks."""
        return self.account.name

    @property
    def role(self) -> Role:
        """What they may do."""
        return self.account.role

    @asynccontextmanager
    async def spending(self) -> AsyncIterator[float | None]:
        """Give what this login may still spend; where that is limited, its questions are asked one after another."""
        most = self.door.policy.server.login_epsilon
        if most is None:
            yield None
            return
        async with self._lock:
            yield max(0.0, float(most) - self.spent)

    async def check_open(self) -> None:
        """Refuse an owner, whose questions no cap would pay for, and whoever would not be let in any more."""
        if self.role is not Role.ANALYST:
            raise QueryError("owners do not ask: come in with an analyst's token")
        await self.door.recheck(self.account)

    async def describe(self, asked: AnyAsked) -> Described:
        """Say what a question would give and cost: free."""
        found: Described = await self.door.call_free(self, "describe", asked)
        return found

    async def preview(self, asked: Asked) -> Preview:
        """Return the price list of a question, and what it would give at its price: free."""
        found: Preview = await self.door.call_free(self, "preview", asked)
        return found

    async def ask(self, asked: AnyAsked) -> Delivered:
        """Answer a question: charged, and handed out on its tick."""
        return await self.door.ask(self, asked)

    async def list_tables(self) -> Tables:
        """Return the public facts of the tables that this analyst may ask."""
        found: Tables = await self.door.call_free(self, "list_tables")
        return found

    async def read_budget(self) -> dict[str, Any]:
        """Return what this analyst has spent and has left."""
        found: dict[str, Any] = await self.door.call_free(self, "read_budget")
        return found

    async def list_entries(self) -> list[OwnEntry]:
        """Return what this analyst has paid for."""
        found: list[OwnEntry] = await self.door.call_free(self, "list_entries")
        return found

    def close(self) -> None:
        """End the visit; what was paid for stays recorded."""


def _name(planned: Planned, asked: AnyAsked) -> str:
    """Return what an answer is known by once it was received."""
    return f"{planned.identity} {asked.key if asked.fresh else ''}"
