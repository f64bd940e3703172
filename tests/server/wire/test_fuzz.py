"""Messages that were bent at random: the server lives, refuses and logs, and nothing is charged for what is broken."""

from __future__ import annotations

import logging
import random
import socket
import struct
from contextlib import suppress

import psycopg
import pytest

from support.wire import RunningWire
from support.wire_raw import RawClient, message, query, request, startup

QUESTION = "SELECT ward, COUNT(*) AS n FROM visits WHERE age > $1 GROUP BY ward"
FIRST = [
    startup(user="alice", database="discreet"),
    request(80877103),
    request(80877104),
    request(80877102, b"12345678"),
]
LATER = [
    query("SELECT 1; SELECT * FROM pg_class; SHOW ALL"),
    query("BEGIN; DECLARE c CURSOR FOR SELECT 1; FETCH ALL FROM c; COMMIT"),
    query("COPY (SELECT 1 AS a) TO STDOUT (FORMAT csv, HEADER)"),
    query("SET discreet.intervals = on; RESET ALL"),
    query("EXPLAIN " + QUESTION.replace("$1", "3")),
    message("P", b"s\0" + QUESTION.encode() + b"\0" + struct.pack("!HI", 1, 20)),
    message("B", b"p\0s\0" + struct.pack("!HHHi", 1, 0, 1, 2) + b"30" + struct.pack("!HH", 1, 1)),
    message("D", b"Ss\0"),
    message("D", b"Pp\0"),
    message("E", b"p\0" + struct.pack("!i", 2)),
    message("C", b"Ss\0"),
    message("H"),
    message("S"),
    message("p", b"SCRAM-SHA-256\0" + struct.pack("!i", 5) + b"n,,n="),
]


def bend(content: bytes, chance: random.Random) -> bytes:
    """Return some bytes with a few of them changed, cut, doubled or inserted; lengths are right half of the time."""
    bent = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(bent) + 1)
        match chance.randrange(5):
            case 0:
                bent[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del bent[place : place + chance.randint(1, 8)]
            case 2:
                bent[place:place] = chance.randbytes(chance.randint(1, 8))
            case 3:
                bent[place:place] = bent[place : place + chance.randint(1, 40)]
            case 4:
                bent[place : place + 4] = struct.pack("!i", chance.choice([-1, 0, 3, 4, 1 << 20, (1 << 31) - 1]))
        if not bent:
            bent = bytearray(b"\0")
    if len(bent) > 5 and chance.random() < 0.5 and content[:1].isalpha():
        bent[1:5] = struct.pack("!i", len(bent) - 1)
    return bytes(bent)


def drain(client: RawClient) -> None:
    """Read what the server has to say, for a moment."""
    client.socket.settimeout(0.002)
    with suppress(OSError):
        while client.socket.recv(65_536):
            pass
    client.socket.settimeout(20)


def bombard(wire: RunningWire, count: int, seed: int) -> None:
    """Send so many bent messages, before logins and after."""
    chance = random.Random(seed)
    sent = 0
    while sent < count:
        with RawClient(wire) as client, suppress(OSError, AssertionError, KeyError, ValueError):
            if chance.random() < 0.3:
                for _ in range(chance.randint(1, 3)):
                    client.send(bend(chance.choice(FIRST), chance))
                    sent += 1
                client.socket.shutdown(socket.SHUT_WR)
                drain(client)
                continue
            client.log_in()
            for _ in range(chance.randint(5, 40)):
                sent += 1
                client.send(bend(chance.choice(LATER), chance))
            client.send(message("S"))
            drain(client)


def check_alive(wire: RunningWire, caplog: pytest.LogCaptureFixture) -> None:
    with psycopg.connect(wire.dsn()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert wire.door.charges == 0
    broken = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() + str(record.exc_info) for record in broken] == []
    assert any(record.name == "discreet.server.wire" for record in caplog.records)


def test_the_server_outlives_bent_messages(own_wire: RunningWire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "discreet.server.wire")
    bombard(own_wire, 600, 7)
    check_alive(own_wire, caplog)


def test_what_is_no_tls_after_the_request_for_it_is_no_failure_of_the_server(
    own_wire: RunningWire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "discreet.server.wire")
    with socket.create_connection((own_wire.host, own_wire.port), timeout=10) as client:
        client.sendall(struct.pack("!II", 8, 80877103))
        assert client.recv(1) == b"S"
        client.sendall(b"Q" * 400)
        while client.recv(1_000):
            pass
    check_alive(own_wire, caplog)


@pytest.mark.long
def test_the_server_outlives_ten_thousand_bent_messages(
    own_wire: RunningWire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "discreet.server.wire")
    bombard(own_wire, 10_000, random.SystemRandom().randrange(1 << 30))
    check_alive(own_wire, caplog)
