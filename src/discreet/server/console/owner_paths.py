"""What owners' pages do. Every call goes through the door, which asks again whether it is an owner who calls."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.base.errors import DiscreetError
from discreet.policy import hash_policy, load
from discreet.policy.model import Policy
from discreet.server.audit_log import read_newest, verify_log
from discreet.server.console.handling import ShowPage, read_fields, to_html
from discreet.server.console.layout import write_page
from discreet.server.console.owner_pages import (
    LINES,
    write_data,
    write_failures,
    write_log,
    write_owner_budget,
    write_policy,
)
from discreet.server.door import GuestVisit
from discreet.server.workers.telling import OwnerError


def list_pages() -> list[tuple[str, str, ShowPage]]:
    """Return the pages of owners: method, path and what shows it."""
    return [
        ("GET", "/owner", show_budget),
        ("GET", "/owner/failures", show_failures),
        ("GET", "/owner/data", show_data),
        ("GET", "/owner/policy", show_policy),
        ("GET", "/owner/log", show_log),
        ("POST", "/owner/resume", resume),
        ("POST", "/owner/retry", retry),
        ("POST", "/owner/accept", accept),
    ]


async def show_budget(visit: GuestVisit, request: Request) -> Response:
    """Show the whole budget, every cap and both over time."""
    budget = await visit.door.call_owner(visit, "read_budget")
    spending = await visit.door.call_owner(visit, "read_spending")
    whole = write_owner_budget(budget, spending, visit.door.schedule.late)
    return to_html(write_page("Budget", visit, "/owner", whole))


async def show_failures(visit: GuestVisit, request: Request) -> Response:
    """Show what failed after its charge; that it was looked at is in the audit log."""
    failures = await visit.door.call_owner(visit, "list_failures")
    budget = await visit.door.call_owner(visit, "read_budget")
    await visit.door.log.note("failures shown", visit.analyst, where=visit.where, count=len(failures))
    return to_html(write_page("Failures", visit, "/owner/failures", write_failures(failures, budget.suspended)))


async def show_data(visit: GuestVisit, request: Request) -> Response:
    """Show the versions of the data, and what is to be accepted."""
    states = await visit.door.call_owner(visit, "list_data")
    return to_html(write_page("Data", visit, "/owner/data", write_data(states)))


async def show_policy(visit: GuestVisit, request: Request) -> Response:
    """Show the policy as it was read, and what the check finds now."""
    policy = visit.door.policy
    findings = await visit.door.call_owner(visit, "check")
    changed = await asyncio.to_thread(_has_changed, policy)
    return to_html(write_page("Policy", visit, "/owner/policy", write_policy(policy, findings, changed)))


def _has_changed(policy: Policy) -> bool:
    """Say whether the file says something else than what was read from it."""
    try:
        return hash_policy(load(policy.path)) != hash_policy(policy)
    except DiscreetError:
        return True


async def show_log(visit: GuestVisit, request: Request) -> Response:
    """Show lines of the audit log."""
    who = request.query_params.get("who", "")
    before = request.query_params.get("before", "")
    path, last = visit.door.log.path, int(before) if before.isdecimal() and len(before) < 18 else 2**62
    lines = await asyncio.to_thread(read_newest, path, LINES, last, who or None)
    count, _, problems = await asyncio.to_thread(verify_log, path)
    names = sorted({each.name for each in visit.door.policy.analysts} | {visit.analyst})
    return to_html(write_page("Audit log", visit, "/owner/log", write_log(lines, who, names, problems, count)))


async def resume(visit: GuestVisit, request: Request) -> Response:
    """Let an analyst ask again."""
    analyst = await _read_field(request, "analyst")
    await visit.door.call_owner(visit, "resume", analyst)
    await visit.door.log.note("resume", visit.analyst, analyst=analyst, where=visit.where)
    return RedirectResponse("/owner", 303)


async def retry(visit: GuestVisit, request: Request) -> Response:
    """Let a charge be run again whose runs died."""
    charge = await _read_field(request, "charge")
    if not charge.isdecimal() or len(charge) > 17:
        raise OwnerError(f"{charge[:40]!r} is no entry's number; the log of failures names them")
    await visit.door.call_owner(visit, "retry", int(charge))
    await visit.door.log.note("retry", visit.analyst, charge=int(charge), where=visit.where)
    return RedirectResponse("/owner/failures", 303)


async def accept(visit: GuestVisit, request: Request) -> Response:
    """Take a table's files as they are now, under a new version."""
    table, version = await _read_field(request, "table"), await _read_field(request, "version")
    await visit.door.call_owner(visit, "accept", table, version)
    await visit.door.log.note("data accepted", visit.analyst, table=table, version=version, where=visit.where)
    return RedirectResponse("/owner/data", 303)


async def _read_field(request: Request, name: str) -> str:
    return (await read_fields(request)).get(name, "")[:1_000]
