"""Messages of clients: read with strict lengths, and taken apart without ever reading past their end."""

from __future__ import annotations

import asyncio
import struct

from discreet.server.wire.errors import WireError, violate

KINDS = frozenset(b"QPBDECSHFXdcfp")
"""The messages that a client may send after its startup packet."""


async def read_startup(reader: asyncio.StreamReader, most: int) -> bytes | None:
    """Return the body of a startup packet, which has no kind; None where the client left without a word."""
    head = await _read_head(reader, 4)
    return None if head is None else await _read_body(reader, head, most)


async def read_message(reader: asyncio.StreamReader, most: int) -> tuple[int, bytes] | None:
    """Return the kind and the body of the next message; None where the client left between two messages."""
    head = await _read_head(reader, 5)
    if head is None:
        return None
    if head[0] not in KINDS:
        raise violate("a message of an unknown kind came; the connection ends", fatal=True)
    return head[0], await _read_body(reader, head[1:], most)


async def _read_head(reader: asyncio.StreamReader, size: int) -> bytes | None:
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError as cut:
        if not cut.partial:
            return None
        raise violate("the connection was cut inside of a message", fatal=True) from None


async def _read_body(reader: asyncio.StreamReader, length: bytes, most: int) -> bytes:
    (size,) = struct.unpack("!i", length)
    if not 4 <= size <= most:
        raise violate(f"a message says that it has {size} bytes; from 4 to {most} are read", fatal=True)
    try:
        return await reader.readexactly(size - 4)
    except asyncio.IncompleteReadError:
        raise violate("the connection was cut inside of a message", fatal=True) from None


class MessageBody:
    """The fields of one message, read from its beginning to its end."""

    __slots__ = ("_at", "_bytes")

    def __init__(self, content: bytes) -> None:
        self._bytes, self._at = content, 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        if size < 0 or size > len(self._bytes) - self._at:
            raise violate("a message ends inside of a field")
        self._at += size
        return self._bytes[self._at - size : self._at]

    def byte(self) -> int:
        """Return the next byte as a number."""
        return self.take(1)[0]

    def int16(self) -> int:
        """Return the next two bytes as a number with a sign."""
        return int.from_bytes(self.take(2), "big", signed=True)

    def count(self) -> int:
        """Return how many fields follow; no message has fewer bytes than fields."""
        number = int.from_bytes(self.take(2), "big")
        if number > len(self._bytes) - self._at:
            raise violate("a message announces more fields than it has bytes")
        return number

    def int32(self) -> int:
        """Return the next four bytes as a number with a sign."""
        return int.from_bytes(self.take(4), "big", signed=True)

    def uint32(self) -> int:
        """Return the next four bytes as a number."""
        return int.from_bytes(self.take(4), "big")

    def text(self) -> str:
        """Return the next text, which ends with a zero byte."""
        end = self._bytes.find(b"\0", self._at)
        if end < 0:
            raise violate("a text in a message has no end")
        found = self._bytes[self._at : end]
        self._at = end + 1
        return decode_text(found)

    def value(self) -> bytes | None:
        """Return a value with its length before it; None for NULL."""
        size = self.int32()
        return None if size == -1 else self.take(size)

    def rest(self) -> bytes:
        """Return all that is left."""
        return self.take(len(self._bytes) - self._at)

    def end(self) -> None:
        """Refuse a message that goes on."""
        if self._at != len(self._bytes):
            raise violate("a message goes on after its last field")


def decode_text(content: bytes) -> str:
    """Return the text of some bytes in UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise WireError("22021", "a text is not in UTF-8; set client_encoding to UTF8") from None
