"""A client of PostgreSQL's wire that can do everything wrong: bytes go out as the test writes them."""

from __future__ import annotations

import socket
import ssl
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import pbkdf2_hmac, sha256
from hmac import digest

from support.wire import PASSWORDS, RunningWire

Reply = tuple[str, bytes]


def message(kind: str, body: bytes = b"") -> bytes:
    """Return a message with its length."""
    return kind.encode() + struct.pack("!i", len(body) + 4) + body


def startup(version: int = 3 << 16, more: Mapping[str, str] | None = None, **parameters: str) -> bytes:
    """Return a startup packet."""
    body = struct.pack("!i", version)
    for name, value in (parameters | dict(more or {})).items():
        body += name.encode() + b"\0" + value.encode() + b"\0"
    return struct.pack("!i", len(body) + 5) + body + b"\0"


def request(code: int, rest: bytes = b"") -> bytes:
    """Return one of the packets that come instead of a startup packet."""
    return struct.pack("!ii", 8 + len(rest), code) + rest


def query(text: str) -> bytes:
    """Return a simple query."""
    return message("Q", text.encode() + b"\0")


def read_error(body: bytes) -> dict[str, str]:
    """Return the fields of an error."""
    return {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}


class RawClient:
    """A socket that speaks the protocol by hand."""

    def __init__(self, wire: RunningWire, host: str | None = None, port: int | None = None) -> None:
        self.socket: socket.socket = socket.create_connection((host or wire.host, port or wire.port), timeout=20)
        self.wire = wire
        self.key: bytes = b""

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *what: object) -> None:
        self.socket.close()

    def send(self, *content: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(b"".join(content))

    def encrypt(self) -> None:
        """Ask for TLS and begin it."""
        self.send(request(80877103))
        assert self.socket.recv(1) == b"S"
        context = ssl.create_default_context(cafile=self.wire.certificate)
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")

    def take(self, size: int) -> bytes:
        """Return exactly so many bytes; fewer where the server ended the connection."""
        found = b""
        while len(found) < size:
            try:
                more = self.socket.recv(size - len(found))
            except (ConnectionError, ssl.SSLError):
                return found
            if not more:
                return found
            found += more
        return found

    def read(self) -> Reply:
        """Return the next message; an empty kind where the server ended the connection."""
        head = self.take(5)
        if len(head) < 5:
            return "", b""
        return head[:1].decode(), self.take(struct.unpack("!i", head[1:])[0] - 4)

    def read_until(self, kinds: str = "Z") -> list[Reply]:
        """Return messages up to one of these kinds, or to the end of the connection."""
        found: list[Reply] = []
        while not found or (found[-1][0] not in kinds and found[-1][0]):
            found.append(self.read())
        return found

    def ask(self, *content: bytes) -> str:
        """Send bytes and return the kinds of all replies up to the next ReadyForQuery."""
        self.send(*content)
        return "".join(kind for kind, _ in self.read_until())

    def log_in(
        self,
        user: str = "alice",
        password: str | None = None,
        *,
        version: int = 3 << 16,
        mechanism: str = "SCRAM-SHA-256",
        header: bytes = b"n,,",
        bound: bytes | None = None,
        proof: bytes | None = None,
        more: Mapping[str, str] | None = None,
    ) -> list[Reply]:
        """Log in; the exchange can be bent by its parts. Returns what came after the last message of SCRAM."""
        self.send(startup(version, more, user=user))
        found = self.read_until("RE")
        if found[-1][0] != "R":
            return found
        bare = b"n=,r=clientnonce"
        said = header + bare
        self.send(message("p", mechanism.encode() + b"\0" + struct.pack("!i", len(said)) + said))
        kind, first = self.read()
        if kind != "R":
            return [(kind, first)]
        parts = dict(part.split(b"=", 1) for part in first[4:].split(b","))
        salted = pbkdf2_hmac(
            "sha256", (password or PASSWORDS.get(user, "?")).encode(), b64decode(parts[b"s"]), int(parts[b"i"])
        )
        client_key = digest(salted, b"Client Key", "sha256")
        last = b"c=" + b64encode(header if bound is None else bound) + b",r=" + parts[b"r"]
        spoken = b",".join([bare, first[4:], last])
        signature = digest(sha256(client_key).digest(), spoken, "sha256")
        shown = bytes(a ^ b for a, b in zip(client_key, signature, strict=True)) if proof is None else proof
        self.send(message("p", last + b",p=" + b64encode(shown)))
        answered = self.read_until()
        self.key = next((body for kind, body in answered if kind == "K"), b"")
        return answered
