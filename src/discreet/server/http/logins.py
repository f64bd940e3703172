"""Who sends a request: a program with a token, or a person with the console's cookie."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable

from starlette.requests import Request

from discreet.server.accounts.book import REFUSED, LoginError
from discreet.server.door import FrontDoor, GuestVisit

COOKIE = "discreet_session"
NO_TOKEN = "no token was sent; write it into a header, as in Authorization: Bearer TOKEN"
MOST = 10_000
"""Logins that are remembered at once; the oldest is forgotten."""


class Logins:
    """The visits of those who came in over HTTP. A login ends after some hours, or when its account changes."""

    def __init__(self, door: FrontDoor, hours: float, clock: Callable[[], float] = time.time) -> None:
        self._door, self._seconds, self._clock = door, 3600 * hours, clock
        self._visits: dict[bytes, GuestVisit] = {}

    async def find(self, request: Request, *, check: bool = True) -> GuestVisit:
        """Return the visit of whoever sent a request, or raise where there is none or its account is not what it was.

        Without `check` the account is not looked at: for what asks through the visit alone, which looks at it within
        the time of its reply.
        """
        visit = await self._find(request)
        if check:
            await self._door.recheck(visit.account)
        return visit

    async def _find(self, request: Request) -> GuestVisit:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.casefold() == "bearer" and token:
            return await self._find_program(token.strip(), find_address(request))
        if COOKIE not in request.cookies:
            raise LoginError(NO_TOKEN)
        found = self._visits.get(_hash(request.cookies[COOKIE]))
        if found is None or self._is_over(found):
            raise LoginError(REFUSED)
        return found

    async def begin(self, token: str, request: Request) -> tuple[str, GuestVisit]:
        """Let a person in by a token; return what the cookie holds, and the visit."""
        visit = await self._door.admit_token(token, f"console {find_address(request)}")
        session = secrets.token_urlsafe(32)
        self._remember(_hash(session), visit)
        return session, visit

    async def end(self, request: Request) -> None:
        """Forget a person's login."""
        found = self._visits.pop(_hash(request.cookies.get(COOKIE, "")), None)
        if found is not None:
            await self._door.log.note("logout", found.analyst, where=found.where)

    async def _find_program(self, token: str, address: str) -> GuestVisit:
        digest = _hash(token)
        found = self._visits.get(digest)
        if found is not None and not self._is_over(found):
            return found
        visit = await self._door.admit_token(token, f"http {address}")
        self._remember(digest, visit)
        return visit

    def _remember(self, digest: bytes, visit: GuestVisit) -> None:
        while len(self._visits) >= MOST:
            del self._visits[next(iter(self._visits))]
        self._visits[digest] = visit

    def _is_over(self, visit: GuestVisit) -> bool:
        return self._clock() - visit.began > self._seconds


def find_address(request: Request) -> str:
    """Return from where a request came."""
    return request.client.host if request.client is not None else "unknown"


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
