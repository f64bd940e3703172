"""The listener: nothing but a login is read of strangers, in the open only from this computer, within limits."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from discreet.base.errors import DiscreetError
from discreet.curator.owner.tables import Tables
from discreet.server.wire import conversation
from discreet.server.wire.bench import THREADS
from discreet.server.wire.commands import Command
from discreet.server.wire.limits import WireLimits
from discreet.server.wire.reading import read_command
from discreet.server.wire.scram import hash_certificate
from support.clinic import open_clinic
from support.wire import PASSWORDS, RunningWire, run_wire
from support.wire_raw import RawClient, message, query, read_error, request, startup

SSL, GSS, CANCEL = 80877103, 80877104, 80877102


def told(replies: list[tuple[str, bytes]]) -> dict[str, str]:
    """Return the error among some replies."""
    (found,) = [read_error(body) for kind, body in replies if kind == "E"]
    return found


def test_a_login_over_tls_is_bound_to_the_certificate(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(channel_binding="require")) as connection:
        row = connection.execute("SELECT current_user").fetchone()
        assert row == ("alice",)


def test_a_login_bound_to_another_certificate_is_refused(wire: RunningWire) -> None:
    with RawClient(wire) as client:
        client.encrypt()
        header = b"p=tls-server-end-point,,"
        replies = client.log_in(mechanism="SCRAM-SHA-256-PLUS", header=header, bound=header + b"\0" * 32)
        assert told(replies)["C"] == "28P01"
    assert wire.door.logins[-1] == ("alice", False)


def test_a_client_that_was_told_that_binding_is_not_offered_is_refused(wire: RunningWire) -> None:
    with RawClient(wire) as client:
        client.encrypt()
        assert told(client.log_in(header=b"y,,"))["C"] == "28000"


@pytest.mark.parametrize(
    ("user", "password"), [("alice", "wrong"), ("nobody", "wrong"), ("alice", PASSWORDS["bob"]), ("bob", "\0nobody")]
)
def test_wrong_passwords_and_unknown_names_are_told_the_same(wire: RunningWire, user: str, password: str) -> None:
    with RawClient(wire) as client:
        error = told(client.log_in(user, password))
        assert (error["C"], error["M"]) == ("28P01", "password authentication failed")
        assert "the password the token" in error["H"]
        assert client.read() == ("", b"")
    assert wire.door.logins[-1] == (user, False)


@pytest.mark.parametrize("proof", [b"", b"\0" * 32, b"\0" * 31, b"\0" * 64])
def test_a_proof_that_proves_nothing_is_refused(wire: RunningWire, proof: bytes) -> None:
    before = len(wire.door.logins)
    with RawClient(wire) as client:
        assert told(client.log_in(proof=proof))["S"] == "FATAL"
    assert not any(admitted for _, admitted in wire.door.logins[before:])


def test_a_door_that_admits_without_a_proof_does_not_let_anybody_in(own_wire: RunningWire) -> None:
    own_wire.door.admit = _admit_all(own_wire)  # type: ignore[method-assign]
    with RawClient(own_wire) as client:
        assert told(client.log_in("alice", "wrong"))["C"] == "28P01"


def _admit_all(wire: RunningWire):  # type: ignore[no-untyped-def]
    admit = wire.door.admit

    async def always(name: str, proof_ok: bool, where: str):  # type: ignore[no-untyped-def]
        return await admit(name, True, where)

    return always


def test_gssapi_is_refused_and_plaintext_goes_on_from_this_computer(wire: RunningWire) -> None:
    with RawClient(wire) as client:
        client.send(request(GSS))
        assert client.take(1) == b"N"
        assert client.log_in()[-1] == ("Z", b"I")


def test_bytes_that_come_in_the_open_before_tls_are_refused(wire: RunningWire) -> None:
    with RawClient(wire) as client:
        client.send(request(SSL), startup(user="alice"))
        replies = client.take(1_000)
        assert replies[:1] != b"S"
        assert b"08P01" in replies


def find_other_address() -> str | None:
    """Return an address of this computer that is not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if address.startswith("127.") else address


