"""A door for tests of PostgreSQL's wire: over a curator in this process, with analysts whose passwords are known."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.base.errors import DiscreetError
from discreet.curator import Curator
from discreet.curator.owner.tables import Tables
from discreet.curator.session import Session
from discreet.server.accounts.scram_verifier import ScramVerifier
from discreet.server.questions import Asked, Delivered, Described
from discreet.server.wire.limits import WireLimits
from discreet.server.wire.server import WireServer, WireTls

PASSWORDS = {"alice": "wonder-land-7", "bob": "builder-8"}
SALT = b"0123456789abcdef"


def _give_terms(asked: Asked) -> dict[str, Any]:
    named = ("epsilon", "rho", "key_delta")
    terms: dict[str, Any] = {name: float(value) for name in named if (value := getattr(asked, name)) is not None}
    limits = ("max_rows", "max_groups", "max_rows_per_group")
    terms |= {name: value for name in limits if (value := getattr(asked, name)) is not None}
    return {**terms, **{name: getattr(asked, name) for name in ("within", "params", "clamping", "left_out")}}


@dataclass
class TestVisit:
    """A visit that notes what was asked and what was only described."""

    __test__ = False
    session: Session
    asked: list[Asked] = field(default_factory=list)
    described: list[Asked] = field(default_factory=list)
    hold: threading.Event | None = None
    """Where it is set, asking waits for it."""
    closed: bool = False

    @property
    def analyst(self) -> str:
        assert self.session.analyst is not None
        return self.session.analyst

    async def describe(self, asked: Asked) -> Described:
        self.described.append(asked)
        return await asyncio.to_thread(self._describe, asked)

    def _describe(self, asked: Asked) -> Described:
        prepared = self.session.prepare(asked.sql, **_give_terms(asked))
        return Described(prepared.fields, str(prepared.explain()))

    async def ask(self, asked: Asked) -> Delivered:
        self.asked.append(asked)
        return await asyncio.to_thread(self._ask, asked)

    def _ask(self, asked: Asked) -> Delivered:
        if self.hold is not None:
            self.hold.wait(30)
        answer = self.session.ask(asked.sql, fresh=asked.fresh, **_give_terms(asked))
        bounds = answer.bounds_at(asked.confidence, asked.simultaneous)
        told = (answer.guarantee, answer.notes, answer.question, answer.receipt.to_dict())
        counted = answer.left_out
        left = None if counted is None else (counted.words, counted.value, counted.half_width(asked.confidence))
        return Delivered(answer.fields, answer.rows, bounds, *told, left_out=left)

    async def list_tables(self) -> Tables:
        return self.session.tables

    def close(self) -> None:
        self.closed = True


@dataclass
class TestDoor:
    """A door that admits whoever proves a known password, and notes every login."""

    __test__ = False
    curator: Curator
    visits: list[TestVisit] = field(default_factory=list)
    logins: list[tuple[str, bool]] = field(default_factory=list)
    hold: threading.Event | None = None

    async def find_verifier(self, name: str) -> ScramVerifier:
        return ScramVerifier.derive(PASSWORDS.get(name, "\0nobody"), SALT)

    async def admit(self, name: str, proof_ok: bool, where: str) -> TestVisit:
        self.logins.append((name, proof_ok))
        if not proof_ok or name not in PASSWORDS:
            raise DiscreetError("nobody of that name may come in")
        visit = TestVisit(self.curator.session(name), hold=self.hold)
        self.visits.append(visit)
        return visit

    @property
    def charges(self) -> int:
        """How many questions were asked by all."""
        return sum(len(visit.asked) for visit in self.visits)


def make_certificate(folder: Path) -> tuple[str, str]:
    """Return the files of a new certificate for localhost and of its key."""
    certificate, key = str(folder / "server.crt"), str(folder / "server.key")
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


@dataclass
class RunningWire:
    """A server in a thread of its own."""

    door: TestDoor
    server: WireServer
    loop: asyncio.AbstractEventLoop
    port: int
    certificate: str
    host: str = "127.0.0.1"

    def dsn(self, user: str = "alice", **more: str) -> str:
        """Return how libpq's clients connect: over TLS, with the certificate checked."""
        words = {"host": "localhost", "hostaddr": self.host, "port": str(self.port), "user": user, "dbname": "discreet"}
        words |= {"password": PASSWORDS.get(user, "?"), "sslmode": "verify-full", "sslrootcert": self.certificate}
        return " ".join(f"{name}='{value}'" for name, value in (words | more).items())


@contextmanager
def run_wire(
    curator: Curator, folder: Path, limits: WireLimits | None = None, *, host: str = "127.0.0.1", tls: bool = True
) -> Iterator[RunningWire]:
    """Run a server over a curator for as long as the block lasts."""
    certificate, key = make_certificate(folder)
    door, loop = TestDoor(curator), asyncio.new_event_loop()
    server = WireServer(door, WireTls.load(certificate, key) if tls else None, limits)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(host, 0), loop).result(10)
    try:
        yield RunningWire(door, server, loop, server.port, certificate, "127.0.0.1" if host == "0.0.0.0" else host)
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
