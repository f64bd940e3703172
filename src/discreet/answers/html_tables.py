"""Small tables for notebooks: what may be asked, what is left, what a question would cost. Every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_CELL = "padding:2px 8px;text-align:left;vertical-align:top"
_SMALL = "font-size:85%;opacity:0.8"


def render_table(title: str, remark: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with its title as one HTML element. None of these texts can be anything but text."""
    return render_cells(title, remark, head, ([_safe(cell) for cell in row] for row in rows))


def render_cells(title: str, remark: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the same for cells that are HTML already, such as drawings; title, remark and head are escaped."""
    beside = f' <span style="{_SMALL}">{_safe(remark)}</span>' if remark else ""
    above = f'<p style="margin:6px 0 2px"><b>{_safe(title)}</b>{beside}</p>' if title else ""
    names = "".join(f'<th scope="col" style="{_CELL}">{_safe(name)}</th>' for name in head)
    top = f"<thead><tr>{names}</tr></thead>" if head else ""
    lines = "".join("<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    return f"<div>{above}<table>{top}<tbody>{lines}</tbody></table></div>"


def render_lines(title: str, text: str) -> str:
    """Return lines of a label and its words, as `explain` writes them, as a table; blank lines part nothing there."""
    lines = (line.partition(" ") for line in text.splitlines() if line.strip())
    return render_table(title, "", (), ((label, words.strip()) for label, _, words in lines))


def render_text(text: str) -> str:
    """Return a text as a paragraph."""
    return f'<p style="{_SMALL};margin:2px 0">{_safe(text)}</p>'


def draw_share(spent: float, width: int = 160, height: int = 12) -> str:
    """Return a bar that is filled as far as a share is spent, in the colour of the text around it."""
    filled = min(1.0, max(0.0, spent)) * (width - 2)
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{spent:.2%} spent" style="vertical-align:middle" color="currentColor">'
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" fill="none" stroke="currentColor"/>'
        f'<rect x="1" y="1" width="{filled:.1f}" height="{height - 2}" fill="currentColor" opacity="0.6"/></svg>'
    )


def _safe(text: str) -> str:
    return escape(text, quote=True)
