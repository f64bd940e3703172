"""Values as PostgreSQL writes them: as text, and in the binary form of their type."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from discreet.server.wire import oids
from discreet.server.wire.errors import WireError

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
FIRST_DAY = EPOCH.date()
MICROSECOND = timedelta(microseconds=1)
RANGES = {oids.INT2: (1 << 15, 0), oids.INT4: (1 << 31, 0), oids.INT8: (1 << 63, 0), oids.OID: (1 << 32, 1)}
"""Where whole numbers end, and whether they have no sign."""

WIDE_HINT = "SET discreet.integers = numeric and ask again: what was paid for is recorded, and free"


def encode_row(row: Sequence[object], columns: Sequence[int], formats: Sequence[int]) -> list[bytes | None]:
    """Return the values of a row, each of its type and in its format: 0 for text, 1 for binary."""
    return [
        None if value is None else (encode_binary if form else encode_text)(value, oid)
        for value, oid, form in zip(row, columns, formats, strict=True)
    ]


def encode_text(value: object, oid: int) -> bytes:
    """Return a value as text.

    >>> encode_text(True, oids.BOOL), encode_text(790.0, oids.FLOAT8), encode_text(["a", None, 'b"'], 1009)
    (b't', b'790', b'{a,NULL,"b\\\\""}')
    """
    return write_value(value, oid).encode("utf-8", "replace")


def write_value(value: object, oid: int) -> str:
    """Return a value in PostgreSQL's letters."""
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int):
        return str(_check_range(value, oid)) if oid in oids.WHOLE else str(value)
    if isinstance(value, float):
        return write_float(value) if oid != oids.NUMERIC else str(_to_decimal(value))
    if isinstance(value, Decimal):
        return _write_decimal(value)
    if isinstance(value, datetime):
        return write_timestamp(value, oid)
    if isinstance(value, list | tuple):
        held = oids.ARRAYS.get(oid, oids.TEXT)
        return "{" + ",".join("NULL" if each is None else _quote(write_value(each, held)) for each in value) + "}"
    return value.isoformat() if isinstance(value, date | time) else str(value)


def write_float(value: float) -> str:
    """Return the shortest digits that are this float, as PostgreSQL prints them."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value).removesuffix(".0")


def write_timestamp(value: datetime, oid: int = oids.TIMESTAMPTZ) -> str:
    """Return a point in time in UTC, which one without a zone is in already."""
    utc = value.astimezone(UTC) if value.tzinfo is not None else value
    text = utc.replace(tzinfo=None).isoformat(" ")
    text = text.rstrip("0") if "." in text else text
    return text + ("+00" if oid == oids.TIMESTAMPTZ else "")


def encode_binary(value: object, oid: int) -> bytes:
    """Return a value in the binary form of its type."""
    if oid in oids.ARRAYS:
        return _encode_array(value, oids.ARRAYS[oid])
    try:
        return _BINARY.get(oid, _encode_utf8)(value)
    except (struct.error, OverflowError):
        raise WireError("22003", "a value is outside of what its type can hold", hint=WIDE_HINT) from None


def _check_range(value: int, oid: int) -> int:
    """Refuse whole numbers that their type cannot hold: a client would read others, or fail."""
    end, unsigned = RANGES[oid]
    if not (0 if unsigned else -end) <= value < end:
        raise WireError("22003", "a value is outside of what its type can hold", hint=WIDE_HINT)
    return value


def _encode_array(values: Any, held: int) -> bytes:
    parts = []
    for value in values:
        content = None if value is None else encode_binary(value, held)
        parts.append(b"\xff\xff\xff\xff" if content is None else struct.pack("!i", len(content)) + content)
    missing = any(value is None for value in values)
    if not parts:
        return struct.pack("!iiI", 0, 0, held)
    return struct.pack("!iiIii", 1, missing, held, len(parts), 1) + b"".join(parts)


def _encode_numeric(value: Any) -> bytes:
    """Return a number in groups of four decimal digits, with the place of the first group."""
    number = _to_decimal(value)
    if not number.is_finite():
        sign = 0xC000 if number.is_nan() else 0xD000 if number > 0 else 0xF000
        return struct.pack("!hhHh", 0, 0, sign, 0)
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    whole = ("".join(map(str, digits)) + "0" * max(0, exponent)).rjust(scale, "0")
    before, behind = whole[: len(whole) - scale], whole[len(whole) - scale :]
    before = before.rjust(-(-len(before) // 4) * 4, "0")
    behind = behind.ljust(-(-len(behind) // 4) * 4, "0")
    text = before + behind
    groups = [int(text[at : at + 4]) for at in range(0, len(text), 4)]
    weight = len(before) // 4 - 1
    while groups and groups[0] == 0:
        groups, weight = groups[1:], weight - 1
    while groups and groups[-1] == 0:
        groups.pop()
    weight = weight if groups else 0
    return struct.pack(f"!hhHh{len(groups)}h", len(groups), weight, 0x4000 if sign and groups else 0, scale, *groups)


def _to_decimal(value: Any) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _write_decimal(value: Decimal) -> str:
    if value.is_finite():
        return f"{value:f}"
    return "NaN" if value.is_nan() else "Infinity" if value > 0 else "-Infinity"


def _encode_date(value: Any) -> bytes:
    return struct.pack("!i", (value - FIRST_DAY).days)


def _encode_time(value: Any) -> bytes:
    utc = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return struct.pack("!q", (utc - EPOCH) // MICROSECOND)


def _encode_utf8(value: object) -> bytes:
    return write_value(value, oids.TEXT).encode("utf-8", "replace")


def _quote(text: str) -> str:
    plain = text and text.upper() != "NULL" and not any(letter in '{}",\\' or letter.isspace() for letter in text)
    return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def round_outwards(end: object, up: bool) -> float:
    """Return an end of an interval as a float that is not inside of it."""
    assert isinstance(end, int | float | Decimal)
    if isinstance(end, float) and not math.isfinite(end):
        return end
    try:
        near = float(end)
    except OverflowError:
        return math.copysign(math.inf, 1 if end > 0 else -1)
    inside = math.isfinite(near) and (Fraction(near) < Fraction(end) if up else Fraction(near) > Fraction(end))
    return math.nextafter(near, math.inf if up else -math.inf) if inside else near


_BINARY: dict[int, Callable[[Any], bytes]] = {
    oids.BOOL: lambda value: b"\1" if value else b"\0",
    oids.INT2: lambda value: struct.pack("!h", value),
    oids.INT4: lambda value: struct.pack("!i", value),
    oids.INT8: lambda value: struct.pack("!q", value),
    oids.OID: lambda value: struct.pack("!I", value),
    oids.FLOAT4: lambda value: struct.pack("!f", value),
    oids.FLOAT8: lambda value: struct.pack("!d", value),
    oids.NUMERIC: _encode_numeric,
    oids.DATE: _encode_date,
    oids.TIMESTAMP: _encode_time,
    oids.TIMESTAMPTZ: _encode_time,
}
