"""Small drawings in a page: texts that are nothing but text, and numbers on axes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from discreet.answers.words import to_one_line

NARROW, WIDE = frozenset("ijltfrI.,:;'|!()[] "), frozenset("mwMW@%")


def safe(text: str) -> str:
    """Return text that is nothing but text in a page: escaped, and without control characters."""
    return escape(to_one_line(text), quote=True)


def cut(text: str, width: float) -> str:
    """Return as much of a text as fits into so many points in letters of 11 points: its two ends, and dots between.

    Names that begin alike often end in what tells them apart.

    >>> cut("north", 60), cut("a very long name of ward 12", 80)
    ('north', 'a very…rd 12')
    """
    if measure(text) <= width:
        return text
    room = width - measure("…")
    head = tail = ""
    while len(head) < len(text) and (not head or measure(head + text[len(head)]) <= 0.6 * room):
        head += text[len(head)]
    while measure(head + tail + text[-len(tail) - 1]) <= room:
        tail = text[-len(tail) - 1] + tail
    return f"{head.rstrip()}…{tail.lstrip()}"


def measure(text: str) -> float:
    """Return about how wide a text is, in points, in letters of 11 points: of wide fonts, so that none is cut off."""
    return sum(
        4.4 if each in NARROW else 10.6 if each in WIDE else 7.1 if ord(each) < 0x2E80 else 11.5 for each in text
    )


def label(x: float, y: float, text: str, width: float, anchor: str = "start", kind: str = "") -> str:
    """Return a text in a drawing, cut to a width; the whole of it appears where one points at it."""
    line = to_one_line(text) or '""'
    shown = cut(line, width)
    whole = f"<title>{escape(line)}</title>" if shown != line else ""
    sort = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{sort}>{whole}{escape(shown)}</text>'


def draw(width: float, height: float, parts: Iterable[str], words: str) -> str:
    """Return a drawing of this size; the words say what it shows to those who do not see it."""
    return (
        f'<svg width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{safe(words)}">{"".join(parts)}</svg>'
    )


def box(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    """Return a rectangle in one of the page's colours."""
    sizes = f'width="{max(width, 0):.2f}" height="{max(height, 0):.2f}"'
    return f'<rect x="{x:.2f}" y="{y:.2f}" {sizes} fill="var(--{fill})"{" " + more if more else ""}/>'


def stroke(path: str, colour: str, width: float = 1.0, more: str = "") -> str:
    """Return a line in one of the page's colours."""
    return (
        f'<path d="{path}" fill="none" stroke="var(--{colour})" stroke-width="{width:g}"{" " + more if more else ""}/>'
    )


def choose_ticks(most: float, wanted: int = 4) -> list[float]:
    """Return round numbers from 0 to about the largest, for an axis.

    >>> choose_ticks(870), choose_ticks(0.9, 2)
    ([0.0, 200.0, 400.0, 600.0, 800.0], [0.0, 0.5])
    """
    if not math.isfinite(most) or most <= 0:
        return [0.0]
    rough = most / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda each: abs(math.log(each / rough)))
    return [step * place for place in range(int(most / step + 1e-9) + 1)]


def write_number(value: float) -> str:
    """Return a number of rows as a person reads it.

    >>> write_number(1234567.8), write_number(0.26), write_number(2.5e9), write_number(-0.04)
    ('1,234,568', '0.3', '2.5G', '0')
    """
    if abs(value) >= 1e7:
        size, letter = next(each for each in ((1e12, "T"), (1e9, "G"), (1e6, "M")) if abs(value) >= each[0])
        return f"{value / size:.4g}{letter}"
    if abs(value) < 10 and round(value, 1) != round(value):
        return f"{value:.1f}"
    return f"{round(value):,}"
