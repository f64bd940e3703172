"""The other pages of an analyst: tables, history, receipts and the budget. They show nobody else's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from discreet.answers.numbers import format_price
from discreet.base.exact import read_exact
from discreet.curator.owner.tables import Tables, describe_column
from discreet.policy.schema import Resolved
from discreet.server.console.completing import count_rows
from discreet.server.console.layout import card, list_facts, name_count, write_table, write_time
from discreet.server.console.markup import Child, Element, join, tag
from discreet.server.console.meters import draw_meter, write_share
from discreet.server.workers.own_entries import CURRENCIES, OwnEntry

SHOWN = 200
"""Entries that the history shows; the API lists all."""

MOST_MARKS = 300


def write_tables(tables: Tables) -> Element:
    """Return what is public about the tables that an analyst may ask."""
    views = [
        card(
            tag("h2", view.name, tag("span", "view", class_="badge")),
            tag("pre", tag("code", view.sql), tabindex="0", aria_label=f"SQL of {view.name}"),
            _link_question(view.name),
        )
        for view in tables.views
    ]
    return join(
        tag("h1", "Tables"),
        tag(
            "p",
            "Names, types, bounds and values are declared by the owner: they are public, and free to read.",
            class_="soft",
        ),
        [_write_table(each) for each in tables],
        views,
    )


def _write_table(resolved: Resolved) -> Element:
    table = resolved.table
    whose = "public" if table.public else f"protects each {table.whose}" if table.unit else "protects each row"
    limits = [
        (words, f"{value:,}")
        for words, value in (
            ("Declared size", table.size),
            ("Rows of a unit, at most", table.max_rows),
            ("Groups of a unit, at most", table.max_groups),
        )
        if value is not None
    ]
    return card(
        tag("h2", table.name, tag("span", whose, class_="badge")),
        list_facts(limits) if limits else None,
        write_table(
            [("Column", False), ("Type", False), ("Declared", False)],
            [
                [
                    tag("code", column.name),
                    str(column.type),
                    describe_column(column) or tag("span", "not declared", class_="soft"),
                ]
                for column in resolved.columns
            ],
            f"Columns of {table.name}",
            "columns",
        ),
        None if table.public else _link_question(table.name),
    )


def _link_question(name: str) -> Element:
    return tag("p", tag("a", f"Ask about {name}", href=f"/ask?{urlencode({'sql': count_rows(name)})}"))


def write_history(entries: Sequence[OwnEntry]) -> Element:
    """Return what an analyst has paid for, the newest first."""
    rows: list[list[Child]] = [
        [
            tag("a", str(entry.number), href=f"/receipts/{entry.number}", aria_label=f"Receipt {entry.number}"),
            write_time(entry.at),
            tag("code", entry.text, class_="question"),
            _write_amount(entry, "epsilon"),
            tag("a", "Ask again", href=again, aria_label=f"Ask again: question {entry.number}")
            if (again := ask_again(entry))
            else tag("span", "by program", title=BY_PROGRAM, class_="soft"),
        ]
        for entry in reversed(entries[-SHOWN:])
    ]
    heads = [("Receipt", True), ("When", False), ("Question", False), ("Epsilon", True), ("Again", False)]
    return join(
        tag("h1", "History"),
        tag(
            "p",
            f"{name_count(len(entries), 'answer')} that you have paid for. The same question on the same data is free.",
            class_="soft",
        ),
        card(write_table(heads, rows, "What you have paid for", "history stack"))
        if rows
        else card(tag("p", "Nothing yet. ", tag("a", "Ask a question", href="/ask"), ".")),
        tag("p", f"The newest {SHOWN} are shown.", class_="soft small") if len(entries) > SHOWN else None,
    )


BY_PROGRAM = "It had parameters, or a price that is not an epsilon: neither is written here"


def ask_again(entry: OwnEntry) -> str | None:
    """Return where a question can be asked again for nothing: at the price that was paid, to the last digit."""
    value = read_exact(entry.price["epsilon"])
    if not value or not isinstance(value, Fraction) or len(entry.text) > 4_000 or PARAMETER.search(entry.text):
        return None
    epsilon = _write_digits(value)
    return f"/ask?{urlencode({'sql': entry.text, 'epsilon': epsilon})}" if len(epsilon) <= 40 else None


PARAMETER = re.compile(r"\$\w")


def _write_digits(value: Fraction) -> str:
    """Return a number without rounding it.

    >>> _write_digits(Fraction(297, 5000)), _write_digits(Fraction(1, 3))
    ('0.0594', '1/3')
    """
    with localcontext(prec=60):
        number = Decimal(value.numerator) / value.denominator
        return f"{number:f}" if Fraction(number) == value else str(value)


def _write_amount(entry: OwnEntry, name: str) -> str:
    value = read_exact(entry.price[name])
    return format_price(value) if value and value != float("inf") else "-"


def write_receipt(entry: OwnEntry, analyst: str) -> Element:
    """Return a receipt: what was asked, what it cost, and the place in the ledger's chain that proves it."""
    mark = f"{entry.number}:{entry.hash}"
    prices = [(name, _write_amount(entry, name)) for name in CURRENCIES]
    return join(
        tag("h1", f"Receipt {entry.number}"),
        card(
            tag("pre", tag("code", entry.text), tabindex="0", aria_label="The question"),
            list_facts(
                [
                    ("Analyst", analyst),
                    ("When", write_time(entry.at)),
                    *((name.capitalize(), value) for name, value in prices if value != "-"),
                    ("Proof", tag("code", mark, class_="mark")),
                ]
            ),
            tag(
                "p",
                "Keep the proof elsewhere. The owner holds the ledger against it with ",
                tag("code", "discreet ledger --verify --receipt"),
                ": it shows that neither this entry nor any before it was changed since.",
                class_="soft small",
            ),
            tag(
                "p",
                tag("button", "Copy the proof", type="button", data_copy=mark),
                tag(
                    "a",
                    "JSON",
                    href=f"/receipts/{entry.number}.json",
                    download=f"receipt-{entry.number}.json",
                    class_="button",
                ),
                tag("a", "Ask again", href=again, class_="button") if (again := ask_again(entry)) else None,
                class_="row",
            ),
        ),
    )


