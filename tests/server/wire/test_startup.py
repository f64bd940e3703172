"""First packets: whose they are, where from, and keys that nobody guesses."""

from __future__ import annotations

import struct

import pytest

from discreet.server.wire.errors import WireError
from discreet.server.wire.startup import CancelKeys, is_local, read_options, read_parameters


def pack(version: int, *words: bytes) -> bytes:
    return struct.pack("!i", version) + b"".join(word + b"\0" for word in words) + b"\0"


def test_parameters_are_read() -> None:
    found = read_parameters(pack(3 << 16, b"user", b"alice", b"database", b"d", b"options", b"-c x.y=1"))
    assert (found.user, found.minor, found.negotiates) == ("alice", 0, False)
    assert found.parameters == {"database": "d", "options": "-c x.y=1"}
    newer = read_parameters(pack((3 << 16) | 7, b"user", b"alice", b"_pq_.z", b"1"))
    assert (newer.minor, newer.unknown, newer.negotiates) == (2, ("_pq_.z",), True)


@pytest.mark.parametrize(
    "body",
    [
        pack(2 << 16, b"user", b"alice"),
        pack(3 << 16, b"database", b"d"),
        pack(3 << 16, b"user", b"alice", b"user", b"bob"),
        pack(3 << 16, b"user", b"alice", b"replication", b"true"),
        pack(3 << 16, b"user", b"alice") + b"more",
        b"\0\3\0\0user",
    ],
)
def test_packets_that_are_wrong_are_refused(body: bytes) -> None:
    with pytest.raises(WireError):
        read_parameters(body)


def test_options_are_settings_and_nothing_else() -> None:
    assert read_options("-cdiscreet.epsilon=0.1 -c a.b=1\\ 2 --c-d.e=f") == {
        "discreet.epsilon": "0.1",
        "a.b": "1 2",
        "c_d.e": "f",
    }
    assert read_options("  ") == {}
    for wrong in ("-c", "-c x", "-d 5", "x=y", "--x"):
        with pytest.raises(WireError):
            read_options(wrong)


@pytest.mark.parametrize(
    ("peer", "local"),
    [
        (("127.0.0.1", 5), True),
        (("127.9.9.9", 5), True),
        (("::1", 5, 0, 0), True),
        (("::ffff:127.0.0.1", 5, 0, 0), True),
        ("", True),
        (("192.168.0.7", 5), False),
        (("10.0.0.1", 5), False),
        (("::ffff:10.0.0.1", 5, 0, 0), False),
        (("fe80::1%eth0", 5, 0, 0), False),
        (("0.0.0.0", 5), False),
        (("localhost", 5), False),
        (None, False),
        ((), False),
    ],
)
def test_only_this_computer_is_local(peer: object, local: bool) -> None:
    assert is_local(peer) is local


def test_a_cancel_request_stops_what_its_key_means_and_nothing_else() -> None:
    keys, stopped = CancelKeys(), []
    first = keys.issue(0, lambda: stopped.append("first"))
    second = keys.issue(2, lambda: stopped.append("second"))

    def obey(process: int, key: bytes) -> bool:
        return keys.obey(struct.pack("!II", 80877102, process) + key)

    assert not obey(first[0], second[1])
    assert not obey(first[0], b"")
    assert not obey(first[0] ^ 1, first[1])
    assert not obey(0, b"\0\0\0\0")
    assert obey(*second)
    assert stopped == ["second"]
    keys.forget(second[0])
    assert not obey(*second)
    with pytest.raises(WireError):
        keys.obey(b"\4\xd2\x16\x2e\0")


def test_keys_and_numbers_are_drawn_apart() -> None:
    keys = CancelKeys()
    drawn = [keys.issue(0, lambda: None) for _ in range(200)]
    assert len({process for process, _ in drawn}) == 200
    assert max(process for process, _ in drawn) > 1 << 24
    assert not any(process.to_bytes(4, "big") == key for process, key in drawn)
    assert len({key for _, key in drawn}) == 200
    assert len(keys.issue(2, lambda: None)[1]) == 32
