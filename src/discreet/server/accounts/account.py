"""An account: one name that is let in, what it may do, and what is kept of its token."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from discreet.base.canonical import write_json
from discreet.base.errors import LedgerError
from discreet.server.accounts.scram_verifier import ScramVerifier

VERSION = 1


class Role(StrEnum):
    """What somebody may do: ask and see their own, or see everything that is not a row."""

    ANALYST = "analyst"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class TokenAccount:
    """One name, its role, and the verifier of its token. Times are seconds since 1970; no end: it does not expire."""

    name: str
    role: Role
    verifier: ScramVerifier
    made: float
    ends: float | None = None
    revoked: bool = False

    def is_open(self, now: float) -> bool:
        """Say whether somebody may come in by it now."""
        return not self.revoked and (self.ends is None or now < self.ends)

    def describe(self, now: float) -> str:
        """Return its state in a few words."""
        if self.revoked:
            return "revoked"
        if self.ends is None:
            return "open"
        return f"{'open until' if now < self.ends else 'expired'} {write_day(self.ends)}"

    def to_bytes(self) -> bytes:
        """Return it as the ledger keeps it."""
        kept = self.verifier
        return write_json(
            {
                "version": VERSION,
                "name": self.name,
                "role": self.role.value,
                "salt": kept.salt.hex(),
                "iterations": kept.iterations,
                "stored_key": kept.stored_key.hex(),
                "server_key": kept.server_key.hex(),
                "made": repr(self.made),
                "ends": None if self.ends is None else repr(self.ends),
                "revoked": self.revoked,
            }
        ).encode()

    @classmethod
    def from_bytes(cls, kept: bytes) -> TokenAccount:
        """Return the account that `to_bytes` wrote."""
        try:
            values = json.loads(kept)
            if values["version"] != VERSION:
                raise ValueError
            keys = (bytes.fromhex(values["stored_key"]), bytes.fromhex(values["server_key"]))
            verifier = ScramVerifier(bytes.fromhex(values["salt"]), int(values["iterations"]), *keys)
            ends = None if values["ends"] is None else float(values["ends"])
            return cls(
                values["name"], Role(values["role"]), verifier, float(values["made"]), ends, bool(values["revoked"])
            )
        except (ValueError, KeyError, TypeError):
            raise LedgerError("an account cannot be read: a newer version made it, or it is damaged") from None


def write_day(seconds: float) -> str:
    """Return a time as people read it, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(sep=" ", timespec="minutes").removesuffix("+00:00")
