"""Serving a policy: opens its books, starts its workers and doors, and ends them in order."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from discreet.base.errors import ParameterError, PolicyError
from discreet.curator.owner.account import read_facts
from discreet.curator.owner.ledger_place import find_ledger_place
from discreet.ledger import Ledger
from discreet.policy import load
from discreet.policy.model import Policy
from discreet.server.accounts.account import Role
from discreet.server.accounts.book import AccountBook
from discreet.server.audit_log import AuditLog
from discreet.server.door import FrontDoor
from discreet.server.http.app import make_app
from discreet.server.schedule import TickSchedule
from discreet.server.wire.server import WireServer, WireTls
from discreet.server.workers.pool import WorkerPool

AUDIT_LOG = "audit.db"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a door listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, name: str, text: str) -> Address:
        """Return the address in a text.

        >>> Address.parse("http", "[::1]:8642")
        Address(host='::1', port=8642)
        """
        host, colon, port = text.rpartition(":")
        if not colon or not port.isdecimal() or int(port) > 65535:
            raise ParameterError(name, text, "an address and a port, such as 127.0.0.1:8642")
        return cls(host.strip("[]") or "127.0.0.1", int(port))

    @property
    def is_local(self) -> bool:
        """Say whether only this computer reaches it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the doors of a server are reached."""

    http: Address
    wire: Address | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """The files of a certificate and its key."""

    chain: Path
    key: Path

    def check(self) -> None:
        """Refuse files that cannot be read, or that are no certificate with its key."""
        for name, path in (("--tls-cert", self.chain), ("--tls-key", self.key)):
            try:
                path.read_bytes()
            except OSError as trouble:
                raise ParameterError(name, str(path), f"a file that can be read ({trouble.strerror})") from None
        try:
            WireTls.load(str(self.chain), str(self.key))
        except (OSError, ValueError):  # of OpenSSL, or where there is no certificate in it
            wanted = "a certificate in PEM, and --tls-key the key that belongs to it, without a password"
            raise ParameterError("--tls-cert", str(self.chain), wanted) from None


@dataclass(frozen=True, slots=True)
class Listening:
    """What is served, and where."""

    http: Address
    wire: Address | None = None
    """Where PostgreSQL's clients are let in, if they are."""

    certificate: Certificate | None = None
    behind_proxy: bool = False
    """Whether something in front speaks TLS: only then may others reach a door without it."""

    def check(self) -> None:
        """Refuse certificates that are none, and to send tokens and answers over a network as they are."""
        if self.certificate is not None:
            self.certificate.check()
        if self.certificate is None and not self.http.is_local and not self.behind_proxy:
            raise ParameterError(
                "http",
                str(self.http),
                "an address of this computer alone, or beside --tls-cert and --tls-key; --behind-proxy says that "
                "something in front speaks TLS",
            )
        if self.certificate is None and self.wire is not None and not self.wire.is_local:
            raise ParameterError("wire", str(self.wire), "of this computer alone, or beside --tls-cert and --tls-key")


def find_audit_log(policy: Policy) -> Path:
    """Return where the audit log of a policy lies: beside its ledger, or beside the policy."""
    return policy.path.parent.absolute() / ".discreet" / AUDIT_LOG


@contextlib.asynccontextmanager
async def open_door(
    path: Path, schedule: TickSchedule | None = None, pool: WorkerPool | None = None
) -> AsyncIterator[FrontDoor]:
    """Open a policy for analysts from outside, and end everything in order: what was paid for is recorded first."""
    policy = load(path)
    if not policy.analysts:
        raise PolicyError(f"{path}: analysts: there is none, so nobody could ask; write such as [analysts.ann]")
    with Ledger.open(find_ledger_place(policy), read_facts(policy)) as ledger:
        book = AccountBook(policy, ledger)
        if not any(each.role is Role.ANALYST for each in book.accounts):
            first = policy.analysts[0].name
            raise PolicyError(f"{path}: no analyst has a token yet; `discreet analyst add {first}` makes one")
        log = AuditLog(find_audit_log(policy))
        pool = pool or WorkerPool(path, policy.server.workers)
        try:
            await pool.start()
            await log.note("start", "", workers=policy.server.workers)
            door = FrontDoor(policy, book, pool, log, schedule or TickSchedule())
            yield door
            await door.close()
            await log.note("stop", "")
        finally:
            await pool.close()
            log.close()


@contextlib.asynccontextmanager
async def listen(door: FrontDoor, listening: Listening) -> AsyncIterator[Addresses]:
    """Open the doors to the network; give where they are reached, and close them at the end of the block."""
    with _bind(listening.http) as bound:
        server = uvicorn.Server(_configure(door, listening))
        wire = await _open_wire(door, listening)
        task = asyncio.create_task(server._serve(sockets=[bound]))
        try:
            while not server.started and not task.done():
                await asyncio.sleep(0.01)
            if task.done():
                await task
            yield Addresses(
                Address(listening.http.host, bound.getsockname()[1]),
                None if wire is None or listening.wire is None else Address(listening.wire.host, wire.port),
            )
        finally:
            server.should_exit = True
            if wire is not None:
                await wire.close()
            await task


async def _open_wire(door: FrontDoor, listening: Listening) -> WireServer | None:
    if listening.wire is None:
        return None
    tls = listening.certificate
    wire = WireServer(door, None if tls is None else WireTls.load(str(tls.chain), str(tls.key)))
    try:
        await wire.start(listening.wire.host, listening.wire.port)
    except OSError as trouble:
        reason = trouble.strerror or type(trouble).__name__
        raise ParameterError("wire", str(listening.wire), f"an address that is free here ({reason})") from None
    return wire


async def serve(path: Path, listening: Listening, ready: Callable[[Addresses], None]) -> None:
    """Serve a policy until the process is told to end; `ready` hears where it is reached."""
    listening.check()
    ending, loop = asyncio.Event(), asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, ending.set)
    async with open_door(path) as door, listen(door, listening) as at:
        ready(at)
        await ending.wait()


def run_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run something in an event loop: uvloop's where it is installed, which is quicker."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(work)
    else:
        uvloop.run(work)


def _configure(door: FrontDoor, listening: Listening) -> uvicorn.Config:
    tls = listening.certificate
    return uvicorn.Config(
        make_app(door, tls=tls is not None or listening.behind_proxy),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        limit_concurrency=1000,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=32_768,
        proxy_headers=listening.behind_proxy,
        ssl_certfile=None if tls is None else str(tls.chain),
        ssl_keyfile=None if tls is None else str(tls.key),
        timeout_graceful_shutdown=10,
    )


def _bind(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so that asyncio turns Nagle's waiting off
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address.host, address.port))
    except OSError as trouble:
        made.close()
        raise ParameterError("http", str(address), f"an address that is free here ({trouble.strerror})") from None
    return made
