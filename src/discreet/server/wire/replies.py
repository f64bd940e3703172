"""Messages to clients, as bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from discreet.server.wire.errors import WireError


def frame(kind: bytes, body: bytes = b"") -> bytes:
    """Return a message of that kind.

    >>> frame(b"Z", b"I")
    b'Z\\x00\\x00\\x00\\x05I'
    """
    return kind + struct.pack("!i", len(body) + 4) + body


def write_text(text: str) -> bytes:
    """Return a text with the zero byte that ends it; one inside would end it early and is left out."""
    return text.replace("\0", "").encode("utf-8", "replace") + b"\0"


PARSED, BOUND, CLOSED = frame(b"1"), frame(b"2"), frame(b"3")
NO_DATA, EMPTY, SUSPENDED, COPY_DONE = frame(b"n"), frame(b"I"), frame(b"s"), frame(b"c")
LOGGED_IN = frame(b"R", struct.pack("!i", 0))


def ask_for_scram(mechanisms: Sequence[str]) -> bytes:
    """Return AuthenticationSASL with the mechanisms on offer."""
    return frame(b"R", struct.pack("!i", 10) + b"".join(map(write_text, mechanisms)) + b"\0")


def go_on_with_scram(text: bytes) -> bytes:
    """Return AuthenticationSASLContinue."""
    return frame(b"R", struct.pack("!i", 11) + text)


def end_scram(text: bytes) -> bytes:
    """Return AuthenticationSASLFinal."""
    return frame(b"R", struct.pack("!i", 12) + text)


def report_setting(name: str, value: str) -> bytes:
    """Return ParameterStatus."""
    return frame(b"S", write_text(name) + write_text(value))


def give_cancel_key(process: int, key: bytes) -> bytes:
    """Return BackendKeyData."""
    return frame(b"K", struct.pack("!I", process) + key)


def negotiate_version(minor: int, unknown: Sequence[str]) -> bytes:
    """Return NegotiateProtocolVersion: the newest version spoken here, and options that are not known."""
    return frame(b"v", struct.pack("!ii", (3 << 16) | minor, len(unknown)) + b"".join(map(write_text, unknown)))


def be_ready(status: bytes) -> bytes:
    """Return ReadyForQuery: I outside of a transaction, T inside, E in one that failed."""
    return frame(b"Z", status)


def complete(tag: str) -> bytes:
    """Return CommandComplete."""
    return frame(b"C", write_text(tag))


def describe_parameters(oids: Sequence[int]) -> bytes:
    """Return ParameterDescription."""
    return frame(b"t", struct.pack("!H", len(oids)) + b"".join(struct.pack("!I", oid) for oid in oids))


def describe_rows(columns: Iterable[tuple[str, int, int]], formats: Sequence[int]) -> bytes:
    """Return RowDescription of columns with their name, OID and size, each in its format."""
    parts = [
        write_text(name) + struct.pack("!IHIhih", 0, 0, oid, size, -1, form)
        for (name, oid, size), form in zip(columns, formats, strict=True)
    ]
    return frame(b"T", struct.pack("!H", len(parts)) + b"".join(parts))


def send_row(values: Sequence[bytes | None]) -> bytes:
    """Return DataRow."""
    parts = [b"\xff\xff\xff\xff" if value is None else struct.pack("!i", len(value)) + value for value in values]
    return frame(b"D", struct.pack("!H", len(parts)) + b"".join(parts))


def begin_copy(columns: int, binary: bool) -> bytes:
    """Return CopyOutResponse."""
    return frame(b"H", struct.pack("!bH", binary, columns) + struct.pack("!h", binary) * columns)


def send_copy(content: bytes) -> bytes:
    """Return CopyData."""
    return frame(b"d", content)


def complain(error: WireError) -> bytes:
    """Return ErrorResponse."""
    return frame(b"E", _write_parts(error.parts))


def remark(message: str, code: str = "00000", severity: str = "NOTICE") -> bytes:
    """Return NoticeResponse."""
    return frame(b"N", _write_parts((("S", severity), ("V", severity), ("C", code), ("M", message))))


def _write_parts(parts: Iterable[tuple[str, str]]) -> bytes:
    return b"".join(key.encode() + write_text(text) for key, text in parts) + b"\0"
