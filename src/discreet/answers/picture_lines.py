"""Lines over time: a point for every row, the intervals as a band around it, a line for each value of another key."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from typing import Any

from discreet.answers.arrow import require_module
from discreet.answers.bars import Pair
from discreet.answers.picture_parts import (
    COLOURS,
    dress_number_axis,
    find_reach,
    hold,
    hold_ends,
    list_keys,
    quote_label,
    write_label,
)
from discreet.answers.sheet import Sheet
from discreet.base.types import Type

MOST_POINTS = 3_000
MARKED = 60
"""Points of one line that get a mark each."""

TIMES = (Type.DATE, Type.TIMESTAMP)


@dataclass(frozen=True)
class LineChart:
    """The times of the rows, and the line that each belongs to; rows without a time are left out."""

    times: tuple[date | None, ...]
    lines: tuple[int, ...]
    series: tuple[tuple[str, str], ...]
    coloured: str = ""
    """The name of the key that has the colours."""
    inches: float = 3.4

    @property
    def rows(self) -> int:
        """How many rows are drawn: the first ones."""
        return len(self.times)

    @property
    def left_out(self) -> int:
        """How many of them have no time."""
        return sum(time is None for time in self.times)

    def draw(self, axes: Any, values: list[object], pairs: list[Pair | None]) -> None:
        """Draw one noisy column. A missing value is a gap in its line."""
        numbers = [hold(value) for value in values]
        reach = find_reach(numbers, pairs)
        for line, (_, colour) in enumerate(self.series):
            found = [place for place, each in enumerate(self.lines) if each == line and self.times[place] is not None]
            found.sort(key=lambda place: self.times[place])  # type: ignore[arg-type, return-value]
            times = [self.times[place] for place in found]
            ends = [_find_ends(pairs[place], reach) for place in found]
            marker = "o" if len(found) <= MARKED else None
            axes.plot(times, [numbers[place] for place in found], color=colour, marker=marker, markersize=3.5)
            axes.fill_between(times, *zip(*ends, strict=True), color=colour, alpha=0.2, linewidth=0)
        dress_number_axis(axes, "y")
        axes.spines["bottom"].set_visible(True)
        _dress_time_axis(axes)


def _find_ends(pair: Pair | None, reach: float) -> tuple[float, float]:
    return (math.nan, math.nan) if pair is None else hold_ends(pair, reach)


def _dress_time_axis(axes: Any) -> None:
    dates = require_module("matplotlib.dates", "discreet[plot]")
    locator = dates.AutoDateLocator(minticks=3, maxticks=8)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    axes.tick_params(axis="x", labelsize=8)
    axes.xaxis.get_offset_text().set_fontsize(8)


def plan_lines(sheet: Sheet) -> LineChart | None:
    """Return lines over the one key that is a time, in colours by another key; None where there is no such key.

    There are two times at least, one row for each time and line, and at most six lines.
    """
    keys = list_keys(sheet.fields)
    timed = [place for place in keys if sheet.fields[place].type in TIMES]
    if len(timed) != 1 or len(keys) > 2:
        return None
    rows = sheet.rows[:MOST_POINTS]
    others = [place for place in keys if place not in timed]
    series = list(dict.fromkeys(tuple(row[place] for place in others) for row in rows))
    times = tuple(_read_time(row[timed[0]]) for row in rows)
    lines = tuple(series.index(tuple(row[place] for place in others)) for row in rows)
    once = len(set(zip(times, lines, strict=True))) == len(rows)
    if not once or len(set(times) - {None}) < 2 or len(series) > len(COLOURS):
        return None
    shown = tuple((write_label(each), COLOURS[place]) for place, each in enumerate(series))
    return LineChart(times, lines, shown, quote_label(sheet.fields[others[0]].name) if others else "")


def _read_time(value: object) -> date | None:
    return value if isinstance(value, date) else None
