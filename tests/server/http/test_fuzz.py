"""Bent requests: whatever is sent, the server lives, answers the next request, and charges nothing by mistake."""

from __future__ import annotations

import contextlib
import json
import random
import socket
from collections.abc import Iterator

import pytest

from discreet.curator.owner.account import open_account
from support.serving import Served, make_served_clinic, serving

VALUES: list[object] = [
    None,
    True,
    -1,
    1e308,
    "",
    "0.1",
    "\0",
    "\ud800",
    "x" * 5000,
    [[]],
    {"a": {}},
    "SELECT COUNT(*) FROM visits",
    "SELECT 1; DROP TABLE visits",
    "SELECT * FROM read_csv('/etc/passwd')",
    "((((" * 500,
    "'",
    "$x",
]
NAMES = ("sql", "epsilon", "rho", "within", "params", "keys", "confidence", "max_rows", "clamping", "key_delta", "odd")
PATHS = (
    "/v1/ask",
    "/v1/explain",
    "/v1/budget",
    "/v1/receipts/1",
    "/v1/receipts/-1",
    "/v1/../health",
    "/%00",
    "//",
    "*",
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"))) as running:
        yield running


def make_request(chance: random.Random, served: Served) -> bytes:
    """Return a request that is nearly right: a value, a header, a length or some bytes of it are bent."""
    values = {chance.choice(NAMES): chance.choice(VALUES) for _ in range(chance.randrange(6))}
    body = json.dumps(values).encode()
    method = chance.choice(["GET", "POST", "PUT", "OPTIONS", "BREW", "G\0T"])
    known = f"Bearer {served.tokens['alice']}"
    headers = {
        "Host": chance.choice(["localhost", "localhost", "evil.org", ""]),
        "Authorization": chance.choice([known, "Bearer x.y", "Basic Og==", "Bearer " + "x" * 9000]),
        "Content-Length": str(len(body) + chance.choice([0, 0, 0, 0, -1, 10**12])),
        chance.choice(["Origin", "Cookie", "Transfer-Encoding", "X-Odd"]): chance.choice(
            ["chunked", "null", "\xff", "a=b"]
        ),
    }
    head = f"{method} {chance.choice(PATHS)} HTTP/1.1\r\n" + "".join(
        f"{name}: {each}\r\n" for name, each in headers.items()
    )
    whole = bytearray(head.encode("latin-1") + b"\r\n" + body)
    for _ in range(chance.choice([0, 0, 1, 5])):
        whole[chance.randrange(len(whole))] = chance.randrange(256)
    return bytes(whole[: chance.choice([len(whole), len(whole), chance.randrange(len(whole))])])


def send(served: Served, request: bytes) -> None:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", served.port), timeout=0.5) as link:
        link.sendall(request)
        link.shutdown(socket.SHUT_WR)
        while link.recv(65536):
            pass


def bend(served: Served, count: int) -> None:
    chance = random.Random(18)
    for number in range(count):
        send(served, make_request(chance, served))
        if number % 50 == 0:
            assert served.send("GET", "/health")[0] == 200
    with served.connect("alice") as alice:
        assert alice.ask("SELECT COUNT(*) FROM visits WHERE age > 7", 0.1).rows
        asked = {each["question"] for each in alice.ledger}
    assert asked <= {"SELECT COUNT(*) FROM visits", "SELECT COUNT(*) FROM visits WHERE age > 7"}
    with open_account(served.path) as account:
        assert account.ledger.verify().ok


def test_bent_requests_leave_the_server_as_it_was(served: Served) -> None:
    bend(served, 200)


@pytest.mark.long
def test_ten_thousand_bent_requests_leave_the_server_as_it_was(served: Served) -> None:
    bend(served, 10_000)
