"""A port on this computer that nobody listens on."""

from __future__ import annotations

import random
import socket

PORTS = range(20_000, 32_000)
"""Below those that Linux gives to connections: none of them takes a port before its server listens there, or again."""


def free_port() -> int:
    chance = random.SystemRandom()
    while True:
        port = chance.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
