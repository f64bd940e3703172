"""The paths for programs, under /v1: JSON in, and JSON, Arrow or CSV out."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from discreet.answers.export import describe_columns, write_json
from discreet.base.errors import (
    BudgetError,
    DiscreetError,
    FailedError,
    PendingError,
    QueryError,
    SuspendedError,
)
from discreet.server.accounts.book import LoginError
from discreet.server.documents import to_answer
from discreet.server.door import GuestVisit
from discreet.server.http.files import FORMATS, write_file
from discreet.server.http.logins import Logins
from discreet.server.public_facts import write_tables
from discreet.server.questions import AnyAsked, Asked
from discreet.server.requests import read_asked, read_bounds, read_choice
from discreet.server.turns import BusyError

STATUS: tuple[tuple[type[DiscreetError], int], ...] = (
    (LoginError, 401),
    (BusyError, 429),
    (BudgetError, 402),
    (SuspendedError, 403),
    (QueryError, 400),
    (PendingError, 503),
    (FailedError, 500),
)


def list_routes(logins: Logins) -> list[Route]:
    """Return the paths; each needs a token or a login, but /health."""

    def guarded(answer: Callable[[GuestVisit, Request], Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            try:
                return await answer(await logins.find(request, check=False), request)
            except DiscreetError as trouble:
                return write_error(trouble)

        return handle

    return [
        Route("/health", show_health, methods=["GET"]),
        Route("/v1/tables", guarded(show_tables), methods=["GET"]),
        Route("/v1/explain", guarded(explain), methods=["POST"]),
        Route("/v1/ask", guarded(ask), methods=["POST"]),
        Route("/v1/choose/explain", guarded(explain_choice), methods=["POST"]),
        Route("/v1/choose", guarded(choose), methods=["POST"]),
        Route("/v1/bounds", guarded(find_bounds), methods=["POST"]),
        Route("/v1/budget", guarded(show_budget), methods=["GET"]),
        Route("/v1/ledger", guarded(show_entries), methods=["GET"]),
        Route("/v1/receipts/{number:int}", guarded(show_receipt), methods=["GET"]),
    ]


async def show_health(request: Request) -> Response:
    """Say that the server lives."""
    return _json({"status": "ok"})


async def show_tables(visit: GuestVisit, request: Request) -> Response:
    """Return what is public about the tables."""
    return _json({"tables": write_tables(await visit.list_tables())})


async def explain(visit: GuestVisit, request: Request) -> Response:
    """Say what a question would give and cost: free."""
    return await _describe(visit, await _read_asked(request))


async def explain_choice(visit: GuestVisit, request: Request) -> Response:
    """Say what a choice among candidates would give and cost: free."""
    return await _describe(visit, read_choice(await _read_object(request)))


async def _describe(visit: GuestVisit, asked: AnyAsked) -> Response:
    described = await visit.describe(asked)
    return _json({"columns": describe_columns(described.fields), "text": described.text})


async def ask(visit: GuestVisit, request: Request) -> Response:
    """Answer a question and charge for it."""
    return await _answer(visit, request, await _read_asked(request))


async def choose(visit: GuestVisit, request: Request) -> Response:
    """Choose among public candidates: charged, and handed out on its tick, like every question."""
    return await _answer(visit, request, read_choice(await _read_object(request)))


async def find_bounds(visit: GuestVisit, request: Request) -> Response:
    """Find bounds of a column privately: charged, and handed out on its tick, like every question."""
    return await _answer(visit, request, read_bounds(await _read_object(request)))


async def _answer(visit: GuestVisit, request: Request, asked: AnyAsked) -> Response:
    format = request.query_params.get("format", "json")
    if format not in FORMATS:
        raise QueryError(f"format is {format[:20]!r}; write one of {', '.join(FORMATS)}")
    answer = to_answer(await visit.ask(asked))
    body = write_file(answer, format, asked.confidence, asked.simultaneous)
    return Response(body, media_type=FORMATS[format], headers={"x-discreet-receipt": str(answer.receipt)})


async def show_budget(visit: GuestVisit, request: Request) -> Response:
    """Return what is spent and left of the analyst's own cap."""
    return _json(await visit.read_budget())


async def show_entries(visit: GuestVisit, request: Request) -> Response:
    """Return what the analyst has paid for, in numbers of their own."""
    return _json({"entries": [entry.to_dict() for entry in await visit.list_entries()]})


async def show_receipt(visit: GuestVisit, request: Request) -> Response:
    """Return one of these entries."""
    number = request.path_params["number"]
    for entry in await visit.list_entries():
        if entry.number == number:
            return _json(entry.to_dict())
    raise QueryError(f"you have no entry {number}; /v1/ledger lists yours")


async def _read_asked(request: Request) -> Asked:
    return read_asked(await _read_object(request))


async def _read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request, with the idempotency key that its header may have."""
    try:
        values = json.loads(await request.body(), parse_float=Decimal)
    except (ValueError, RecursionError):
        raise QueryError('the request is no JSON; write {"sql": "SELECT ...", "epsilon": "0.1"}') from None
    if not isinstance(values, dict):
        raise QueryError('the request is no JSON object; write {"sql": "SELECT ...", "epsilon": "0.1"}')
    key = request.headers.get("idempotency-key")
    return {**values, **({"key": key} if key is not None else {})}


def write_error(trouble: DiscreetError, status: int | None = None, more: Mapping[str, str] | None = None) -> Response:
    """Return an error as JSON, with the status that programs expect, or the one that is given."""
    status = status or next((each for kind, each in STATUS if isinstance(trouble, kind)), 503)
    told: dict[str, Any] = {"kind": type(trouble).__name__, "message": str(trouble)}
    headers = dict(more or {})
    if isinstance(trouble, BudgetError):
        told["fits"] = trouble.fits
    if isinstance(trouble, BusyError):
        headers["retry-after"] = str(max(1, round(trouble.seconds)))
    if isinstance(trouble, PendingError):
        headers["retry-after"] = "5"
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    return Response(write_json({"error": told}), status, headers, "application/json")


def _json(value: Any) -> Response:
    return Response(write_json(value), media_type="application/json")
