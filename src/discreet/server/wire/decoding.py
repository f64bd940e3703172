"""Values of parameters, as clients send them: text, or the binary form of their type."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from discreet.server.wire import oids
from discreet.server.wire.encoding import EPOCH, FIRST_DAY
from discreet.server.wire.errors import WireError, violate
from discreet.server.wire.messages import MessageBody, decode_text

MOST_DIGITS = 1_000
"""Digits of a number, on either side of the point: more is a mistake or an attack."""

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?\d{1,40}\s*", re.ASCII)
_BOOLEANS = {
    **dict.fromkeys(("t", "true", "y", "yes", "on", "1"), True),
    **dict.fromkeys(("f", "false", "n", "no", "off", "0"), False),
}
_INFINITE = {"nan": math.nan, "infinity": math.inf, "-infinity": -math.inf, "inf": math.inf, "-inf": -math.inf}


def decode_value(content: bytes | None, oid: int, binary: bool) -> object:
    """Return the Python value of a parameter; None for NULL."""
    if content is None:
        return None
    try:
        if oid in oids.ARRAYS:
            held = oids.ARRAYS[oid]
            return _read_array(content, held) if binary else read_text_array(decode_text(content), held)
        if binary and oid not in oids.TEXTS:
            return _BINARY[oid](content)
        return read_value(decode_text(content), oid)
    except KeyError:
        raise WireError(
            "0A000",
            f"parameters of the type with number {oid} are not read",
            hint="send it as text, or cast it: $1::bigint, $1::double, $1::varchar, $1::date, $1::timestamp",
        ) from None
    except (struct.error, ValueError, OverflowError, InvalidOperation):
        code = "22P03" if binary else "22P02"
        raise WireError(code, "a parameter is no value of its type") from None


def read_value(text: str, oid: int) -> object:
    """Return the value that a text has in a type."""
    if oid in oids.TEXTS:
        return text
    return _TEXT[oid](text)


def read_text_array(text: str, held: int) -> list[object]:
    """Return the values of an array of one dimension, such as {a,"b c",NULL}."""
    found = re.fullmatch(r'\s*\{((?:"(?:[^"\\]|\\.)*"|[^"{}\\])*)\}\s*', text, re.DOTALL)
    if found is None:
        raise ValueError
    parts = re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^",]+)\s*(?:,|$)', found[1], re.DOTALL)
    values: list[object] = []
    for part in parts:
        if part.startswith('"'):
            values.append(read_value(re.sub(r"\\(.)", r"\1", part[1:-1], flags=re.DOTALL), held))
        else:
            values.append(None if part.strip().upper() == "NULL" else read_value(part.strip(), held))
    return values


def _read_array(content: bytes, held: int) -> list[object]:
    body = MessageBody(content)
    dimensions, _, given = body.int32(), body.int32(), body.uint32()
    if dimensions == 0:
        return []
    if dimensions != 1 or given != held:
        raise violate("arrays of one dimension are read, of what their type says")
    count, _ = body.int32(), body.int32()
    if not 0 <= count <= len(content):
        raise violate("an array announces more values than it has bytes")
    values = [decode_value(body.value(), held, True) for _ in range(count)]
    body.end()
    return values


def _read_whole(text: str) -> int:
    if _WHOLE.fullmatch(text) is None:
        raise ValueError
    return int(text)


def _read_float(text: str) -> float:
    word = text.strip().lower()
    if word in _INFINITE:
        return _INFINITE[word]
    if _NUMBER.fullmatch(text) is None or len(text) > MOST_DIGITS:
        raise ValueError
    return float(text)


def _read_decimal(text: str) -> Decimal:
    if _NUMBER.fullmatch(text) is None or len(text) > MOST_DIGITS:
        raise ValueError
    found = Decimal(text.strip())
    if abs(found.adjusted()) > MOST_DIGITS:
        raise ValueError
    return found


def _read_boolean(text: str) -> bool:
    found = _BOOLEANS.get(text.strip().lower())
    if found is None:
        raise ValueError
    return found


def _read_timestamp(text: str) -> datetime:
    found = datetime.fromisoformat(re.sub(r"([+-]\d\d)$", r"\1:00", text.strip()))
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _unpack(form: str) -> Callable[[bytes], Any]:
    return lambda content: struct.unpack(form, content)[0]


def _unpack_numeric(content: bytes) -> Decimal:
    count, weight, sign, scale = struct.unpack("!hhHh", content[:8])
    if sign not in (0, 0x4000) or not 0 <= count <= MOST_DIGITS or not 0 <= scale <= MOST_DIGITS or abs(weight) > 250:
        raise ValueError
    groups = struct.unpack(f"!{count}h", content[8:])
    if any(not 0 <= group < 10_000 for group in groups):
        raise ValueError
    number = int("".join(f"{group:04d}" for group in groups) or "0")
    return Decimal((1 if sign else 0, tuple(map(int, str(number))), 4 * (weight - count + 1)))


_TEXT: dict[int, Callable[[str], object]] = {
    oids.BOOL: _read_boolean,
    **dict.fromkeys(oids.WHOLE, _read_whole),
    oids.FLOAT4: _read_float,
    oids.FLOAT8: _read_float,
    oids.NUMERIC: _read_decimal,
    oids.DATE: lambda text: date.fromisoformat(text.strip()),
    oids.TIMESTAMP: _read_timestamp,
    oids.TIMESTAMPTZ: _read_timestamp,
}

_BINARY: dict[int, Callable[[bytes], object]] = {
    oids.BOOL: lambda content: bool(_unpack("!b")(content)),
    oids.INT2: _unpack("!h"),
    oids.INT4: _unpack("!i"),
    oids.INT8: _unpack("!q"),
    oids.OID: _unpack("!I"),
    oids.FLOAT4: _unpack("!f"),
    oids.FLOAT8: _unpack("!d"),
    oids.NUMERIC: _unpack_numeric,
    oids.DATE: lambda content: FIRST_DAY + timedelta(days=_unpack("!i")(content)),
    oids.TIMESTAMP: lambda content: EPOCH + timedelta(microseconds=_unpack("!q")(content)),
    oids.TIMESTAMPTZ: lambda content: EPOCH + timedelta(microseconds=_unpack("!q")(content)),
}


def spread_formats(given: Sequence[int], count: int) -> tuple[int, ...]:
    """Return one format for each value: none given means text, and one stands for all."""
    if any(form not in (0, 1) for form in given):
        raise violate("a format is 0 for text or 1 for binary")
    if len(given) in (0, 1):
        return (given[0] if given else 0,) * count
    if len(given) != count:
        raise violate(f"{len(given)} formats came for {count} values")
    return tuple(given)
