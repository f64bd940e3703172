"""What pictures of attacks share: panels, quiet axes, words below, and the file they are saved in."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from discreet.answers.arrow import require_module
from discreet.answers.figures import save_figure
from discreet.answers.picture_parts import quote_text, write_tick

LETTERS = 124
"""Of the words below, in one line."""


def start_picture(panels: int, height: float) -> tuple[Any, list[Any]]:
    """Return a figure with panels beside one another."""
    module = require_module("matplotlib.figure", "discreet[plot]")
    figure = module.Figure(figsize=(8.0, height), dpi=150, layout="constrained")
    axes = [figure.add_subplot(1, panels, place + 1) for place in range(panels)]
    for each in axes:
        each.tick_params(labelsize=8)
        each.spines[["top", "right"]].set_visible(False)
        each.spines[["left", "bottom"]].set_color("0.6")
        each.grid(axis="y", color="0.92")
        each.set_axisbelow(True)
    return figure, axes


def write_whole_numbers(axes: Any, axis: str = "both") -> None:
    """Write numbers of people as such along the axis upwards, and whole numbers alone along the axis named."""
    axes.yaxis.set_major_formatter(lambda value, _: write_tick(value))
    axes.locator_params(axis=axis, integer=True)


def leave_room(axes: Any) -> None:
    """Make an axis upwards so much longer that a legend of two lines stands above all bars."""
    axes.set_ylim(0, 1.4 * max(axes.get_ylim()[1], 1.0))


def put_legend_above(axes: Any, columns: int = 2) -> None:
    """Write the legend above the axes, where it lies on nothing."""
    where = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.3}
    axes.legend(fontsize=8, frameon=False, handlelength=3.0, ncols=columns, **where)


def write_percents(axes: Any, both: bool = False) -> None:
    """Write shares as percent along the axis upwards, or along both."""
    for axis in (axes.yaxis, axes.xaxis) if both else (axes.yaxis,):
        axis.set_major_formatter(lambda value, _: f"{value:.0%}")


def finish_picture(figure: Any, below: str, path: Path | None) -> Any:
    """Write what must be said below a figure, and save it where a path is given."""
    lines = textwrap.wrap(quote_text(below), LETTERS)
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8)
    return save_figure(figure, path, "attack.png")
