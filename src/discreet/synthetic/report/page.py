"""The report on a model: one page without scripts, of public facts and noisy numbers only.

Everything on it is a function of the transcript and the receipt, so it may be shown to anybody. What the owner sees
beside it, from the true rows, stands in a file of its own (`owner_page.py`).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from discreet.answers.drawing import box, draw, label, safe, write_number
from discreet.answers.export import replacing
from discreet.answers.numbers import format_percent, format_price
from discreet.answers.page import check_page, wrap_page
from discreet.answers.receipt import Receipt
from discreet.synthetic.model import SyntheticModel
from discreet.synthetic.report.association import MOST_COLUMNS, draw_map, find_associations
from discreet.synthetic.report.floor import Floor, find_floors
from discreet.synthetic.report.marginals import show_marginal
from discreet.synthetic.report.owner_page import render_owner_page
from discreet.synthetic.report.residuals import draw_residuals, find_residuals, show_readings
from discreet.synthetic.transcript import Transcript

CONFIDENCE = 0.95


def write_report(model: SyntheticModel, path: str | Path, owner: Any = None) -> list[Path]:
    """Write the report to a file, and return the files written.

    Where the owner hands in the true table (an Arrow table), a second file `NAME.owner.html` sets it beside the model.
    That one is not private: it must never be released. The first is the same with and without it.
    """
    public = check_page(path)
    pages = {public: render_page(model)}
    if owner is not None:
        pages[public.with_name(f"{public.stem}.owner.html")] = render_owner_page(model, owner)
    for target, text in pages.items():
        with replacing(target) as part:
            part.touch(mode=0o644 if target == public else 0o600)
            part.write_text(text, encoding="utf-8")
    return list(pages)


def render_page(model: SyntheticModel) -> str:
    """Return the public report as one HTML page."""
    transcript = model.transcript
    residuals = [find_residuals(model.fit, each) for each in transcript.readings]
    parts = [
        f"<h1>Synthetic model of {safe(transcript.table)}</h1>",
        '<p class="soft">Noisy numbers and public facts only: this page may be shown to anybody.</p>',
        _show_facts(model),
        "<h2>Cost, neighbours and plan</h2>",
        _show_guarantee(transcript, model.receipt),
        "<h2>Column by column</h2>",
        f'<p class="soft small">Bars are the model\'s numbers of rows; lines across them hold the true number with '
        f"{format_percent(CONFIDENCE)} confidence, each on its own.</p>",
        _show_marginals(model),
        "<h2>How columns go together</h2>",
        _show_map(model),
        "<h2>What was measured</h2>",
        '<p class="soft small">The residual is the root mean square of noisy answer less the model\'s, in standard '
        "deviations of the noise. About 1 or less is noise; far above 1, the model does not fit what was measured.</p>",
        f'<div class="card">{show_readings(transcript, residuals)}</div>',
        "<h2>Residuals</h2>",
        '<p class="soft small">Bars: all answers of all readings. Line: noise alone. A model that fits stays near the '
        "line or inside it.</p>",
        f'<div class="card wide">{draw_residuals(residuals, transcript.readings)}</div>',
        "<h2>What sampling rows adds</h2>",
        _show_floors(find_floors(model.fit, model.rows)),
    ]
    return wrap_page(f"Synthetic model of {transcript.table}", parts)


def _show_facts(model: SyntheticModel) -> str:
    transcript = model.transcript
    total = model.estimate(confidence=CONFIDENCE)
    ends = "no interval"
    if total.interval is not None:
        low, high = math.floor(total.interval[0]), math.ceil(total.interval[1])
        ends = f"{write_number(low)} to {write_number(high)} at {format_percent(CONFIDENCE)}"
    cells = transcript.domain.cells
    many = f"{cells:,}" if cells < 10**12 else f"10^{int(math.log10(cells))}"
    facts = [
        (f"{model.rows:,}", f"rows, about: {ends}"),
        (f"{len(transcript.columns)}", f"columns with {many} cells together"),
        (f"{len(transcript.readings):,}", f"readings in {len(transcript.steps):,} steps"),
        (_write_cost(model.receipt) or "not said", "what it cost"),
    ]
    return '<div class="facts">' + "".join(_show_fact(*fact) for fact in facts) + "</div>"


def _show_fact(number: str, words: str) -> str:
    return f'<div class="card"><b>{safe(number)}</b><span>{safe(words)}</span></div>'


def _write_cost(receipt: Receipt | None) -> str:
    if receipt is None:
        return ""
    prices = [(name, getattr(receipt.charge, name)) for name in ("epsilon", "rho", "delta")]
    if math.isfinite(prices[0][1]):
        prices = [prices[0], prices[2]]
    return ", ".join(f"{name} {format_price(value)}" for name, value in prices if value and math.isfinite(value))


def _show_guarantee(transcript: Transcript, receipt: Receipt | None) -> str:
    rows = "one row" if transcript.unit_rows == 1 else f"at most {transcript.unit_rows:,} rows"
    change = "is replaced by another" if transcript.replace else "is added or removed"
    lines = [
        ("neighbours", f"two tables are neighbours where one unit, with {rows}, {change}"),
        ("strategy", transcript.strategy),
        ("why", transcript.reason),
    ]
    if receipt is not None:
        whole = [(name, getattr(receipt.charge, name)) for name in ("epsilon", "rho", "delta")]
        cost = ", ".join(f"{name} {format_price(value)}" for name, value in whole if value and math.isfinite(value))
        lines.insert(0, ("cost", f"{cost or 'nothing'}; {receipt.paid}"))
        lines.append(("receipt", str(receipt)))
    else:
        lines.insert(0, ("cost", "not said: the model came without a receipt"))
    listed = "".join(f"<dt>{name}</dt><dd>{safe(words)}</dd>" for name, words in lines)
    return f'<div class="card"><dl>{listed}</dl></div>'


def _show_marginals(model: SyntheticModel) -> str:
    cards = [
        show_marginal(column, model.estimate_cells(column.name, confidence=CONFIDENCE))
        for column in model.transcript.columns
    ]
    return f'<div class="cards">{"".join(cards)}</div>'


def _show_map(model: SyntheticModel) -> str:
    transcript = model.transcript
    names = [column.name for column in transcript.columns][:MOST_COLUMNS]
    if len(names) < 2:
        return '<p class="soft">There is one column only.</p>'
    values = find_associations(model.fit, len(names))
    marked = frozenset(
        (one, other)
        for reading in transcript.readings
        for one in reading.columns
        for other in reading.columns
        if one < other < len(names)
    )
    left = len(transcript.columns) - len(names)
    more = f" The first {len(names)} columns; {left:,} more are not shown." if left else ""
    return (
        '<p class="soft small">Cramer\'s V of the model: 0 where two columns have nothing to do with each other, 1 '
        "where one tells the other. A dot marks pairs that were measured together; the others are what the model makes "
        f"of these, with no bound on its error.{more}</p>"
        f'<div class="card wide">{draw_map(names, values, marked=marked)}</div>'
    )


def _show_floors(floors: list[Floor]) -> str:
    if not floors:
        return '<p class="soft">A table without rows has no sampling error.</p>'
    width, left = 960, 170
    most = max(max(each.drawn, each.dealt) for each in floors) or 1.0
    parts = []
    for line, each in enumerate(floors):
        top = 52 * line + 6
        words = f"{each.order} column{'s' if each.order > 1 else ''}, {each.sets:,} table{'s' if each.sets > 1 else ''}"
        parts.append(label(left - 10, top + 24, words, left - 10, "end"))
        for row, (value, colour, kind) in enumerate(
            ((each.dealt, "bar", "dealt, as here"), (each.drawn, "second", "drawn one by one"))
        ):
            long = value / most * (width - left - 190)
            parts.append(box(left, top + 20 * row, max(long, 1), 15, colour, 'rx="2"'))
            parts.append(label(left + long + 6, top + 20 * row + 12, f"{value:.2%} {kind}", 190, "start", "soft"))
    drawing = draw(width, 52 * len(floors), parts, "the error that sampling adds")
    return (
        '<p class="soft small">The mean L1 distance between the table of sampled rows and the model\'s, as a part of '
        "all rows. Ask the model itself (`estimate`, `count`) where this matters: it has none of it.</p>"
        f'<div class="card wide">{drawing}</div>'
    )
