"""A picture of an answer: a panel per noisy column, with every interval, and the question above.

Over time it has lines; where there are two keys, bars in groups; else a bar for each row, its number beside it.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, NamedTuple

from discreet.answers.arrow import require_module
from discreet.answers.bars import Pair
from discreet.answers.figures import save_figure
from discreet.answers.picture_bars import BarChart, plan_bars, plan_groups
from discreet.answers.picture_lines import LineChart, plan_lines
from discreet.answers.picture_parts import list_drawn, quote_label, quote_text
from discreet.answers.sheet import Sheet
from discreet.answers.words import describe_intervals, to_one_line
from discreet.base.errors import DiscreetError

PANELS_ACROSS, TITLE_LINES = 2, 4
LETTERS = 12.8
"""Of the title, in one inch."""


class _Panel(NamedTuple):
    """A noisy column: its heading, its numbers with intervals, and how they are drawn."""

    title: str
    values: list[object]
    pairs: list[Pair | None]
    chart: BarChart | LineChart


def draw_picture(sheet: Sheet, path: Path | None, *others: Sheet) -> Any:
    """Return a matplotlib figure, saved where a path is given. Of many rows it has the first, and it says so.

    Bars start at zero; an interval is a line from its low to its high end, without a cap where it has no end. `others`
    are drawn after the sheet, as bars for rows of their own; what is said above and below is the first one's.
    """
    chart = (plan_lines(sheet) or plan_groups(sheet) or plan_bars(sheet)) if sheet.rows else plan_bars(sheet)
    panels = [*_list_panels(sheet, chart), *(panel for each in others for panel in _list_panels(each, plan_bars(each)))]
    if not panels:
        raise DiscreetError("there is nothing to draw: a picture needs a row and a noisy number in it")
    figure_module = require_module("matplotlib.figure", "discreet[plot]")
    across = min(PANELS_ACROSS, len(panels))
    lines = [panels[first : first + across] for first in range(0, len(panels), across)]
    heights = [max(panel.chart.inches for panel in line) for line in lines]
    width = 1.5 + 5.0 * across
    title = _write_title(sheet.question, width)
    size = (width, 1.0 + 0.2 * len(title) + sum(heights))
    figure = figure_module.Figure(figsize=size, dpi=150, layout="constrained")
    grid = figure.add_gridspec(len(lines), across, height_ratios=heights)
    for down, line in enumerate(lines):
        for place, panel in enumerate(line):
            axes = figure.add_subplot(grid[down, place])
            panel.chart.draw(axes, panel.values, panel.pairs)
            axes.set_title(quote_label(panel.title), loc="left", fontsize=11)
            if place and isinstance(panel.chart, BarChart) and panel.chart is line[place - 1].chart:
                axes.set_yticklabels([])
    if title:
        figure.suptitle("\n".join(title), x=0.01, ha="left", fontsize=9, family="monospace")
    if len(chart.series) > 1:
        _add_legend(figure, chart)
    figure.supxlabel(_below(sheet, chart, across), x=0.01, ha="left", fontsize=8)
    return save_figure(figure, path, "answer.png")


def _list_panels(sheet: Sheet, chart: BarChart | LineChart) -> list[_Panel]:
    """Return what is drawn of a sheet; nothing, where it has no rows."""
    rows, bounds = sheet.rows[: chart.rows], sheet.bounds[: chart.rows]
    return [
        _Panel(sheet.fields[place].name, [row[place] for row in rows], [pairs[place] for pairs in bounds], chart)
        for place in list_drawn(sheet.fields)
        if rows
    ]


def _write_title(question: str, inches: float) -> list[str]:
    """Return the question in a few lines of so many inches, cut where it is longer."""
    plain = to_one_line(" ".join(question.split()))
    lines = textwrap.wrap(plain, int(LETTERS * inches), max_lines=TITLE_LINES, placeholder=" …") if plain else []
    return [quote_text(line) for line in lines]


def _add_legend(figure: Any, chart: BarChart | LineChart) -> None:
    """Say which colour is which value of the key that has the colours."""
    from matplotlib.patches import Patch

    handles = [Patch(color=colour) for _, colour in chart.series]
    labels = [label for label, _ in chart.series]
    figure.legend(handles, labels, title=chart.coloured, loc="outside right center", fontsize=8, title_fontsize=8)


def _below(sheet: Sheet, chart: BarChart | LineChart, across: int) -> str:
    lines = [f"the first {chart.rows:,} of {len(sheet.rows):,} rows"] if len(sheet.rows) > chart.rows else []
    if isinstance(chart, LineChart) and chart.left_out:
        lines.append(f"not drawn: {chart.left_out:,} of the rows, whose time is NULL")
    lines += [describe_intervals(sheet), sheet.guarantee]
    return "\n".join(part for line in lines for part in textwrap.wrap(quote_text(line), 85 * across))
