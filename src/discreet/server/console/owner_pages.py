"""The pages of an owner: budgets, failures, data versions, the policy and the audit log. No page shows a row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from discreet.answers.numbers import format_price
from discreet.base.exact import read_exact
from discreet.curator.owner.budget import Budget, Share
from discreet.curator.owner.check import Finding
from discreet.curator.owner.versions import DataState
from discreet.ledger import Failure, Suspension
from discreet.policy import describe_policy
from discreet.policy.model import Policy
from discreet.server.audit_log import Line
from discreet.server.console.bars import SERIES
from discreet.server.console.layout import card, list_facts, write_table, write_time
from discreet.server.console.lines import ChartPoint, Series, draw_lines
from discreet.server.console.markup import Child, Element, join, tag
from discreet.server.console.meters import draw_meter, write_share
from discreet.server.workers.own_entries import CURRENCIES
from discreet.server.workers.owner_clerk import SpendingOverTime

APART = ("question", "receipt")
LINES = 100
"""Lines of the audit log on one page."""


def write_owner_budget(budget: Budget, spending: Sequence[SpendingOverTime], late: int) -> Element:
    """Return the whole budget, every analyst's cap, both over time, and who is suspended."""
    rows = [_write_share_row(share, budget.suspended) for share in budget.analysts]
    heads = [("Analyst", False), ("Spent", False), ("Share", True), ("Cap", False), ("Asking", False)]
    return join(
        tag("h1", "Budget"),
        _list_suspensions(budget.suspended),
        card(
            tag(
                "p",
                tag("b", write_share(budget.total.left)),
                tag("span", f"left of {budget.total.caps}"),
                class_="large",
            ),
            draw_meter("The whole budget", budget.total.spent),
            list_facts((name.capitalize(), _write_part(*part)) for name, part in budget.total.parts.items()),
        ),
        card(tag("h2", "Analysts"), write_table(heads, rows, "Budgets by analyst", "stack")) if rows else None,
        card(tag("h2", "Over time"), _draw_spending(spending), kind="chart"),
        tag("p", f"Answers that left after their first tick since the server started: {late:,}.", class_="soft small"),
    )


def _write_part(share: float, cap: float) -> str:
    return f"{write_share(share) if share <= 1 else 'more than all'} of {cap:.4g}"


def _write_share_row(share: Share, suspended: Sequence[Suspension]) -> list[Child]:
    held = any(each.analyst == share.name for each in suspended)
    meter = draw_meter(share.name, share.spent)
    return [share.name, meter, write_share(share.spent), share.caps, "suspended" if held else "open"]


def _draw_spending(spending: Sequence[SpendingOverTime]) -> Element:
    """Return the share of each cap that was spent, in percent."""
    series = [
        Series(
            each.name,
            tuple(ChartPoint(datetime.fromisoformat(at), round(100 * share, 4), None) for at, share in each.times),
        )
        for each in spending
        if each.times
    ]
    if not series:
        return tag("p", "Nothing was spent yet.", class_="soft")
    return join(
        draw_lines("Percent of each cap that was spent, over time", series[:SERIES], stepped=True),
        tag("p", "Percent of each cap, as it is today.", class_="soft small"),
    )


def _list_suspensions(suspended: Sequence[Suspension]) -> Element | None:
    if not suspended:
        return None
    rows = [
        tag(
            "li",
            tag(
                "span",
                tag("b", each.analyst or "Whoever asks without a name"),
                f" after entry {each.charge}, ",
                write_time(each.at),
            ),
            _write_button("/owner/resume", "Resume", analyst=each.analyst or ""),
        )
        for each in suspended
    ]
    return card(
        tag("h2", "Suspended"),
        tag(
            "p",
            "A question of theirs failed or was late after its charge. See to why before you let them go on: "
            "what failed may fail again, and tell about the data.",
        ),
        tag("ul", rows, class_="actions"),
        kind="alarm",
    )


def _write_button(action: str, words: str, **values: str) -> Element:
    hidden = [tag("input", type="hidden", name=name, value=value) for name, value in values.items()]
    who = next(iter(values.values()), "")
    return tag("form", hidden, tag("button", words, aria_label=f"{words} {who}".strip()), method="post", action=action)


def write_failures(failures: Sequence[Failure], suspended: Sequence[Suspension]) -> Element:
    """Return what failed after its charge. An engine's words may quote rows, so each is shown when it is opened."""
    rows = [
        tag(
            "li",
            tag(
                "details",
                tag(
                    "summary",
                    write_time(each.at),
                    f" · entry {each.charge} · {each.analyst or 'no name'} · {each.where}",
                ),
                tag("pre", tag("code", each.words), tabindex="0", aria_label=f"What failed in entry {each.charge}"),
            ),
        )
        for each in failures
    ]
    again = tag(
        "form",
        tag("label", "Entry", for_="charge"),
        tag("input", id="charge", name="charge", inputmode="numeric", required=True, size="8", autocomplete="off"),
        tag("button", "Let it run again"),
        method="post",
        action="/owner/retry",
        class_="row",
    )
    return join(
        tag("h1", "Failures"),
        _list_suspensions(suspended),
        tag("p", "In the engine's own words, which may quote rows: for your eyes only.", class_="soft"),
        card(tag("ul", rows, class_="plain")) if rows else card(tag("p", "Nothing failed.")),
        card(
            tag("h2", "A charge whose runs died"),
            tag("p", "It is run again when it is asked for, at no further charge.", class_="soft"),
            again,
        ),
    )


