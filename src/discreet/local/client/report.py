"""Reports as bytes and as JSON: a versioned format, in which all reports of one metric have the same length.

Bytes of version 1: the version, the mechanism's number, the length of the metric's name and the name, 8 bytes of the
hash of its parameters, the width of the seed and the seed, two bytes of the payload's length, and the payload. Numbers
have their lowest byte first. Nothing in a report depends on the value but the payload.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass

from .errors import ClientError
from .kinds import CODES, KINDS

VERSION = 1
HASH_SIZE = 8
MOST_NAME = 100
MOST_PAYLOAD = (1 << 16) - 1


@dataclass(frozen=True)
class Report:
    """What one person sends: nothing but noise and public parameters."""

    metric: str
    parameters: bytes
    """The first bytes of the hash of the metric's parameters."""
    mechanism: str
    seed: int
    seed_width: int
    payload: bytes

    def to_bytes(self) -> bytes:
        """Return the report as bytes."""
        name = self.metric.encode()
        code = next(code for code, kind in CODES.items() if kind.kind == self.mechanism)
        head = bytes([VERSION, code, len(name)]) + name + self.parameters + bytes([self.seed_width])
        seed = self.seed.to_bytes(self.seed_width, "little")
        return head + seed + len(self.payload).to_bytes(2, "little") + self.payload

    def to_json(self) -> str:
        """Return the report as a line of JSON."""
        return json.dumps(
            {
                "version": VERSION,
                "metric": self.metric,
                "parameters": self.parameters.hex(),
                "mechanism": self.mechanism,
                "seed": self.seed,
                "seed_width": self.seed_width,
                "payload": base64.b64encode(self.payload).decode(),
            }
        )


def read_report(data: bytes) -> Report:
    """Return the report that bytes hold, or refuse them: nothing is guessed."""
    if len(data) < 3 or data[0] != VERSION:
        raise ClientError(f"a report of version {VERSION} was expected; another version needs a newer collector")
    try:
        name_end = 3 + data[2]
        seed_at = name_end + HASH_SIZE + 1
        width = data[seed_at - 1]
        payload_at = seed_at + width + 2
        size = int.from_bytes(data[payload_at - 2 : payload_at], "little")
        if width > 8 or data[1] not in CODES or len(data) != payload_at + size:
            raise ClientError("the report's parts do not add up to its length, or name no mechanism")
        return Report(
            data[3:name_end].decode(),
            data[name_end : seed_at - 1],
            CODES[data[1]].kind,
            int.from_bytes(data[seed_at : seed_at + width], "little"),
            width,
            data[payload_at:],
        )
    except (IndexError, UnicodeDecodeError):
        raise ClientError("the report is cut short, or its metric's name is no text") from None


def read_json_report(line: str | bytes) -> Report:
    """Return the report that a line of JSON holds, or refuse it."""
    try:
        form = json.loads(line)
        found = Report(
            form["metric"],
            bytes.fromhex(form["parameters"]),
            form["mechanism"],
            form["seed"],
            form["seed_width"],
            base64.b64decode(form["payload"], validate=True),
        )
        known = form["version"] == VERSION and found.mechanism in KINDS and len(form) == 7
        sized = type(found.seed) is int and type(found.seed_width) is int and 0 <= found.seed_width <= 8
        fits = sized and 0 <= found.seed < 1 << (8 * found.seed_width) and len(found.payload) <= MOST_PAYLOAD
        if known and fits and len(found.parameters) == HASH_SIZE and len(found.metric.encode()) <= MOST_NAME:
            return found
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error):
        pass
    raise ClientError(f"this is no report of version {VERSION} in JSON") from None
