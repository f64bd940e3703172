"""Error bars in a line of text or a small drawing; all bars of a column share one scale, so it reads as a dot plot."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from discreet.answers.fields import Bounds, Number, Row
from discreet.answers.numbers import to_float

Pair = tuple[Number, Number]


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters of a bar: both ends, the line, the value, ends that go on for ever, and the words beside it."""

    left: str
    line: str
    dot: str
    right: str
    less: str
    more: str
    plus_minus: str
    cut: str
    rule: str


UNICODE = Marks("├", "─", "●", "┤", "◄", "►", "±", "…", "─")
ASCII = Marks("|", "-", "o", "|", "<", ">", "+-", "~", "-")


def choose_marks(encoding: str) -> Marks:
    """Return the characters that a terminal with this encoding can print."""
    try:
        "├─●┤◄►±…".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return ASCII
    return UNICODE


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where a column's values and finite interval ends go."""

    low: float
    high: float

    @classmethod
    def of(cls, rows: Iterable[Row], bounds: Iterable[Bounds], place: int) -> Scale | None:
        """Return the scale of one column; None where nothing finite is in it."""
        ends = [to_float(row[place]) for row in rows]
        ends += [to_float(end) for row in bounds for end in row[place] or ()]
        finite = [end for end in ends if math.isfinite(end)]
        return cls(min(finite), max(finite)) if finite else None

    def at(self, value: object) -> float:
        """Return where a value lies on the scale: 0 at its low end, 1 at its high end, never outside."""
        number = to_float(value)
        if not math.isfinite(number):
            return 1.0 if number > 0 else 0.0
        width = self.high / 2 - self.low / 2
        return min(1.0, max(0.0, (number / 2 - self.low / 2) / width)) if width else 0.5


def draw_text_bar(value: object, pair: Pair | None, scale: Scale | None, width: int, marks: Marks) -> str:
    """Return one bar, exactly `width` characters wide; blank where there is neither value nor interval."""
    cells = [" "] * width
    if scale is None:
        return "".join(cells)

    def column(end: object) -> int:
        return round(scale.at(end) * (width - 1))

    if pair is not None:
        first, last = column(pair[0]), column(pair[1])
        cells[first : last + 1] = marks.line * (last - first + 1)
        cells[first] = marks.left if math.isfinite(to_float(pair[0])) else marks.less
        cells[last] = marks.right if math.isfinite(to_float(pair[1])) else marks.more
    if math.isfinite(to_float(value)):
        cells[column(value)] = marks.dot
    return "".join(cells)


def draw_svg_bar(value: object, pair: Pair | None, scale: Scale | None, width: int = 140, height: int = 14) -> str:
    """Return one bar as an inline drawing, in the colour of the text around it. It holds numbers only."""
    if scale is None or (pair is None and not math.isfinite(to_float(value))):
        return ""
    middle = height / 2

    def across(end: object) -> float:
        return 5 + scale.at(end) * (width - 10)

    parts = []
    if pair is not None:
        first, last = across(pair[0]), across(pair[1])
        parts.append(f'<path d="M{first:.1f} {middle:g}H{last:.1f}"/>')
        for end, place in zip(pair, (first, last), strict=True):
            if math.isfinite(to_float(end)):
                parts.append(f'<path d="M{place:.1f} {middle - 4:g}v8"/>')
    if math.isfinite(to_float(value)):
        parts.append(f'<circle cx="{across(value):.1f}" cy="{middle:g}" r="3" fill="currentColor"/>')
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" stroke="currentColor" '
        f'aria-hidden="true" style="vertical-align:middle">{"".join(parts)}</svg>'
    )
