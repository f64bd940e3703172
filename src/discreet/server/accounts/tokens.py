"""Tokens: what analysts and owners show to be let in. Random, shown once, and never kept."""

from __future__ import annotations

import secrets
from urllib.parse import quote, unquote

SECRET_BYTES = 32
LONGEST = 1024
"""Letters of a token that are looked at."""


def make_token(name: str) -> str:
    """Return a new token of somebody: their name, a point and 256 random bits; safe in headers, addresses and files."""
    return f"{quote(name, safe='')}.{secrets.token_urlsafe(SECRET_BYTES)}"


def read_name(token: str) -> str | None:
    """Return whose token it says to be; None where it is no token.

    >>> read_name("ann%40x.org.c2VjcmV0")
    'ann@x.org'
    """
    name, point, secret = token.rpartition(".")
    return unquote(name) if point and name and secret and len(token) <= LONGEST and token.isascii() else None