def write_data(states: Sequence[DataState]) -> Element:
    """Return the tables' versions; those whose files changed can be accepted under a new one."""
    changed = [each for each in states if not each.accepted]
    rows: list[list[Child]] = [
        [
            each.table,
            each.version,
            "named in the policy" if each.declared else "as accepted" if each.accepted else "changed",
        ]
        for each in states
    ]
    return join(
        tag("h1", "Data"),
        [_write_changed(each, place) for place, each in enumerate(changed)],
        card(
            tag("h2", "Versions"),
            write_table([("Table", False), ("Version", False), ("Files", False)], rows, "Versions of the data"),
        ),
        tag("p", "A new version never gives budget back: the people in the data are the same.", class_="soft small"),
    )


def _write_changed(state: DataState, place: int) -> Element:
    form = tag(
        "form",
        tag("input", type="hidden", name="table", value=state.table),
        tag("label", "New version", for_=f"version{place}"),
        tag(
            "input", id=f"version{place}", name="version", required=True, maxlength="200", size="12", autocomplete="off"
        ),
        tag("button", "Accept", aria_label=f"Accept {state.table}", class_="main"),
        method="post",
        action="/owner/accept",
        class_="row",
    )
    what = f"changed since version {state.version!r} was accepted" if state.known else "was never accepted"
    words = (
        "Recorded answers stay as they are. Once you accept the files under a new version, "
        "questions are answered anew on them, and paid anew from what is left of the budget."
    )
    return card(tag("h2", f"{state.table} {what}"), tag("p", words), form, kind="alarm")


def write_policy(policy: Policy, findings: Sequence[Finding], changed: bool) -> Element:
    """Return the policy as it was read, beside what `discreet check` finds now."""
    rows: list[list[Child]] = [
        [
            tag(
                "span",
                "to do" if each.to_do else "note" if each.what == "warning" else "fits",
                class_=f"mark {'bad' if each.to_do else 'good'}",
            ),
            each.what,
            each.words,
        ]
        for each in findings
    ]
    told: dict[str, Any] = describe_policy(policy)
    budget = told["budget"]
    return join(
        tag("h1", "Policy"),
        tag(
            "p",
            "The file has changed since the server started, which goes on with what it read then. "
            "Restart it to use the new one.",
            class_="trouble",
            role="status",
        )
        if changed
        else None,
        card(
            tag("h2", "Does everything fit?"),
            write_table([("State", False), ("What", False), ("Found", False)], rows, "What the check found", "stack"),
        ),
        card(
            tag("h2", "As it was read"),
            list_facts(
                [
                    *((name.replace("_", " ").capitalize(), str(value)) for name, value in budget.items()),
                    ("Neighbours", told["neighbours"]),
                    ("Analysts", ", ".join(each.name for each in policy.analysts) or "none"),
                ]
            ),
            [_write_declared(name, table) for name, table in told["tables"].items()],
        ),
        tag(
            "details",
            tag("summary", "All of it, as JSON"),
            tag(
                "pre",
                tag("code", json.dumps(told, indent=2, ensure_ascii=False)),
                tabindex="0",
                aria_label="The policy as JSON",
            ),
        ),
    )


def _write_declared(name: str, table: dict[str, Any]) -> Element:
    rows: list[list[Child]] = [
        [
            tag("code", column),
            json.dumps({key: value for key, value in facts.items() if value is not None}, ensure_ascii=False),
        ]
        for column, facts in table["columns"].items()
    ]
    facts = [
        (key.replace("_", " "), str(value))
        for key, value in table.items()
        if key != "columns" and value not in (None, [], False)
    ]
    return tag(
        "details",
        tag("summary", name),
        list_facts(facts),
        write_table([("Column", False), ("Declared", False)], rows, f"Declared columns of {name}") if rows else None,
    )


def write_log(lines: Sequence[Line], who: str, names: Sequence[str], problems: Sequence[str], count: int) -> Element:
    """Return lines of the audit log, the newest first, and whether its chain holds."""
    rows: list[list[Child]] = [
        [f"{line.number:,}", write_time(line.at), line.kind, line.who, _write_body(line.body)] for line in lines
    ]
    options = [tag("option", name or "everybody", value=name, selected=name == who) for name in ("", *names)]
    form = tag(
        "form",
        tag("label", "Who", for_="who"),
        tag("select", options, id="who", name="who"),
        tag("button", "Show"),
        method="get",
        action="/owner/log",
        class_="row",
    )
    more = None
    if len(lines) == LINES:
        older = urlencode({"before": lines[-1].number, "who": who})
        more = tag("p", tag("a", "Older lines", href=f"/owner/log?{older}"))
    state = "The chain holds together" if not problems else "; ".join(problems[:5])
    return join(
        tag("h1", "Audit log"),
        tag("p", f"{count:,} lines. {state}.", class_="soft" if not problems else "trouble"),
        card(
            form,
            write_table(
                [("Line", True), ("When", False), ("What", False), ("Who", False), ("More", False)],
                rows,
                "Lines of the audit log",
                "log stack",
            ),
            more,
        ),
    )


def _write_body(body: dict[str, Any]) -> Element:
    question = body.get("question")
    rest = [f"{name} {_write_fact(name, value)}" for name, value in body.items() if name not in APART and value != ""]
    return join(
        tag("code", str(question), class_="question") if question is not None else None, tag("small", ", ".join(rest))
    )


def _write_fact(name: str, value: Any) -> str:
    """Return one thing that a line says; exact amounts are rounded up."""
    if name not in CURRENCIES or not isinstance(value, str):
        return str(value)
    return format_price(read_exact(value))
