"""The page where questions are written: the editor, the price list while one types, and the answer."""

from __future__ import annotations

import json
import secrets

from discreet.answers.answer import Answer
from discreet.answers.numbers import format_interval, format_price, format_value
from discreet.answers.sheet import Sheet
from discreet.answers.words import describe
from discreet.curator.owner.tables import Tables
from discreet.server.console.charts import draw_chart
from discreet.server.console.completing import count_rows, list_completions
from discreet.server.console.layout import card, list_facts, name_count, show_trouble, write_table
from discreet.server.console.markup import Child, Element, join, tag
from discreet.server.questions import Offer, Preview

MOST_ROWS = 1_000
"""Rows of an answer that a page shows; a download has all."""

FEW_ROWS = 12
"""Rows that are seen at once; below more of them stands how many there are, since they scroll."""

NO_FIT = "does not fit"


def write_asking(tables: Tables, sql: str, epsilon: str, result: Child = None) -> Element:
    """Return the editor with its price and what is known of the question; it works without scripts too."""
    question = tag(
        "textarea",
        sql,
        id="question",
        name="sql",
        rows="7",
        required=True,
        maxlength="100000",
        spellcheck="false",
        autocapitalize="off",
        placeholder=next((count_rows(each.table.name) for each in tables if not each.table.public), "SELECT ..."),
        data_schema=json.dumps(list_completions(tables)),
    )
    form = tag(
        "form",
        tag("label", "Your question, in SQL", for_="question", id="question-label"),
        tag("div", question, class_="editor"),
        tag(
            "p",
            "Ctrl+Space completes. Ctrl+Enter asks. Prices show while you type: that is free.",
            id="question-hint",
            class_="soft small",
        ),
        tag(
            "div",
            tag("label", "Epsilon", for_="epsilon"),
            tag(
                "input",
                id="epsilon",
                name="epsilon",
                value=epsilon,
                inputmode="decimal",
                maxlength="40",
                autocomplete="off",
                size="8",
                aria_describedby="epsilon-hint",
            ),
            tag("button", "Ask and pay", id="ask-button", class_="main"),
            tag("span", "How much privacy to spend. There is no default.", id="epsilon-hint", class_="soft small"),
            class_="row",
        ),
        tag(
            "details",
            tag("summary", "More"),
            tag(
                "label",
                tag("input", type="checkbox", name="fresh", value="yes"),
                " New noise: ask again what was answered before, and pay again",
                class_="check",
            ),
        ),
        write_key(),
        id="asking",
        method="post",
        action="/ask",
        hx_post="/ask",
        hx_target="#answer",
        hx_sync="this:drop",
        hx_indicator="#waiting",
    )
    watcher = tag(
        "div",
        hx_post="/preview",
        hx_trigger="load, input from:#asking delay:450ms",
        hx_target="#preview",
        hx_include="#asking",
        hx_sync="this:replace",
        hidden=True,
    )
    waiting = tag(
        "p",
        tag("span", class_="spinner", aria_hidden="true"),
        "The answer leaves on its public schedule.",
        id="waiting",
        class_="waiting",
        role="status",
    )
    return join(
        tag("h1", "Ask"),
        tag(
            "div",
            tag("div", card(form, watcher), class_="left"),
            tag("aside", tag("div", _show_hint(), id="preview", aria_live="polite"), aria_label="What it would cost"),
            class_="desk",
        ),
        waiting,
        tag("div", result, id="answer"),
    )


def write_key(*, again: bool = False) -> Element:
    """Return the key by which a repeated request for new noise is known; `again` puts a new one into the form."""
    oob = {"hx_swap_oob": "true"} if again else {}
    return tag("input", type="hidden", name="key", id="key", value=secrets.token_hex(16), **oob)


def _show_hint() -> Element:
    return card(
        tag("h2", "Price list"),
        tag(
            "p", "Write a question: what it would cost, and how far the answer would err, appears here.", class_="soft"
        ),
    )


def write_preview(preview: Preview | None, patience: float) -> Element:
    """Return the price list of a question, and what it gives at the price that was named."""
    if preview is None:
        return _show_hint()
    chosen = preview.chosen
    rows = [_write_offer(each, chosen) for each in preview.offers]
    if chosen is not None and chosen.epsilon not in {each.epsilon for each in preview.offers}:
        rows.insert(0, _write_offer(chosen, chosen))
    errors = [what for what, _ in preview.offers[0].errors]
    price_list = card(
        tag("h2", "Price list"),
        tag("ul", rows, class_="offers" if len(errors) == 1 else "offers many"),
        tag(
            "p",
            "Errors are half-widths of 95 % intervals",
            f" of {', '.join(errors)}" if len(errors) == 1 else "",
            ".",
            class_="soft small",
        ),
    )
    if chosen is None:
        return join(tag("p", "Choose a price, or write an epsilon of your own.", class_="note"), price_list)
    return join(_write_chosen(preview, chosen, patience), price_list)


