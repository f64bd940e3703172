"""Where a shell or a notebook asks: a policy beside it, or a server, with a token that no list of processes shows."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.options import find_analyst, find_policy

if TYPE_CHECKING:
    from discreet import Curator
    from discreet.server.client import Connection

TOKEN = "DISCREET_TOKEN"
"""The environment variable with a token. There is no option for it: arguments can be read by everybody on a machine."""


def open_place(
    address: str | None, policy: Path | None, analyst: str | None, ask_token: Callable[[], str] | None = None
) -> Curator | Connection:
    """Return a curator of a policy, or a connection to a server where there is an address."""
    if address is None:
        from discreet import Curator

        path = find_policy(policy)
        return Curator.open(path, find_analyst(analyst, path))
    from discreet.server.client import connect

    connect(address, "none")  # so that a wrong address is refused before anybody types a token
    if policy is not None or analyst is not None:
        raise ParameterError("--connect", address, "alone: the server has the policy, and the token says who asks")
    return connect(address, read_token(ask_token or _choose_prompt()))


def read_token(ask: Callable[[], str] | None) -> str:
    """Return the token: from its environment variable, or as somebody types it without it being shown."""
    token = os.environ.get(TOKEN) or (ask() if ask is not None else "")
    if not token.strip():
        raise DiscreetError(f"there is no token: set {TOKEN} to what `discreet analyst add` printed")
    return token.strip()


def _choose_prompt() -> Callable[[], str] | None:
    return (lambda: getpass.getpass("token: ")) if sys.stdin.isatty() else None
