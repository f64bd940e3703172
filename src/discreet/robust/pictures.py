"""Pictures of intervals and curves, in the style of answers: quiet axes, colours that everybody tells apart."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.answers.arrow import require_module
from discreet.answers.figures import save_figure
from discreet.answers.numbers import format_interval, format_value
from discreet.answers.picture_parts import COLOURS, dress_number_axis, hold, quote_label, quote_text
from discreet.base.errors import DiscreetError

IntervalRow = tuple[str, float, float, float]
"""A label, an estimate, and the low and the high end of its interval."""

DrawnCurve = tuple[str, Sequence[float], Sequence[float], Sequence[float] | None, Sequence[float] | None]
"""A label, places, heights, and the low and the high edge of the band around them, if there is one."""


UNTOLD = "too few people to say"
"""What stands at an interval without an estimate."""

LINE = 32
LINES = 3
"""Letters of a line, and lines, that a label may have."""


def wrap_label(text: str) -> str:
    """Return a label on a few lines; what does not fit is left out, and says so.

    >>> wrap_label("correlation of worker's mean of tenure, pay in pay")
    "correlation of worker's mean of\\ntenure, pay in pay"
    """
    return "\n".join(textwrap.wrap(quote_text(text), LINE, max_lines=LINES, placeholder="…"))


def draw_intervals(rows: Sequence[IntervalRow], below: Sequence[str], path: Path | None) -> Any:
    """Return a figure with a point and a line for each row, its numbers beside it; no number: nothing was told."""
    if not rows:
        raise DiscreetError("there is nothing to draw: a picture needs an interval")
    figure, axes = _start(7.5, 1.4 + 0.55 * len(rows))
    places = list(range(len(rows)))[::-1]
    above: dict[str, Any] = {"xytext": (0, 6), "textcoords": "offset points", "fontsize": 8}
    for place, (_, estimate, low, high) in zip(places, rows, strict=True):
        if math.isfinite(low) or math.isfinite(high):
            ends = [hold(low), hold(high)]
            axes.plot(ends, [place, place], color=COLOURS[0], linewidth=1.6, marker="|", markersize=9)
        if math.isnan(estimate):
            axes.annotate(UNTOLD, (0.5, place), xycoords=("axes fraction", "data"), ha="center", **above)
            continue
        axes.plot([hold(estimate)], [place], color=COLOURS[0], marker="o", markersize=5)
        words = f"{format_value(estimate, (low, high))} {format_interval(estimate, (low, high))}"
        axes.annotate(quote_text(words), (hold(estimate), place), **above)
    axes.set_yticks(places, [wrap_label(label) for label, *_ in rows], fontsize=8)
    axes.set_ylim(-0.6, len(rows) - 0.3)
    dress_number_axis(axes, "x")
    return _finish(figure, below, path)


def draw_curves(
    curves: Sequence[DrawnCurve], across: str, up: str, below: Sequence[str], path: Path | None, *, steps: bool = False
) -> Any:
    """Return a figure with lines and the bands around them; a line with steps stays as high until the next place."""
    if not curves:
        raise DiscreetError("there is nothing to draw: a picture needs a curve")
    figure, axes = _start(7.5, 4.6)
    for number, (label, at, heights, low, high) in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(at, heights, color=colour, label=quote_label(label), drawstyle="steps-post" if steps else "default")
        if low is not None and high is not None:
            axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0, step="post" if steps else None)
    dress_number_axis(axes, "y")
    dress_number_axis(axes, "x")
    axes.spines["bottom"].set_visible(True)
    axes.set_ylim(-0.02, 1.05)
    axes.set_xlabel(quote_label(across), fontsize=9)
    axes.set_ylabel(quote_label(up), fontsize=9)
    if len(curves) > 1:
        axes.legend(fontsize=8, frameon=False)
    return _finish(figure, below, path)


def _start(width: float, height: float) -> tuple[Any, Any]:
    module = require_module("matplotlib.figure", "discreet[plot]")
    figure = module.Figure(figsize=(width, height), dpi=150, layout="constrained")
    return figure, figure.add_subplot()


def _finish(figure: Any, below: Sequence[str], path: Path | None) -> Any:
    """Write what must be said below a figure, and save it where a path is given."""
    lines = [part for line in below for part in textwrap.wrap(quote_text(line), 95)]
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8)
    return save_figure(figure, path, "interval.png")