def write_budget(budget: dict[str, Any], entries: Sequence[OwnEntry]) -> Element:
    """Return an analyst's own budget as a picture: what each question took, and what still fits."""
    counted = min(("epsilon", "rho"), key=lambda name: budget["parts"].get(name, {"spent": 2.0})["spent"])
    marks = [
        (float(read_exact(entry.price[counted])), f"{entry.number}: {entry.text[:200]}")
        for entry in entries[-MOST_MARKS:]
    ]
    parts = [
        join(
            tag(
                "h3",
                PARTS[name],
                " ",
                tag("span", f"{write_share(min(part['spent'], 1.0))} of {part['cap']:.4g}", class_="soft"),
            ),
            draw_meter(PARTS[name], part["spent"]),
        )
        for name, part in budget["parts"].items()
    ]
    fits = [[price, f"{count:,}"] for price, count in budget["questions"].items()]
    return join(
        tag("h1", "Budget"),
        tag("p", "Asking is suspended for you until the owner has seen to a failure.", class_="trouble", role="status")
        if budget["suspended"]
        else None,
        card(
            tag(
                "p",
                tag("b", write_share(budget["left"])),
                tag("span", "left of epsilon ", f"{budget['epsilon']:g}"),
                class_="large",
            ),
            draw_meter("Your budget", budget["spent"], marks=marks),
            tag("p", f"Each part is one of your {name_count(len(entries), 'answer')}.", class_="soft small")
            if entries
            else None,
        ),
        card(
            tag("h2", "How many questions still fit"),
            write_table([("Epsilon", True), ("Questions", True)], fits, "How many questions still fit", "narrow"),
            tag(
                "p",
                "With Laplace noise; Gaussian noise may fit more. The price list says it for a question of yours.",
                class_="soft small",
            ),
        ),
        card(
            tag("h2", "Currencies"), parts, tag("p", "A question fits while epsilon or rho does.", class_="soft small")
        )
        if len(parts) > 1
        else None,
    )


PARTS = {"epsilon": "Epsilon", "rho": "Rho", "delta": "Delta, for keys from the data"}
