"""What the client raises."""

from __future__ import annotations


class ClientError(ValueError):
    """A parameter, a report or a stored state that cannot be used; the message says what to change."""
