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


def write_whole_numbers(axes: Any) -> None:
    """Write numbers of people as such along the axis upwards, and whole numbers alone along the other."""
    axes.yaxis.set_major_formatter(lambda value, _: write_tick(value))
    axes.locator_params(axis="both", integer=True)


def write_percents(axes: Any, both: bool = False) -> None:
    """Write shares as percent along the axis upwards, or along both."""
    for axis in (axes.yaxis, axes.xaxis) if both else (axes.yaxis,):
        axis.set_major_formatter(lambda value, _: f"{value:.0%}")


def finish_picture(figure: Any, below: str, path: Path | None) -> Any:
    """Write what must be said below a figure, and save it where a path is given."""
    lines = textwrap.wrap(quote_text(below), LETTERS)
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8)
    return save_figure(figure, path, "attack.png")
