"""The protocol after the login: simple and extended, with portals, mistakes and limits."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from support.wire import RunningWire
from support.wire_raw import RawClient, message, query, read_error

SYNC, FLUSH = message("S"), message("H")
COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward"


def parse(text: str, name: str = "", *types: int) -> bytes:
    listed = struct.pack("!H", len(types)) + b"".join(struct.pack("!I", each) for each in types)
    return message("P", name.encode() + b"\0" + text.encode() + b"\0" + listed)


def bind(
    *values: bytes | None, portal: str = "", name: str = "", formats: bytes = b"\0\0", results: bytes = b"\0\0"
) -> bytes:
    content = struct.pack("!H", len(values))
    for value in values:
        content += struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value
    return message("B", portal.encode() + b"\0" + name.encode() + b"\0" + formats + content + results)


def describe(kind: str, name: str = "") -> bytes:
    return message("D", kind.encode() + name.encode() + b"\0")


def execute(most: int = 0, portal: str = "") -> bytes:
    return message("E", portal.encode() + b"\0" + struct.pack("!i", most))


def close(kind: str, name: str = "") -> bytes:
    return message("C", kind.encode() + name.encode() + b"\0")


@pytest.fixture
def client(wire: RunningWire) -> Iterator[RawClient]:
    with RawClient(wire) as found:
        found.log_in(more={"discreet.epsilon": "0.05", "client_min_messages": "warning"})
        yield found


def asked(wire: RunningWire) -> int:
    return wire.door.charges


def error(client: RawClient, *content: bytes) -> dict[str, str]:
    client.send(*content)
    (found,) = [read_error(body) for kind, body in client.read_until() if kind == "E"]
    return found


def test_only_execute_asks(wire: RunningWire, client: RawClient) -> None:
    before = asked(wire)
    assert client.ask(parse(COUNT, "q"), SYNC) == "1Z"
    assert client.ask(describe("S", "q"), SYNC) == "tTZ"
    assert client.ask(bind(name="q"), describe("P"), SYNC) == "2TZ"
    assert client.ask(query("SELECT * FROM pg_class"))[-1] == "Z"
    assert client.ask(query("EXPLAIN " + COUNT))[-1] == "Z"
    assert asked(wire) == before
    assert client.ask(bind(name="q"), execute(), SYNC) == "2DDDCZ"
    assert asked(wire) == before + 1


def test_a_portal_gives_its_rows_in_parts_and_asks_once(wire: RunningWire, client: RawClient) -> None:
    before = asked(wire)
    assert client.ask(query("BEGIN")) == "CZ"
    parts = [parse(COUNT), bind(portal="p"), execute(2, "p"), execute(2, "p"), execute(2, "p"), SYNC]
    assert client.ask(*parts) == "12DDsDCCZ"
    assert client.ask(close("P", "p"), query("COMMIT")) == "3CZ"
    assert asked(wire) == before + 1


def test_portals_end_with_their_transaction(client: RawClient) -> None:
    client.ask(parse(COUNT, "q"), bind(portal="p", name="q"), SYNC)
    assert error(client, execute(0, "p"), SYNC)["C"] == "34000"


def test_binary_values_go_both_ways(client: RawClient) -> None:
    text = "SELECT $1::bigint AS a, $2::boolean AS b, $3::double AS c, $4::varchar AS d, $5::date AS e"
    values = [struct.pack("!q", -7), b"\1", struct.pack("!d", 0.5), "é".encode(), struct.pack("!i", 9_000)]
    binary = struct.pack("!HH", 1, 1)
    client.send(parse(text), bind(*values, formats=binary, results=binary), execute(), SYNC)
    (row,) = [body for kind, body in client.read_until() if kind == "D"]
    found = []
    at = 2
    while at < len(row):
        size = struct.unpack("!i", row[at : at + 4])[0]
        found.append(row[at + 4 : at + 4 + size])
        at += 4 + size
    assert found == values


def test_types_of_parameters_come_from_the_columns_beside_them(client: RawClient) -> None:
    text = "SELECT COUNT(*) AS n FROM visits WHERE age > $1 AND ward = $2 AND day < $3 AND cost BETWEEN $4 AND 5"
    client.send(parse(text), describe("S"), SYNC)
    (body,) = [body for kind, body in client.read_until() if kind == "t"]
    assert struct.unpack("!HIIII", body) == (4, 20, 25, 1082, 701)


def test_a_mistake_is_followed_by_silence_up_to_the_next_sync(wire: RunningWire, client: RawClient) -> None:
    before = asked(wire)
    assert client.ask(parse("SELECT nothing FROM"), bind(), execute(), parse(COUNT), execute(), SYNC) == "EZ"
    assert asked(wire) == before
    assert client.ask(SYNC) == "Z"


def test_a_simple_query_has_many_statements_and_stops_at_a_mistake(wire: RunningWire, client: RawClient) -> None:
    before = asked(wire)
    assert client.ask(query("SELECT 1; SELECT 2; ; INSERT INTO visits VALUES (1);" + COUNT)) == "TDCTDCEZ"
    assert asked(wire) == before
    assert client.ask(query("")) == "IZ"
    assert client.ask(query("  -- nothing\n")) == "IZ"


@pytest.mark.many
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (parse("SELECT 1; SELECT 2"), "42601"),
        (bind(name="missing"), "26000"),
        (execute(0, "missing"), "34000"),
        (describe("S", "missing"), "26000"),
        (describe("X"), "08P01"),
        (close("X"), "08P01"),
        (parse("SELECT $1::bigint") + bind(), "08P01"),
        (parse("SELECT $1::bigint") + bind(b"seven"), "22P02"),
        (parse("SELECT $1::bigint") + bind(b"\0", formats=struct.pack("!HH", 1, 1)), "22P03"),
        (parse("SELECT 1") + bind(formats=struct.pack("!HH", 1, 7), results=struct.pack("!HH", 1, 9)), "08P01"),
        (parse("SELECT 1", "twice") + parse("SELECT 1", "twice"), "42P05"),
        (message("P", b"name without end"), "08P01"),
        (message("B", b"\0\0\xff\xff"), "08P01"),
        (message("E", b"\0"), "08P01"),
        (message("H", b"more"), "08P01"),
        (message("F", b"\0\0\0\1"), "0A000"),
        (parse("SELECT '\\"), "42601"),
        (message("P", b"\0\xff\xfe\0\0\0"), "22021"),
    ],
)
def test_mistakes_are_told_and_the_connection_lives(client: RawClient, content: bytes, code: str) -> None:
    assert error(client, content, SYNC)["C"] == code
    assert client.ask(query("SELECT 1")) == "TDCZ"


@pytest.mark.parametrize(
    "content", [b"?\0\0\0\4", b"Q\0\0\0\3", b"Q\x7f\xff\xff\xff", b"Q\xff\xff\xff\xff", message("p", b"x")]
)
def test_messages_that_break_the_protocol_end_the_connection(client: RawClient, content: bytes) -> None:
    client.send(content)
    replies = client.read_until()
    assert replies[-1] == ("", b"")


def test_prepared_statements_are_limited(client: RawClient) -> None:
    replies = client.ask(*(parse("SELECT 1", f"s{place}") for place in range(501)), SYNC)
    assert replies == "1" * 500 + "EZ"
    assert client.ask(query("DEALLOCATE ALL"), parse("SELECT 1", "s"), SYNC) == "CZ"
    client.read_until()


def test_copy_works_in_both_protocols(client: RawClient) -> None:
    copy = f"COPY ({COUNT}) TO STDOUT"
    assert client.ask(query(copy)) == "HdddcCZ"
    assert client.ask(parse(copy), describe("S"), bind(), describe("P"), execute(), SYNC) == "1tn2nHdddcCZ"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("COPY visits TO STDOUT", "0A000"),
        (f"COPY ({COUNT}) TO '/tmp/file'", "0A000"),
        (f"COPY ({COUNT}) TO PROGRAM 'cat'", "0A000"),
        ("COPY visits FROM STDIN", "0A000"),
        ("COPY (SELECT * FROM visits) TO STDOUT", "0A000"),
        (f"COPY ({COUNT}) TO STDOUT (FORMAT parquet)", "22023"),
        ("DO $$ BEGIN END $$", "0A000"),
        ("CREATE TABLE x (y int)", "0A000"),
        ("SET ROLE postgres", "42501"),
        ("SET SESSION AUTHORIZATION bob", "42501"),
        ("SELECT visits.age FROM visits, pg_class", "0A000"),
        ("EXPLAIN ANALYZE SELECT COUNT(*) FROM visits", "0A000"),
        ("DECLARE c CURSOR FOR SELECT 1", "25P01"),
        ("FETCH ALL FROM nothing", "34000"),
        ("SET server_version = '16'", "55P02"),
        ("SHOW nothing", "42704"),
        ("/* epsilon = 1 */ SELECT COUNT(*) FROM visits -- epsilon = 2", "22023"),
    ],
)
def test_statements_that_are_never_answered_are_refused_free(
    wire: RunningWire, client: RawClient, text: str, code: str
) -> None:
    before = asked(wire)
    assert error(client, query(text))["C"] == code
    assert asked(wire) == before


def test_ready_for_query_tells_the_state_of_the_transaction(client: RawClient) -> None:
    def state(text: str) -> bytes:
        client.send(query(text))
        return client.read_until()[-1][1]

    states = ["SELECT 1", "BEGIN", "SAVEPOINT a", "SELECT nothing", "SELECT 1", "ROLLBACK TO a", "SELECT 1", "COMMIT"]
    assert b"".join(map(state, states)) == b"ITTEETTI"
    assert state("START TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY") == b"T"
    assert state("SELECT nothing") == b"E"
    client.send(query("COMMIT"))
    assert ("C", b"ROLLBACK\0") in client.read_until()
