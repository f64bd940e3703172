"""What analysts' pages do: each shows what this login's own analyst may see, and asks in their name alone."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from discreet.base.errors import DiscreetError, PendingError, QueryError
from discreet.server.console.analyst_pages import write_budget, write_history, write_receipt, write_tables
from discreet.server.console.asking_pages import write_answer, write_asking, write_preview, write_refusal
from discreet.server.console.handling import ShowPage, is_part, read_fields, show_error, show_missing, to_html
from discreet.server.console.layout import show_trouble, write_page
from discreet.server.console.shelf import AnswerShelf
from discreet.server.documents import to_answer
from discreet.server.door import GuestVisit
from discreet.server.http.files import FORMATS, write_file
from discreet.server.questions import Asked
from discreet.server.workers.own_entries import OwnEntry


def list_pages() -> list[tuple[str, str, ShowPage]]:
    """Return the pages of analysts: method, path and what shows it."""
    shelf = AnswerShelf()

    async def ask(visit: GuestVisit, request: Request) -> Response:
        asked = read_form(await read_fields(request))
        try:
            if asked.epsilon is None:
                preview = await visit.preview(asked)
                told = write_preview(preview, _get_patience(visit))
                if is_part(request):  # the list stands beside the editor already
                    told = show_trouble("Nothing was asked. Choose a price, or write an epsilon of your own.", "note")
                return await _show_result(visit, request, asked, told, 400)
            answer = to_answer(await visit.ask(asked))
        except PendingError as pending:  # the key stays: asking again finds what was paid for
            return await _show_result(visit, request, asked, show_trouble(str(pending), "note"), 503)
        except DiscreetError as refused:
            if not is_part(request):
                return show_error(visit, request, refused)
            return await _show_result(visit, request, asked, write_refusal(str(refused)), 200)
        name, part = shelf.put(visit.analyst, answer), is_part(request)
        told = await asyncio.to_thread(lambda: write_answer(answer, name, key=part))  # a large one takes its time
        return await _show_result(visit, request, asked, told, 200)

    async def download(visit: GuestVisit, request: Request) -> Response:
        name, _, ending = request.path_params["file"].partition(".")
        answer = shelf.find(visit.analyst, name)
        if answer is None or ending not in FORMATS:
            return show_missing(visit)
        headers = {"content-disposition": f'attachment; filename="answer.{ending}"'}
        whole = await asyncio.to_thread(write_file, answer, ending)
        return Response(whole, media_type=FORMATS[ending], headers=headers)

    return [
        ("GET", "/ask", show_asking),
        ("POST", "/ask", ask),
        ("POST", "/preview", preview_question),
        ("GET", "/answers/{file}", download),
        ("GET", "/tables", show_tables),
        ("GET", "/history", show_history),
        ("GET", "/receipts/{number:int}", show_receipt),
        ("GET", "/receipts/{number:int}.json", save_receipt),
        ("GET", "/budget", show_budget),
    ]


def read_form(fields: dict[str, str]) -> Asked:
    """Return the question of a form; a field that is left empty is none."""
    told = {name: fields.get(name, "").strip() for name in ("sql", "epsilon", "key")}
    if not told["sql"]:
        raise QueryError("there is no question yet; write one, such as SELECT COUNT(*) AS n FROM ...")
    fresh = fields.get("fresh") == "yes"
    return Asked(told["sql"], told["epsilon"] or None, fresh=fresh, key=(told["key"] or None) if fresh else None)


async def _show_result(visit: GuestVisit, request: Request, asked: Asked, told: Any, status: int) -> Response:
    """Return a result as a part of the page, or with the whole page around it where no script asked."""
    if is_part(request):
        return to_html(told, status)
    whole = write_asking(await visit.list_tables(), asked.sql, asked.epsilon or "", told)
    return to_html(write_page("Ask", visit, "/ask", whole, editor=True), status)


async def show_asking(visit: GuestVisit, request: Request) -> Response:
    """Show the editor, with a question where the address has one. Nothing is asked by it."""
    sql, epsilon = (request.query_params.get(name, "") for name in ("sql", "epsilon"))
    whole = write_asking(await visit.list_tables(), sql[:100_000], epsilon[:40])
    return to_html(write_page("Ask", visit, "/ask", whole, editor=True))


async def preview_question(visit: GuestVisit, request: Request) -> Response:
    """Return the price list of what is in the editor: free."""
    fields = await read_fields(request)
    if not fields.get("sql", "").strip():
        return to_html(write_preview(None, 1.0))
    try:
        preview = await visit.preview(read_form(fields))
    except DiscreetError as trouble:
        return to_html(show_trouble(str(trouble), "note"))
    return to_html(write_preview(preview, _get_patience(visit)))


def _get_patience(visit: GuestVisit) -> float:
    return float(visit.door.policy.server.patience)


async def show_tables(visit: GuestVisit, request: Request) -> Response:
    """Show what is public about the tables."""
    return to_html(write_page("Tables", visit, "/tables", write_tables(await visit.list_tables())))


async def show_history(visit: GuestVisit, request: Request) -> Response:
    """Show what the analyst has paid for."""
    return to_html(write_page("History", visit, "/history", write_history(await visit.list_entries())))


async def show_receipt(visit: GuestVisit, request: Request) -> Response:
    """Show one receipt of the analyst's own."""
    entry = await _find_entry(visit, request)
    if entry is None:
        return show_missing(visit)
    return to_html(write_page(f"Receipt {entry.number}", visit, "", write_receipt(entry, visit.analyst)))


async def save_receipt(visit: GuestVisit, request: Request) -> Response:
    """Return one receipt of the analyst's own as a file."""
    entry = await _find_entry(visit, request)
    if entry is None:
        return show_missing(visit)
    headers = {"content-disposition": f'attachment; filename="receipt-{entry.number}.json"'}
    return Response(json.dumps(entry.to_dict(), indent=1), media_type="application/json", headers=headers)


async def _find_entry(visit: GuestVisit, request: Request) -> OwnEntry | None:
    number = request.path_params["number"]
    return next((each for each in await visit.list_entries() if each.number == number), None)


async def show_budget(visit: GuestVisit, request: Request) -> Response:
    """Show the analyst's own budget."""
    budget, entries = await visit.read_budget(), await visit.list_entries()
    return to_html(write_page("Budget", visit, "/budget", write_budget(budget, entries)))
