"""What every request passes first: a known host, a small body, the same origin; and what every reply carries."""

from __future__ import annotations

import json
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 500_000
"""Bytes of a request that are read."""

LOCAL = ("localhost", "127.0.0.1", "[::1]")

CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = (
    (b"content-security-policy", CONTENT.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer, browsers send forms with the origin "null"
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
SAFE = ("GET", "HEAD")


class Guard:
    """Refuses requests for other hosts (DNS rebinding), from other origins, and with bodies that are too large."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], *, tls: bool) -> None:
        self._app, self._tls = app, tls
        self._hosts = {*LOCAL, *(host.casefold() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        wrong = self._find_wrong(scope["method"], headers)
        if wrong is not None:
            await _refuse(send, *wrong)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*self._dress(scope["path"], message["headers"])]
            await send(message)

        read = 0

        async def receive_limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MOST_BODY:
                raise _TooLargeError
            return message

        try:
            await self._app(scope, receive_limited, send_guarded)
        except _TooLargeError:
            await _refuse(send, 413, f"a request has at most {MOST_BODY:,} bytes")

    def _find_wrong(self, method: str, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if _strip_port(host).casefold() not in self._hosts:
            return 421, "this server is not reached by that name; the owner adds names under [server] hosts"
        if not headers.get("content-length", "0").isdecimal() or int(headers.get("content-length", "0")) > MOST_BODY:
            return 413, f"a request has at most {MOST_BODY:,} bytes"
        if method not in SAFE:
            own = f"{'https' if self._tls else 'http'}://{host}"
            if headers.get("origin", own).casefold() != own.casefold():
                return 403, "this request came from a page of another origin"
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return 403, "this request came from a page of another origin"
        return None

    def _dress(self, path: str, headers: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
        yield from headers
        yield from HEADERS
        if not path.startswith("/static/"):
            yield b"cache-control", b"no-store"
        if self._tls:
            yield b"strict-transport-security", b"max-age=31536000"


class _TooLargeError(Exception):
    """A body that was sent in pieces is too large."""


def _strip_port(host: str) -> str:
    """Return a host without its port.

    >>> _strip_port("[::1]:80"), _strip_port("a.org:443"), _strip_port("a.org")
    ('[::1]', 'a.org', 'a.org')
    """
    head, colon, port = host.rpartition(":")
    return head if colon and port.isdecimal() and (not head.startswith("[") or head.endswith("]")) else host


async def _refuse(send: Send, status: int, words: str) -> None:
    body = json.dumps({"error": {"kind": "RequestError", "message": words}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
