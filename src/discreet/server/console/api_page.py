"""The page about the paths for programs: it needs no login, and holds nothing of any policy."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from discreet.server.console.layout import card, write_page, write_table
from discreet.server.console.markup import Child, Element, tag
from discreet.server.http.openapi import ERRORS, PATHS, PathFacts


async def show_api(request: Request) -> Response:
    """Show what programs may send."""
    about = tag(
        "p",
        "Programs send a token as ",
        tag("code", "Authorization: Bearer TOKEN"),
        ". The whole description is at ",
        tag("a", "/openapi.json", href="/openapi.json"),
        ".",
    )
    meanings = [[str(status), words] for status, words in ERRORS.items()]
    errors = write_table((("Status", False), ("Meaning", False)), meanings, "Errors")
    parts = [card(about), *(card(*_show(each)) for each in PATHS), card(tag("h2", "Errors"), errors)]
    return HTMLResponse(write_page("For programs", None, "/api", tag("h1", "For programs"), *parts))


def _show(facts: PathFacts) -> list[Element]:
    parts = [tag("h2", tag("code", f"{facts.method} {facts.path}")), tag("p", facts.words)]
    if facts.paid:
        parts.append(tag("p", "Paid for, and answered on the public schedule."))
    if facts.sent is not None:
        heads = (("Name", False), ("Kind", False), ("Meaning", False))
        rows: list[list[Child]] = [
            [tag("code", name), _name_kind(each), str(each.get("description", ""))] for name, each in facts.sent.items()
        ]
        parts.append(write_table(heads, rows, f"What {facts.path} takes"))
    return parts


def _name_kind(schema: dict[str, object]) -> str:
    kind = schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
