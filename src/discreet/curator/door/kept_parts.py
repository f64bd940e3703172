"""Tables of whole numbers as bytes, for results that are too many for a journal: each lies in the ledger by its hash.

Form, version 1: one byte each for the version, for how many bytes a number has and for how they are packed, one that
is 0, the numbers of lines and of columns, 64 bits each; then the numbers, line by line, in two's complement and in the
narrowest type that holds all of them: first the lowest byte of each, then the next, and so on. Noise packs well so: at
sigma = 2.3 an answer takes 0.42 bytes, of which its entropy is 0.41. All numbers are little-endian; packed is zstd's
format (RFC 8878). Forms are read for as long as there are ledgers, and never change their meaning.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from discreet.base.errors import LedgerError
from discreet.base.wide import Ints

VERSION = 1
HEADER = struct.Struct("<BBBxQQ")
PLAIN, ZSTD = 0, 1
WIDTHS = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The name of a table that is kept in the ledger: those lines of a longer one, counted from 0."""

    name: str
    first: int
    last: int


def pack_numbers(numbers: Ints) -> bytes:
    """Return a table of whole numbers as bytes: what these are depends on the numbers alone."""
    lines, columns = numbers.shape
    least, most = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    width = next(each for each in WIDTHS if -(1 << (8 * each - 1)) <= least and most < 1 << (8 * each - 1))
    narrow = np.ascontiguousarray(numbers, dtype=f"<i{width}")
    planes = np.ascontiguousarray(narrow.reshape(-1, 1).view(np.uint8).T).tobytes()
    packed = pa.Codec("zstd", 1).compress(planes, asbytes=True) if pa.Codec.is_available("zstd") else planes
    kind, told = (ZSTD, packed) if len(packed) < len(planes) else (PLAIN, planes)
    return HEADER.pack(VERSION, width, kind, lines, columns) + told


def unpack_numbers(data: bytes) -> Ints:
    """Return the table of what `pack_numbers` wrote."""
    version, width, kind, lines, columns = HEADER.unpack_from(data) if len(data) >= HEADER.size else (0,) * 5
    if version != VERSION or width not in WIDTHS or kind not in (PLAIN, ZSTD):
        raise LedgerError(f"this part has version {version}, and this program reads {VERSION}: use what wrote it")
    many, told = lines * columns, data[HEADER.size :]
    planes = pa.Codec("zstd").decompress(told, many * width, asbytes=True) if kind == ZSTD else told
    bytes_of = np.frombuffer(planes, dtype=np.uint8).reshape(width, many)
    return np.ascontiguousarray(bytes_of.T).view(f"<i{width}").reshape(lines, columns).astype(np.int64)
