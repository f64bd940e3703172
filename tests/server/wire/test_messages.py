"""Messages of clients: strict lengths, and fields that never reach past the end."""

from __future__ import annotations

import asyncio
import struct

import pytest

from discreet.server.wire.errors import WireError
from discreet.server.wire.messages import MessageBody, read_message, read_startup


def feed(content: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(content)
    reader.feed_eof()
    return reader


def read(content: bytes, most: int = 100) -> tuple[int, bytes] | None:
    async def run() -> tuple[int, bytes] | None:
        return await read_message(feed(content), most)

    return asyncio.run(run())


def test_a_message_is_read_with_its_length() -> None:
    assert read(b"Q\0\0\0\6ab") == (ord("Q"), b"ab")
    assert read(b"S\0\0\0\4rest") == (ord("S"), b"")
    assert read(b"") is None


@pytest.mark.parametrize(
    "content",
    [
        b"Q",
        b"Q\0\0\0",
        b"Q\0\0\0\6a",
        b"Q\0\0\0\3",
        b"Q\xff\xff\xff\xff",
        b"Q\0\0\1\0" + b"x" * 300,
        b"\0\0\0\0\4",
        b"G\0\0\0\4",
    ],
)
def test_messages_that_are_cut_too_long_or_unknown_end_the_connection(content: bytes) -> None:
    with pytest.raises(WireError) as refused:
        read(content)
    assert refused.value.fatal
    assert refused.value.code == "08P01"


def test_a_startup_packet_is_under_a_limit_before_it_is_read() -> None:
    async def run(content: bytes) -> bytes | None:
        return await read_startup(feed(content), 16)

    assert asyncio.run(run(struct.pack("!i", 8) + b"abcd")) == b"abcd"
    assert asyncio.run(run(b"")) is None
    with pytest.raises(WireError):
        asyncio.run(run(struct.pack("!i", 17) + b"x" * 13))


def test_fields_end_with_the_message() -> None:
    body = MessageBody(b"\0\1\0\0\0\2text\0\0\0\0\1z\xff\xff\xff\xff")
    assert (body.int16(), body.int32(), body.text(), body.value(), body.value()) == (1, 2, "text", b"z", None)
    body.end()
    for wrong in (b"\0\0\0\5abc", b"\xff\xff\xff\xfeabc"):
        with pytest.raises(WireError):
            MessageBody(wrong).value()
    with pytest.raises(WireError):
        MessageBody(b"no end").text()
    with pytest.raises(WireError):
        MessageBody(b"\xff\xff").count()
    with pytest.raises(WireError):
        MessageBody(b"x").end()
    with pytest.raises(WireError, match="UTF-8"):
        MessageBody(b"\xff\0").text()
