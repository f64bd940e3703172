"""A person at the console without a browser: a cookie, pages and forms as browsers send them."""

from __future__ import annotations

import http.client
from dataclasses import dataclass, field
from urllib.parse import urlencode

from support.serving import Served


@dataclass
class Reply:
    """One reply."""

    status: int
    headers: dict[str, str]
    body: bytes
    cookies: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.body.decode()


class Person:
    """Somebody who may be logged in."""

    def __init__(self, served: Served, name: str | None = None) -> None:
        self.served, self.cookie = served, ""
        if name is not None:
            reply = self.post("/login", token=served.tokens[name])
            assert reply.status == 303, reply.text
            self.cookie = reply.cookies[0].partition(";")[0]

    def get(self, path: str, headers: dict[str, str] | None = None) -> Reply:
        return self._send("GET", path, None, headers or {})

    def post(self, path: str, headers: dict[str, str] | None = None, **fields: str) -> Reply:
        form = {"content-type": "application/x-www-form-urlencoded"}
        return self._send("POST", path, urlencode(fields).encode(), {**form, **(headers or {})})

    def part(self, path: str, **fields: str) -> Reply:
        """Send a form as htmx does."""
        return self.post(path, {"hx-request": "true"}, **fields)

    def _send(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Reply:
        link = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=60)
        try:
            link.request(method, path, body, {**({"cookie": self.cookie} if self.cookie else {}), **headers})
            reply = link.getresponse()
            told = reply.getheaders()
            cookies = [value for name, value in told if name.lower() == "set-cookie"]
            return Reply(reply.status, {name.lower(): value for name, value in told}, reply.read(), cookies)
        finally:
            link.close()
