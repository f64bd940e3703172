"""The HTTP application: all paths behind the guard."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from discreet.answers.export import write_json
from discreet.base.errors import QueryError
from discreet.server.console import routes as pages
from discreet.server.console.api_page import show_api
from discreet.server.console.handling import show_error, show_missing
from discreet.server.door import FrontDoor
from discreet.server.http import api
from discreet.server.http.guard import Guard
from discreet.server.http.logins import Logins
from discreet.server.http.openapi import describe_api
from discreet.server.workers.telling import BROKEN, ServerError


def make_app(door: FrontDoor, *, tls: bool) -> ASGIApp:
    """Return the application of a door."""
    hours = float(door.policy.server.session_hours)
    logins = Logins(door, hours)

    async def break_down(request: Request, trouble: Exception) -> Response:
        told = ServerError(BROKEN)
        return api.write_error(told) if _is_for_programs(request) else show_error(None, request, told)

    async def miss(request: Request, trouble: Exception) -> Response:
        if not _is_for_programs(request):
            return show_missing(None)
        return api.write_error(QueryError("there is no such path; /api lists those that there are"), 404)

    async def miss_method(request: Request, trouble: Exception) -> Response:
        headers = getattr(trouble, "headers", None) or {}
        if not _is_for_programs(request):
            return Response("Method Not Allowed", 405, headers, "text/plain")
        told = QueryError(
            f"{request.method[:20]} is not answered here, but {headers.get('Allow', 'another method')} is"
        )
        return api.write_error(told, 405, headers)

    async def show_openapi(request: Request) -> Response:
        return Response(write_json(describe_api()), media_type="application/json")

    about = [Route("/openapi.json", show_openapi), Route("/api", show_api)]
    routes = [*api.list_routes(logins), *about, *pages.list_routes(logins, hours, tls=tls)]
    app = Starlette(routes=routes, exception_handlers={404: miss, 405: miss_method, 500: break_down})
    return Guard(app, door.policy.server.hosts, tls=tls)


def _is_for_programs(request: Request) -> bool:
    return request.url.path.startswith(("/v1/", "/static/", "/health"))