def _write_offer(offer: Offer, chosen: Offer | None) -> Element:
    is_chosen = chosen is not None and chosen.epsilon == offer.epsilon
    errors = [
        tag("span", f"{what} " if len(offer.errors) > 1 else "", tag("b", _shorten(words)))
        for what, words in offer.errors[:6]
    ]
    return tag(
        "li",
        tag(
            "button",
            tag("span", "ε ", tag("b", offer.epsilon), class_="price"),
            tag("span", errors or "chosen keys", class_="errors"),
            tag(
                "span", f"fits {name_count(offer.more, 'time')}" if offer.more else "does not fit", class_="soft small"
            ),
            type="button",
            data_epsilon=offer.epsilon,
            aria_pressed="true" if is_chosen else "false",
        ),
    )


def _shorten(words: str) -> str:
    """Return an error as a price list has it.

    >>> _shorten("+- 12 at 95%"), _shorten("depends on the count: the noise above, divided by it")
    ('± 12', 'depends on the count')
    """
    return words.replace("+-", "±").removesuffix(" at 95%").partition(":")[0]


def _write_chosen(preview: Preview, chosen: Offer, patience: float) -> Element:
    if preview.known:
        fits = "You have paid for this answer: asking again is free."
    elif chosen.more:
        fits = (
            f"{name_count(chosen.more, 'such question')} still fit{'s' if chosen.more == 1 else ''} into your budget."
        )
    else:
        fits = "This does not fit into what is left of your budget."
    wait = 0.0 if preview.known else preview.seconds * patience
    return card(
        tag("h2", f"At epsilon {chosen.epsilon}"),
        tag("p", fits, class_="fits" if chosen.more or preview.known else "fits none"),
        tag(
            "p", f"The answer leaves {wait:,.1f} s after it is asked for." if wait >= 0.05 else "", class_="soft small"
        ),
        tag("details", tag("summary", "How it is computed"), _write_explanation(preview.text)),
    )


def _write_explanation(text: str) -> Element:
    """Return the lines of an explanation: a word, and what is said of it."""
    lines = [line for line in text.split("\n") if line.strip()]
    return list_facts((line[:11].strip(), line[11:].replace("+-", "±")) for line in lines)


def write_answer(answer: Answer, name: str, *, key: bool = True) -> Element:
    """Return an answer: its chart, its table, what it cost, its files and its receipt. `name` finds it again."""
    sheet = answer.sheet()
    chart = draw_chart(sheet)
    free = answer.receipt.paid == "free"
    cost = "Nothing this time: you had paid for it" if free else _write_price(answer)
    files = [
        tag("a", words, href=f"/answers/{name}.{ending}", download=f"answer.{ending}", class_="button")
        for ending, words in (("csv", "CSV"), ("json", "JSON"), ("arrow", "Arrow"))
    ]
    own = tag("a", f"Receipt {answer.receipt.entry}", href=f"/receipts/{answer.receipt.entry}", class_="button")
    told = [(label, words) for label, words in describe(sheet) if label not in ("", "cost", "receipt")]
    return join(
        tag("h2", "Answer", tabindex="-1", class_="first"),
        card(chart, kind="chart") if chart is not None else None,
        card(
            tag("p", "Cost: ", tag("b", cost), class_="cost"),
            tag("p", files, own, class_="row"),
            list_facts(told),
        ),
        card(
            _write_rows(sheet),
            tag("p", _count_rows(len(sheet.rows)), class_="soft small") if len(sheet.rows) > FEW_ROWS else None,
        ),
        write_key(again=True) if key else None,
    )


def _count_rows(count: int) -> str:
    """Return how many rows there are, and whether all are shown.

    >>> _count_rows(731), _count_rows(1200)
    ('731 rows.', 'The first 1,000 of 1,200 rows; the files have all.')
    """
    if count <= MOST_ROWS:
        return f"{count:,} rows."
    return f"The first {MOST_ROWS:,} of {count:,} rows; the files have all."


def _write_price(answer: Answer) -> str:
    prices = [(name, getattr(answer.cost, name)) for name in ("epsilon", "rho", "delta")]
    parts = [f"{name} {format_price(value)}" for name, value in prices if value and value != float("inf")]
    return ", ".join(parts) or "nothing"


def _write_rows(sheet: Sheet) -> Element:
    if not sheet.rows:
        return tag("p", "No rows.", class_="soft")
    heads = [(field.name, field.type.numeric) for field in sheet.fields]
    rows = [
        [
            join(
                format_value(value, pair, field.noisy),
                tag("small", format_interval(value, pair)) if pair is not None else None,
            )
            for field, value, pair in zip(sheet.fields, row, bounds, strict=True)
        ]
        for row, bounds in zip(sheet.rows[:MOST_ROWS], sheet.bounds, strict=False)
    ]
    return write_table(heads, rows, "The answer as a table", "answer")


def write_refusal(words: str) -> Element:
    """Return why a question was not answered; the form gets a new key."""
    return join(show_trouble(words), write_key(again=True))
