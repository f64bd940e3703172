"""A picture of an answer: a panel of horizontal bars per noisy column, an interval on every bar, numbers beside it."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from discreet.answers.arrow import require_module
from discreet.answers.bars import Pair
from discreet.answers.export import writing
from discreet.answers.fields import Field
from discreet.answers.numbers import format_interval, format_value, to_float
from discreet.answers.sheet import Sheet
from discreet.answers.words import describe_intervals, to_one_line
from discreet.base.errors import DiscreetError

MOST_ROWS, PANELS_ACROSS, LONGEST_LABEL = 60, 2, 40
_BAR, _LINE, _ROW_INCHES = "#9ecae1", "#08306b", 0.27
_HUGEST = 1e300
"""Matplotlib squares and adds what it draws: what is larger is drawn at this place, beside its true number."""


def list_drawn(fields: Sequence[Field]) -> list[int]:
    """Return the places of the columns that a picture shows: noisy numbers."""
    return [place for place, field in enumerate(fields) if field.noisy and field.type.numeric]


def draw_picture(sheet: Sheet, path: Path | None) -> Any:
    """Return a matplotlib figure, saved where a path is given. More than 60 rows: the first 60, and it says so.

    Bars start at zero; an interval is a line from its low to its high end, without a cap where it has no end.
    """
    places = list_drawn(sheet.fields)
    if not places or not sheet.rows:
        raise DiscreetError("there is nothing to draw: a picture needs a row and a noisy number in it")
    figure_module = require_module("matplotlib.figure", "discreet[plot]")
    bounds = sheet.bounds[:MOST_ROWS]
    labels = _labels(sheet)
    across = min(PANELS_ACROSS, len(places))
    down = math.ceil(len(places) / across)
    figure = figure_module.Figure(
        figsize=(1.5 + 5.0 * across, 1.0 + down * (0.9 + _ROW_INCHES * max(len(labels), 2))),
        dpi=150,
        layout="constrained",
    )
    for number, place in enumerate(places):
        axes = figure.add_subplot(down, across, number + 1)
        values = [row[place] for row in sheet.rows[:MOST_ROWS]]
        _panel(axes, values, [row[place] for row in bounds], labels)
        axes.set_title(_quoted(_cut(to_one_line(sheet.fields[place].name))), loc="left", fontsize=11)
        if number % across:
            axes.set_yticklabels([])
    figure.supxlabel(_below(sheet), x=0.01, ha="left", fontsize=8)
    figure._repr_png_ = lambda: _png(figure)
    if path is not None:
        endings = sorted(figure.canvas.get_supported_filetypes())
        if path.suffix.lower().lstrip(".") not in endings:
            raise DiscreetError(f"{path}: pictures end in one of {', '.join(endings)}, such as answer.png")
        with writing(path):
            figure.savefig(path)
    return figure


def _panel(axes: Any, values: list[object], pairs: list[Pair | None], labels: list[str]) -> None:
    rows = range(len(values))
    numbers = [_held(value) for value in values]
    axes.barh(list(rows), [0.0 if math.isnan(number) else number for number in numbers], color=_BAR, height=0.7)
    ends = [abs(number) for number in numbers if not math.isnan(number)]
    ends += [abs(_held(end)) for pair in pairs if pair for end in pair if math.isfinite(to_float(end))]
    reach = max(ends, default=0.0) or 1.0
    for row, pair in zip(rows, pairs, strict=True):
        if pair is not None:
            low, high = (min(max(_held(end), -1.1 * reach), 1.1 * reach) for end in pair)
            axes.plot([low, high], [row, row], color=_LINE, linewidth=1.4, solid_capstyle="butt")
            caps = [_held(end) for end in pair if math.isfinite(to_float(end))]
            axes.plot(caps, [row] * len(caps), color=_LINE, marker="|", markersize=7, linestyle="none")
    for row, value, pair in zip(rows, values, pairs, strict=True):
        axes.text(1.02, row, _number(value, pair), transform=axes.get_yaxis_transform(), va="center", fontsize=8)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(list(rows), labels, fontsize=8)
    axes.set_ylim(len(values) - 0.4 if len(values) > 1 else 0.9, -0.6 if len(values) > 1 else -0.9)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=8)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda value, _: _tick(value))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)


def _number(value: object, pair: Pair | None) -> str:
    """Return the words beside a bar; a number that has no room there is rounded, and says so."""
    words = f"{format_value(value, pair)} {format_interval(value, pair)}".rstrip()
    if len(words) <= LONGEST_LABEL or not isinstance(value, int | float | Decimal):
        return words
    return f"about {Decimal(value):.3e}"


def _held(value: object) -> float:
    number = to_float(value)
    return number if math.isnan(number) else min(max(number, -_HUGEST), _HUGEST)


def _labels(sheet: Sheet) -> list[str]:
    """Return the keys of the first rows, several joined, each short enough to stand beside its bar."""
    places = [place for place, field in enumerate(sheet.fields) if not field.noisy]
    rows = [
        ", ".join(to_one_line(format_value(row[place], noisy=False)) or '""' for place in places)
        for row in sheet.rows[:MOST_ROWS]
    ]
    return [_quoted(_cut(label)) for label in rows]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _quoted(text: str) -> str:
    """Return text that matplotlib does not take for a formula."""
    return to_one_line(text).replace("$", r"\$")


def _tick(value: float) -> str:
    """Return a number on an axis.

    >>> _tick(1500000.0), _tick(2.5e12), _tick(1200.0), _tick(0.25)
    ('1.5M', '2.5T', '1,200', '0.25')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size <= abs(value) < 1e15:
            return f"{value / size:.6g}{letter}"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.6g}"


def _below(sheet: Sheet) -> str:
    lines = [f"the first {MOST_ROWS} of {len(sheet.rows):,} rows"] if len(sheet.rows) > MOST_ROWS else []
    lines += [describe_intervals(sheet), sheet.guarantee]
    width = 85 * min(PANELS_ACROSS, sum(field.noisy and field.type.numeric for field in sheet.fields))
    return "\n".join(part for line in lines for part in textwrap.wrap(_quoted(line), width))


def _png(figure: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
