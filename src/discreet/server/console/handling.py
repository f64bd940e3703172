"""What happens around every page: who asks for it is found, and what goes wrong becomes a page or a part of one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.base.errors import BudgetError, DiscreetError, PendingError, QueryError, SuspendedError
from discreet.server.accounts.account import Role
from discreet.server.accounts.book import LoginError
from discreet.server.console.layout import show_trouble, write_page
from discreet.server.console.markup import Element, tag
from discreet.server.door import GuestVisit
from discreet.server.http.logins import Logins
from discreet.server.turns import BusyError
from discreet.server.workers.telling import OwnerError

ShowPage = Callable[[GuestVisit, Request], Awaitable[Response]]
Handler = Callable[[Request], Awaitable[Response]]

MOST_FIELDS = 10

STATUS: tuple[tuple[type[DiscreetError], int], ...] = (
    (BusyError, 429),
    (BudgetError, 402),
    (SuspendedError, 403),
    (QueryError, 400),
    (OwnerError, 400),
    (PendingError, 503),
)


def guard_page(logins: Logins, page: ShowPage, role: Role) -> Handler:
    """Return a handler that shows a page to people of one role alone; for others there is no such page."""

    async def handle(request: Request) -> Response:
        try:
            visit = await logins.find(request)
        except LoginError:
            return lead_to_login(request)
        if visit.role is not role:
            return show_missing(visit)
        try:
            return await page(visit, request)
        except DiscreetError as trouble:
            return show_error(visit, request, trouble)

    return handle


def lead_to_login(request: Request) -> Response:
    """Send somebody who is not logged in to where they can: also from a part of a page."""
    if is_part(request):
        return Response(status_code=401, headers={"hx-redirect": "/login"})
    return RedirectResponse("/login", 303)


async def read_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form as browsers send them; the first of each name."""
    try:
        found = parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise QueryError("the form cannot be read; send it as a page of the console does") from None
    return dict(reversed(found))


def is_part(request: Request) -> bool:
    """Say whether only a part of a page is wanted."""
    return request.headers.get("hx-request") == "true"


def to_html(text: str | Element, status: int = 200) -> Response:
    """Return a page, or a part of one."""
    return Response(str(text), status, media_type="text/html")


def show_missing(visit: GuestVisit | None) -> Response:
    """Say that there is no such page."""
    words = tag(
        "p", "Perhaps it never was, or it belongs to somebody else. ", tag("a", "Go to the start", href="/"), "."
    )
    return to_html(write_page("Not here", visit, "", tag("h1", "There is no such page"), words), 404)


def show_error(visit: GuestVisit | None, request: Request, trouble: DiscreetError) -> Response:
    """Say what went wrong, in words that are safe to show."""
    status = next((each for kind, each in STATUS if isinstance(trouble, kind)), 503)
    told = show_trouble(str(trouble))
    if is_part(request):
        return to_html(told, status)
    return to_html(write_page("Not done", visit, "", tag("h1", "This was not done"), told), status)
