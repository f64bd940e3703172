"""What all pages share: the frame with its ways to the other pages, and the parts that they are made of."""

from __future__ import annotations

from collections.abc import Iterable

from discreet.server.accounts.account import Role
from discreet.server.console.markup import Child, Element, join, tag
from discreet.server.door import GuestVisit

ANALYST_PAGES = (("/ask", "Ask"), ("/tables", "Tables"), ("/history", "History"), ("/budget", "Budget"))
OWNER_PAGES = (
    ("/owner", "Budget"),
    ("/owner/failures", "Failures"),
    ("/owner/data", "Data"),
    ("/owner/policy", "Policy"),
    ("/owner/log", "Audit log"),
)


def write_page(
    title: str, visit: GuestVisit | None, at: str, *parts: Child | Iterable[Child], editor: bool = False
) -> str:
    """Return a whole page; `at` is its own address, as the menu has it."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", f"{title} · discreet"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/static/console.css"),
        tag("script", src="/static/console.js", defer=True),
        tag("script", src="/static/editor.js", defer=True) if editor else None,
    )
    body = tag(
        "body",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        _write_bar(visit, at),
        tag("main", *parts, id="content", tabindex="-1"),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _write_bar(visit: GuestVisit | None, at: str) -> Element:
    brand = tag("a", "discreet", href="/", class_="brand")
    if visit is None:
        return tag("header", brand, class_="bar")
    pages = OWNER_PAGES if visit.role is Role.OWNER else ANALYST_PAGES
    links = [
        tag("li", tag("a", words, href=path, aria_current="page" if path == at else None)) for path, words in pages
    ]
    who = tag(
        "form",
        tag("span", visit.analyst, class_="who", title=f"{visit.role.value} {visit.analyst}"),
        tag("button", "Log out", class_="quiet"),
        method="post",
        action="/logout",
        class_="leave",
    )
    return tag("header", brand, tag("nav", tag("ul", links), aria_label="Pages"), who, class_="bar")


def card(*parts: Child | Iterable[Child], kind: str = "") -> Element:
    """Return a part of a page on ground of its own."""
    return tag("section", *parts, class_=f"card {kind}".strip())


def write_table(
    heads: Iterable[tuple[str, bool]], rows: Iterable[Iterable[Child]], label: str, kind: str = ""
) -> Element:
    """Return a table; heads say whether a column holds numbers. It scrolls where it is too wide.

    Of the kind `stack`, rows become blocks on narrow screens, each number beside its column's name.
    """
    told, stacked = list(heads), "stack" in kind.split()
    head = tag("tr", [tag("th", words, scope="col", class_="number" if number else None) for words, number in told])

    def write_cell(cell: Child, words: str, number: bool) -> Element:
        return tag("td", cell, class_="number" if number else None, data_label=words if stacked and number else None)

    body = [tag("tr", [write_cell(cell, *each) for cell, each in zip(row, told, strict=True)]) for row in rows]
    table = tag("table", tag("thead", head), tag("tbody", body), class_=kind or None)
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label=label)


def list_facts(facts: Iterable[tuple[str, Child]]) -> Element:
    """Return words with what they stand for."""
    return tag("dl", [join(tag("dt", name), tag("dd", value)) for name, value in facts])


def write_time(at: str) -> Element:
    """Return a time as people read it, with what machines read."""
    shown = at[:19].replace("T", " ")
    return tag("time", shown, " UTC", datetime=f"{at[:19]}Z")


def show_trouble(words: str, kind: str = "trouble") -> Element:
    """Return what went wrong, as it is read out at once."""
    lines = words.split("\n")
    return tag(
        "div", tag("p", lines[0]), [tag("p", each, class_="list") for each in lines[1:]], class_=kind, role="alert"
    )


def name_count(count: int, word: str) -> str:
    """Return a number of things.

    >>> name_count(1, "row"), name_count(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"
