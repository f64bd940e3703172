"""How much and how long a client may: before it has logged in very little, and after that enough for questions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WireLimits:
    """Bytes, seconds and numbers. Everything that a client sends or holds is under one of them."""

    startup_bytes: int = 8_192
    """The first packet, with its parameters."""

    login_bytes: int = 2_048
    """Each message of the exchange of passwords."""

    login_seconds: float = 15.0
    """From the connection to the login, all rounds together."""

    waiting: int = 1_000
    """Connections that have not logged in; a newer one takes the place of the oldest."""

    connections: int = 400
    """Connections that have."""

    message_bytes: int = 1_048_576
    """A message after the login: far more than the longest question."""

    idle_seconds: float = 3_600.0
    send_seconds: float = 60.0
    """How long a client may leave what it is sent unread."""

    statements: int = 500
    portals: int = 100
    held_bytes: int = 4_194_304
    """Statements and portals of a connection, and the texts of all of them together."""

    held_rows: int = 500_000
    """Rows that the open portals of a connection hold together."""