@pytest.mark.parametrize("tls", [True, False])
def test_plaintext_from_elsewhere_is_refused(tmp_path: Path, tls: bool) -> None:
    address = find_other_address()
    if address is None:
        pytest.skip("this computer has no address but loopback")
    with (
        closing(open_clinic(tmp_path / "clinic", analysts=True, analyst="alice")) as curator,
        run_wire(curator, tmp_path, host="0.0.0.0", tls=tls) as wire,
    ):
        with RawClient(wire, address) as client:
            error = told(client.log_in())
            assert (error["C"], error["M"]) == ("28000", "connections from elsewhere need TLS")
        assert wire.door.logins == []
        if tls:
            with psycopg.connect(wire.dsn(hostaddr=address)) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)


def test_unknown_versions_and_options_are_negotiated(wire: RunningWire) -> None:
    with RawClient(wire) as client:
        replies = client.log_in(version=(3 << 16) | 9, more={"_pq_.future": "1"})
        assert replies[-1] == ("Z", b"I")
        assert len(client.key) == 4 + 32
    with RawClient(wire) as client:
        client.send(startup((3 << 16) | 9, user="alice", more={"_pq_.future": "1"}))
        kind, body = client.read()
        assert (kind, body) == ("v", struct.pack("!ii", (3 << 16) | 2, 1) + b"_pq_.future\0")
    with RawClient(wire) as client:
        client.send(startup(2 << 16, user="alice"))
        assert told([client.read()])["C"] == "0A000"


