"""A wire to PostgreSQL that can be cut at a chosen moment, or that tells another process number as a pooler does."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from enum import Enum
from types import TracebackType
from typing import Self

_KEY = b"K\x00\x00\x00\x0c"
"""How the server's message begins that tells the process number."""


class Cut(Enum):
    """What is lost next: the client's next message, or the server's next reply, and the connection with it."""

    MESSAGE = "message"
    REPLY = "reply"


class Proxy:
    """Listens on loopback and passes on what comes, until it is told to cut."""

    def __init__(self, port: int, *, pools: bool = False) -> None:
        self._target, self._pools = port, pools
        self._next: Cut | None = None
        self.after: Callable[[], object] = lambda: None
        """What happens between a lost reply and the end of its connection."""
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, what: Cut) -> None:
        """Lose this once, on whichever connection speaks first."""
        self._next = what

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for each in (self._listener, *self._sockets):
            _end(each)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self._target))
                except ConnectionRefusedError:
                    _end(client)
                    continue
                self._sockets += [client, server]
                threading.Thread(target=self._pass_messages, args=(client, server), daemon=True).start()
                threading.Thread(target=self._pass_replies, args=(client, server), daemon=True).start()

    def _pass_messages(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if self._next is Cut.MESSAGE:
                    self._next = None
                    break
                server.sendall(data)
        _end(client)
        _end(server)

    def _pass_replies(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if self._next is Cut.REPLY:
                    self._next = None
                    self.after()
                    break
                at = data.find(_KEY)
                if self._pools and at >= 0:
                    data = data[: at + 5] + b"\x00\x00\x00\x01" + data[at + 9 :]
                client.sendall(data)
        _end(client)
        _end(server)


def _end(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
