"""Bars from zero with an interval on each: one for every row, or grouped by one of two keys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from discreet.answers.bars import Pair
from discreet.answers.picture_parts import (
    COLOURS,
    dress_number_axis,
    find_reach,
    hold,
    hold_ends,
    list_caps,
    list_keys,
    quote_label,
    write_label,
    write_number_beside,
)
from discreet.answers.sheet import Sheet

MOST_ROWS = 60
_BAR, _LINE, _INCHES = "#9ecae1", "#08306b", 0.27


@dataclass(frozen=True)
class BarChart:
    """Where the bar of each row lies, which series it belongs to, and what stands beside the bars."""

    places: tuple[float, ...]
    colours: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]
    height: float
    series: tuple[tuple[str, str], ...] = ()
    """Label and colour of each, where bars are grouped."""
    coloured: str = ""
    """The name of the key that has the colours."""

    @property
    def rows(self) -> int:
        """How many rows are drawn: the first ones."""
        return len(self.places)

    @property
    def inches(self) -> float:
        """How high a panel is."""
        return 0.9 + _INCHES * max(self.rows + (len(self.ticks) / 2 if self.series else 0), 2)

    def draw(self, axes: Any, values: list[object], pairs: list[Pair | None]) -> None:
        """Draw one noisy column: bars from zero, intervals from their low to their high end, numbers beside them."""
        numbers = [hold(value) for value in values]
        drawn = [0.0 if math.isnan(number) else number for number in numbers]
        axes.barh(self.places, drawn, color=self.colours, height=self.height)
        reach = find_reach(numbers, pairs)
        for place, pair in zip(self.places, pairs, strict=True):
            if pair is not None:
                axes.plot(hold_ends(pair, reach), [place, place], color=_LINE, linewidth=1.4, solid_capstyle="butt")
                caps = list_caps(pair)
                axes.plot(caps, [place] * len(caps), color=_LINE, marker="|", markersize=7, linestyle="none")
        for place, value, pair in zip(self.places, values, pairs, strict=True):
            words = write_number_beside(value, pair)
            axes.text(1.02, place, words, transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        axes.axvline(0.0, color="black", linewidth=0.8)
        axes.set_yticks([place for place, _ in self.ticks], [label for _, label in self.ticks], fontsize=8)
        last = max(self.places)
        axes.set_ylim(last + (0.6 if last else 0.9), -0.6 if last else -0.9)
        axes.tick_params(axis="y", length=0)
        dress_number_axis(axes, "x")


def plan_bars(sheet: Sheet) -> BarChart:
    """Return a bar for each of the first 60 rows, with its keys beside it."""
    keys = list_keys(sheet.fields)
    labels = [write_label(row[place] for place in keys) for row in sheet.rows[:MOST_ROWS]]
    places = tuple(float(row) for row in range(len(labels)))
    return BarChart(places, (_BAR,) * len(labels), tuple(zip(places, labels, strict=True)), 0.7)


def plan_groups(sheet: Sheet) -> BarChart | None:
    """Return bars grouped by one of two keys, in colours by the other; None where they do not make such groups.

    The key with fewer values has the colours, and there are at least two and at most six of them.
    """
    keys = list_keys(sheet.fields)
    rows = sheet.rows[:MOST_ROWS]
    if len(keys) != 2 or len({(row[keys[0]], row[keys[1]]) for row in rows}) < len(rows):
        return None
    outer, inner = sorted(keys, key=lambda place: (-len({row[place] for row in rows}), place))
    groups, series = (list(dict.fromkeys(row[place] for row in rows)) for place in (outer, inner))
    if not 2 <= len(series) <= len(COLOURS) or len(groups) < 2 or len(rows) <= max(len(groups), len(series)):
        return None
    step = len(series) + 0.7
    places = tuple(step * groups.index(row[outer]) + series.index(row[inner]) for row in rows)
    ticks = tuple((step * place + (len(series) - 1) / 2, write_label([each])) for place, each in enumerate(groups))
    colours = tuple(COLOURS[series.index(row[inner])] + "99" for row in rows)
    shown = tuple((write_label([each]), COLOURS[place] + "99") for place, each in enumerate(series))
    return BarChart(places, colours, ticks, 0.86, shown, quote_label(sheet.fields[inner].name))
