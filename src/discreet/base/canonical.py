"""One text for one value: canonical JSON, and the hash by which bytes are named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""What JSON can hold. Numbers that need not be whole stand in texts, so that they are exact."""


def write_json(value: object) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, ASCII.

    >>> write_json({"b": [1, None], "a": "é"})
    '{"a":"\\\\u00e9","b":[1,null]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def hash_bytes(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def hash_json(value: object) -> str:
    """Return the SHA-256 of a value's canonical text: equal for equal values, whatever order their keys came in."""
    return hash_bytes(write_json(value).encode("ascii"))
