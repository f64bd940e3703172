"""An answer in a notebook: a table with error bars as small drawings. No scripts; every text is escaped."""

from __future__ import annotations

from html import escape

from discreet.answers.bars import Scale, draw_svg_bar
from discreet.answers.numbers import format_interval, format_value
from discreet.answers.sheet import Sheet
from discreet.answers.words import NO_ROWS, describe

MOST_ROWS = 100
_CELL = "padding:2px 8px;white-space:nowrap;text-align:"
_SMALL = "font-size:85%;opacity:0.8;margin:2px 0"


def render_html(sheet: Sheet) -> str:
    """Return the answer as one HTML element: the first rows, then the guarantee, the cost, the receipt and the notes.

    Column names, keys, notes and the question are escaped, so that none of them can be anything but text.
    """
    rows, bounds = sheet.rows[:MOST_ROWS], sheet.bounds[:MOST_ROWS]
    scales = [Scale.of(rows, bounds, place) for place in range(len(sheet.fields))]
    wide = [any(pairs[place] is not None for pairs in bounds) for place in range(len(sheet.fields))]
    head = "".join(
        f'<th colspan="{3 if spread else 1}" style="{_CELL}{_side(field.type.numeric and not spread)}">'
        f"{_safe(field.name)}</th>"
        for field, spread in zip(sheet.fields, wide, strict=True)
    )
    body = []
    for row, pairs in zip(rows, bounds, strict=True):
        cells = []
        for field, value, pair, scale, spread in zip(sheet.fields, row, pairs, scales, wide, strict=True):
            cells.append(_cell(format_value(value, pair, field.noisy), _side(field.type.numeric)))
            if spread:
                cells += [_cell(format_interval(value, pair), "left"), _drawing(draw_svg_bar(value, pair, scale))]
        body.append(f"<tr>{''.join(cells)}</tr>")
    left = len(sheet.rows) - len(rows)
    more = f'<p style="{_SMALL}">and {left:,} more rows</p>' if left else ""
    more = more if sheet.rows else f'<p style="{_SMALL}">{NO_ROWS}</p>'
    return (
        f"<div>{_question(sheet.question)}<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        f"{more}{''.join(_line(*line) for line in describe(sheet))}</div>"
    )


def _safe(text: str) -> str:
    return escape(text, quote=True)


def _side(numeric: bool) -> str:
    return "right" if numeric else "left"


def _cell(text: str, side: str) -> str:
    return f'<td style="{_CELL}{side}">{_safe(text)}</td>'


def _drawing(svg: str) -> str:
    return f'<td style="{_CELL}left">{svg}</td>'


def _question(question: str) -> str:
    return f'<pre style="{_SMALL}">{_safe(question)}</pre>' if question else ""


def _line(label: str, words: str) -> str:
    if label == "receipt":
        return f'<p style="{_SMALL}">receipt <code>{_safe(words)}</code></p>'
    return f'<p style="{_SMALL}">{_safe(f"{label}: {words}" if label else words)}</p>'
