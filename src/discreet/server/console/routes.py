"""The paths of the console. Every page is for one role; nothing changes by a GET."""

from __future__ import annotations

from pathlib import Path

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from discreet.base.errors import QueryError
from discreet.server.accounts.account import Role
from discreet.server.accounts.book import LoginError
from discreet.server.console import analyst_paths, owner_paths
from discreet.server.console.handling import ShowPage, guard_page, read_fields, to_html
from discreet.server.console.layout import card, show_trouble, write_page
from discreet.server.console.markup import Element, tag
from discreet.server.door import GuestVisit
from discreet.server.http.logins import COOKIE, Logins
from discreet.server.turns import BusyError

STATIC = Path(__file__).parent.parent / "http" / "static"
HOME = {Role.ANALYST: "/ask", Role.OWNER: "/owner"}


def list_routes(logins: Logins, hours: float, *, tls: bool) -> list[BaseRoute]:
    """Return the paths of all pages; `tls` says whether cookies may be sent over TLS alone."""

    def paths(found: list[tuple[str, str, ShowPage]], role: Role) -> list[BaseRoute]:
        return [Route(path, guard_page(logins, page, role), methods=[method]) for method, path, page in found]

    async def start(request: Request) -> Response:
        visit = await _find_visit(logins, request)
        return RedirectResponse("/login" if visit is None else HOME[visit.role], 303)

    async def show_login(request: Request) -> Response:
        if await _find_visit(logins, request) is not None:
            return RedirectResponse("/", 303)
        return to_html(write_page("Log in", None, "/login", _write_login()))

    async def log_in(request: Request) -> Response:
        try:
            fields = await read_fields(request)
            session, _ = await logins.begin(fields.get("token", "").strip(), request)
        except (LoginError, BusyError, QueryError) as refused:
            status = 429 if isinstance(refused, BusyError) else 401
            return to_html(write_page("Log in", None, "/login", _write_login(str(refused))), status)
        await logins.end(request)
        reply = RedirectResponse("/", 303)
        rules = {"httponly": True, "samesite": "strict", "secure": tls, "path": "/"}
        reply.set_cookie(COOKIE, session, max_age=round(3600 * hours), **rules)  # type: ignore[arg-type]
        return reply

    async def log_out(request: Request) -> Response:
        await logins.end(request)
        reply = RedirectResponse("/login", 303)
        reply.delete_cookie(COOKIE, path="/", secure=tls, httponly=True, samesite="strict")
        return reply

    return [
        Route("/", start, methods=["GET"]),
        Route("/login", show_login, methods=["GET"]),
        Route("/login", log_in, methods=["POST"]),
        Route("/logout", log_out, methods=["POST"]),
        *paths(analyst_paths.list_pages(), Role.ANALYST),
        *paths(owner_paths.list_pages(), Role.OWNER),
        Mount("/static", GZipMiddleware(StaticFiles(directory=STATIC), minimum_size=2_000)),
    ]


async def _find_visit(logins: Logins, request: Request) -> GuestVisit | None:
    try:
        return await logins.find(request)
    except LoginError:
        return None


def _write_login(trouble: str | None = None) -> Element:
    form = tag(
        "form",
        tag("label", "Your token", for_="token"),
        tag(
            "input",
            id="token",
            name="token",
            type="password",
            required=True,
            maxlength="1024",
            autocomplete="current-password",
            autofocus=True,
            spellcheck="false",
            aria_describedby="token-hint",
        ),
        tag("p", "As the owner gave it to you. It is not kept in this browser.", id="token-hint", class_="soft small"),
        tag("button", "Log in", class_="main"),
        method="post",
        action="/login",
    )
    told = show_trouble(trouble) if trouble is not None else None
    words = tag("p", "Ask about data without learning about anybody in it.", class_="soft")
    return tag("div", tag("h1", "discreet"), words, told, card(form), class_="login")