@pytest.mark.many
@pytest.mark.parametrize(
    "content",
    [
        b"\0\0\0\3",
        b"\x7f\xff\xff\xff",
        b"\xff\xff\xff\xff",
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("!ii", 9, 3 << 16) + b"x",
        startup(user="alice")[:-1] + b"x\0y\0\0\0",
        startup(user="alice", options="--nothing"),
        startup(user=""),
        startup(user="alice", replication="database"),
        startup(user="alice", client_encoding="LATIN1"),
        startup(user="alice", more={"discreet.epsilon": "-1"}),
        startup(user="alice", more={"x" * 3_000: "y" * 6_000}),
        request(SSL, b"x"),
        request(SSL) + request(GSS),
    ],
)
def test_first_packets_that_are_wrong_end_the_connection(wire: RunningWire, content: bytes) -> None:
    before = len(wire.door.logins)
    with RawClient(wire) as client:
        client.send(content)
        client.socket.shutdown(socket.SHUT_WR)
        rest = client.take(10_000)
        assert b"R\0\0\0" not in rest[:1]
    assert len(wire.door.logins) == before
    with psycopg.connect(wire.dsn()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("sent", [b"", b"\0", startup(user="alice"), request(SSL)])
def test_a_login_that_takes_too_long_ends(tmp_path: Path, sent: bytes) -> None:
    with (
        closing(open_clinic(tmp_path / "clinic", analysts=True, analyst="alice")) as curator,
        run_wire(curator, tmp_path, WireLimits(login_seconds=0.3)) as wire,
        RawClient(wire) as client,
    ):
        began = time.monotonic()
        client.send(sent)
        while client.take(1):
            pass
        assert time.monotonic() - began < 5


def test_messages_of_a_login_are_short(wire: RunningWire) -> None:
    with RawClient(wire) as client:
        client.send(startup(user="alice"))
        client.read()
        client.send(b"p", struct.pack("!i", 1 << 20))
        assert told([client.read()])["C"] == "08P01"


def test_silent_sockets_make_room_for_those_who_come_later(tmp_path: Path) -> None:
    with (
        closing(open_clinic(tmp_path / "clinic", analysts=True, analyst="alice")) as curator,
        run_wire(curator, tmp_path, WireLimits(waiting=5)) as wire,
    ):
        silent = [RawClient(wire) for _ in range(20)]
        with psycopg.connect(wire.dsn()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        for client in silent:
            client.socket.close()


def test_long_statements_of_one_analyst_keep_nobody_else_waiting(
    own_wire: RunningWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not though their clients have left, and not though more are sent than there are threads."""
    going_on, ended = threading.Event(), threading.Event()

    def read_slowly(text: str, tables: Tables) -> Command:
        if "slow" in text:
            going_on.wait(20)
            ended.set()
        return read_command(text, tables)

    monkeypatch.setattr(conversation, "read_command", read_slowly)
    try:
        for _ in range(THREADS + 2):
            with RawClient(own_wire) as client:
                client.log_in()
                client.send(query("SELECT 'slow'"))
        with psycopg.connect(own_wire.dsn("bob", connect_timeout="5")) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert not ended.is_set()
    finally:
        going_on.set()


def test_too_many_logins_are_refused(tmp_path: Path) -> None:
    with (
        closing(open_clinic(tmp_path / "clinic", analysts=True, analyst="alice")) as curator,
        run_wire(curator, tmp_path, WireLimits(connections=1)) as wire,
        psycopg.connect(wire.dsn()),
        pytest.raises(psycopg.OperationalError, match="too many clients"),
    ):
        psycopg.connect(wire.dsn())


def test_a_cancel_request_with_the_right_key_stops_a_question_that_goes_on(own_wire: RunningWire) -> None:
    own_wire.door.hold = threading.Event()
    with RawClient(own_wire) as client:
        client.log_in(more={"discreet.epsilon": "0.1"})
        client.send(query("SELECT COUNT(*) AS n FROM visits"))
        while not own_wire.door.charges:
            time.sleep(0.01)
        for wrong in (client.key[:-1] + bytes([client.key[-1] ^ 1]), b"\0" * 8, client.key[:4], client.key + b"x"):
            with RawClient(own_wire) as other:
                other.send(request(CANCEL, wrong))
                assert other.take(1) == b""
        client.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.socket.recv(1)
        client.socket.settimeout(20)
        with RawClient(own_wire) as other:
            other.send(request(CANCEL, client.key))
            assert other.take(1) == b""
        error = told(client.read_until())
        assert error["C"] == "57014"
        assert "asking again finds it" in error["H"]
        own_wire.door.hold.set()
        assert client.ask(query("SELECT 1")) == "TDCZ"


def test_cancel_keys_are_new_and_long(wire: RunningWire) -> None:
    keys = set()
    for _ in range(20):
        with RawClient(wire) as client:
            client.log_in()
            keys.add(client.key)
    assert len({key[:4] for key in keys}) == len({key[4:] for key in keys}) == 20
    assert len({byte for key in keys for byte in key}) > 60


def test_a_statement_timeout_stops_a_question(own_wire: RunningWire) -> None:
    own_wire.door.hold = threading.Event()
    with psycopg.connect(own_wire.dsn(options="-c discreet.epsilon=0.1"), autocommit=True) as connection:
        connection.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT COUNT(*) FROM visits")
        own_wire.door.hold.set()
        connection.execute("SET statement_timeout = 0")
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_refusal_of_the_door_is_told_to_whoever_proved_their_password(own_wire: RunningWire) -> None:
    async def refuse(name: str, proof_ok: bool, where: str) -> None:
        raise DiscreetError("this token has expired; ask the owner for a new one")

    own_wire.door.admit = refuse  # type: ignore[assignment]
    with RawClient(own_wire) as client:
        error = told(client.log_in())
        assert (error["C"], error["S"]) == ("28000", "FATAL")
        assert "expired" in error["M"]
    with RawClient(own_wire) as client:
        assert "expired" not in told(client.log_in("alice", "wrong"))["M"]


def test_long_values_pass_and_too_long_messages_end_the_connection(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        row = connection.execute("SELECT length(%s::text)", ("é" * 450_000,)).fetchone()
        assert row == (450_000,)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT length(%s::text)", ("x" * 2_000_000,))


def test_a_client_that_leaves_ends_its_visit(own_wire: RunningWire) -> None:
    with RawClient(own_wire) as client:
        client.log_in()
        client.send(message("X"))
        assert client.read() == ("", b"")
    while not own_wire.door.visits[0].closed:
        time.sleep(0.01)


def test_unexpected_errors_are_told_in_one_word(own_wire: RunningWire, caplog: pytest.LogCaptureFixture) -> None:
    with RawClient(own_wire) as client:
        client.log_in(more={"discreet.epsilon": "0.1"})
        own_wire.door.visits[0].session = None  # type: ignore[assignment]
        client.send(query("SELECT COUNT(*) FROM visits"))
        error = told(client.read_until())
        assert error["C"] == "XX000"
        assert "NoneType" not in str(error)
    assert "NoneType" in caplog.text


def test_certificates_are_hashed_as_they_are_signed() -> None:
    assert hash_certificate(b"") is None
    assert hash_certificate(b"\x30\x03\x02\x01\x01") is None
