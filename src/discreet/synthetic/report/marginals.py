"""One column at a time: how many rows have each value, as bars, with an interval on each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.answers.drawing import box, choose_ticks, draw, label, measure, safe, stroke, write_number
from discreet.base.grid import Floats
from discreet.query.placed_columns import BinnedColumn, ListedColumn, PlacedColumn
from discreet.synthetic.intervals.estimates import CellEstimates

WIDTH = 470
MOST_LINES, MOST_LISTED = 16, 24
"""Values that get a bar and its numbers each: of ordered columns, and of lists."""


def show_marginal(column: PlacedColumn, cells: CellEstimates) -> str:
    """Return a card with the bars of one column: lying where values are few or listed, standing where they are many."""
    listed = isinstance(column, ListedColumn)
    names, places, note = list(cells.labels[0]), list(range(column.size)), ""
    if listed and column.size > MOST_LISTED:
        places = sorted(np.argsort(-cells.values, kind="stable")[:MOST_LISTED].tolist())
        others = float(cells.values.sum() - cells.values[places].sum())
        note = (
            f"the {MOST_LISTED} with most rows; {column.size - MOST_LISTED:,} others have {write_number(others)} rows"
        )
    if np.isnan(cells.low).any():
        note = "; ".join([note] * bool(note) + ["no interval where no reading tells the count"])
    if listed or column.size <= MOST_LINES:
        drawing = draw_lying(names, cells.values, cells.low, cells.high, places, column.name)
    else:
        drawing = draw_standing(names, _name_axis(column), cells.values, cells.low, cells.high, column.name)
    below = f'<p class="soft small">{safe(note)}</p>' if note else ""
    return f'<div class="card"><h3>{safe(column.name)}</h3>{drawing}{below}</div>'


def draw_lying(names: Sequence[str], values: Floats, low: Floats, high: Floats, places: Sequence[int], of: str) -> str:
    """Return a bar for each place from left to right, its interval across it, and both in numbers beside it."""
    numbers = [_write_ends(values[at], low[at], high[at]) for at in places]
    right = max(measure(value) + measure(ends) for value, ends in numbers) + 20
    left = min(max(measure(names[at]) for at in places) + 10, 130)
    across = WIDTH - left - right
    scale = across / _find_most(values[places], high[places])
    parts = [stroke(f"M{left:.1f} 2V{20 * len(places) + 4}", "grid")]
    for line, (at, (value, ends)) in enumerate(zip(places, numbers, strict=True)):
        top = 20 * line + 4
        parts.append(label(left - 6, top + 12.5, names[at], left - 8, "end"))
        parts.append(box(left, top + 2, max(float(values[at]), 0.0) * scale, 14, "bar", 'rx="2"'))
        if not math.isnan(low[at]):
            first, last = left + low[at] * scale, left + high[at] * scale
            parts.append(
                stroke(f"M{first:.1f} {top + 9}H{last:.1f}M{first:.1f} {top + 5}v8M{last:.1f} {top + 5}v8", "line")
            )
        end = left + across + 14 + max(measure(each) for each, _ in numbers)
        parts.append(label(end, top + 12.5, value, WIDTH, "end"))
        parts.append(label(WIDTH - 1, top + 12.5, ends, WIDTH, "end", "soft"))
    return draw(WIDTH, 20 * len(places) + 8, parts, f"rows by {of}, with intervals")


def draw_standing(
    names: Sequence[str], short: Sequence[str], values: Floats, low: Floats, high: Floats, of: str
) -> str:
    """Return a column for each place, its interval on top of it; a few places are named below."""
    height, left, bottom = 190, 44, 26
    most = _find_most(values, high)
    up = (height - bottom - 8) / most
    wide = (WIDTH - left - 4) / len(values)
    gap = min(wide * 0.2, 2.0)
    ground = height - bottom
    parts = []
    for tick in choose_ticks(most):
        parts.append(stroke(f"M{left} {ground - tick * up:.1f}H{WIDTH - 4}", "grid"))
        parts.append(label(left - 5, ground - tick * up + 4, write_number(tick), left, "end", "soft"))
    whiskers = []
    for at, value in enumerate(values):
        x = left + at * wide
        tall = max(float(value), 0.0) * up
        words = f"{names[at]}: {' '.join(_write_ends(value, low[at], high[at]))}".rstrip()
        parts.append(f"<g><title>{safe(words)}</title>{box(x + gap / 2, ground - tall, wide - gap, tall, 'bar')}</g>")
        if not math.isnan(low[at]):
            middle, cap = x + wide / 2, min(wide * 0.3, 4.0)
            top, end = ground - high[at] * up, ground - low[at] * up
            whiskers.append(f"M{middle:.1f} {top:.1f}V{end:.1f}")
            if wide > 5:
                whiskers.append(
                    f"M{middle - cap:.1f} {top:.1f}h{2 * cap:.1f}M{middle - cap:.1f} {end:.1f}h{2 * cap:.1f}"
                )
    parts.append(stroke("".join(whiskers), "line", min(1.2, max(wide * 0.45, 0.5))))
    chosen = _choose_names(short, left, wide)
    parts += [label(x, height - 8, short[at], room, anchor, "soft") for at, x, room, anchor in chosen]
    return draw(WIDTH, height, parts, f"rows by {of}, with intervals")


def _choose_names(names: Sequence[str], left: float, wide: float) -> list[tuple[int, float, float, str]]:
    """Return which places are named: first, last and some between, as many as there is room for."""
    room = min(max(measure(name) for name in names) + 12, 110.0)
    step = max(math.ceil(room / wide), 1)
    places = list(range(1, len(names), step))
    found = [(at, left + (at + 0.5) * wide, room - 8, "middle") for at in places]
    if len(names) - 1 - places[-1] > 0.6 * step or len(places) == 1:
        found.append((len(names) - 1, WIDTH - 2, room - 8, "end"))
        if (len(names) - 1 - places[-1]) * wide < room * 1.4 and len(places) > 1:
            del found[-2]
    if found[-1][3] == "middle" and found[-1][1] + room / 2 > WIDTH:
        at, _, width, _ = found.pop()
        found.append((at, WIDTH - 2, width, "end"))
    return found


def _name_axis(column: PlacedColumn) -> list[str]:
    """Return short names of places for an axis: of bins, where each begins."""
    names = column.describe_places()
    if not isinstance(column, BinnedColumn):
        return names
    return [names[0], *(name[1:].split(",")[0] for name in names[1:])]


def _find_most(values: Floats, high: Floats) -> float:
    ends = np.concatenate([values, high[~np.isnan(high)], [1.0]])
    return float(ends.max()) * 1.02


def _write_ends(value: float, low: float, high: float) -> tuple[str, str]:
    """Return a value and its interval in words, its ends rounded outwards."""
    if math.isnan(low):
        return write_number(value), ""
    return write_number(value), f"{write_number(math.floor(low))} – {write_number(math.ceil(high))}"  # noqa: RUF001
