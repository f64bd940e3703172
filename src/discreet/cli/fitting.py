"""`discreet check --fit` as the owner reads it: what does not fit, what `max_rows` costs either way, and a picture."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import typer

from discreet.answers.arrow import require_module
from discreet.answers.export import writing
from discreet.answers.picture_parts import COLOURS, quote_label, write_tick
from discreet.answers.words import to_one_line
from discreet.base.errors import DiscreetError, ParameterError
from discreet.curator.owner.fit import COPYING, FOR_THE_OWNER, PolicyFit, TableFit, write_share

WIDTH = 110


def show(fit: PolicyFit) -> None:
    """Print how the rows fit."""
    typer.echo(f"\n{_wrap(FOR_THE_OWNER)}\n")
    for each in fit.tables:
        units = "" if each.units is None else f" of {each.units:,} units"
        typer.echo(f"{each.table}: {each.rows:,} rows{units}")
        if not each.rows:
            typer.echo("to do  there are no rows")
        for misfit in each.misfits:
            mark = "to do" if misfit.to_do else "note"
            typer.echo(f"{mark:5}  {to_one_line(misfit.what)}: {to_one_line(str(misfit))}")
        if each.rows and not each.misfits:
            typer.echo("ok     every value and every unit fits")
        if each.choices:
            typer.echo(f"\n{_write_choices(each, fit.epsilon)}")
        typer.echo("")
    typer.echo(_wrap(f"warning: {COPYING}"))


def _write_choices(fit: TableFit, epsilon: float) -> str:
    """Return what limits on rows would do, as a table."""
    rows = [("max_rows", "units beyond", "rows lost", f"noise of COUNT(*) at epsilon {epsilon:g}, 95 %")]
    units, counted = fit.units or 1, fit.counted or 1
    for each in fit.choices:
        beyond = f"{each.units_beyond:,} ({write_share(each.units_beyond / units)})"
        lost = f"{each.rows_lost:,} ({write_share(each.rows_lost / counted)})"
        rows.append((f"{each.max_rows:,}", beyond, lost, f"± {each.noise:,.0f}" + ("  declared" * each.declared)))
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    lines = ("  ".join(f"{cell:>{width}}" for cell, width in zip(row[:3], widths, strict=True)) for row in rows)
    return "\n".join(f"  {line}  {row[3]}" for line, row in zip(lines, rows, strict=True))


def check_plot(path: Path) -> None:
    """Refuse a picture that cannot be drawn, before rows are read."""
    figure = require_module("matplotlib.figure", "discreet[plot]").Figure()
    endings = sorted(figure.canvas.get_supported_filetypes())
    if path.suffix.lower().lstrip(".") not in endings:
        raise ParameterError("--plot", str(path), f"a file that ends in one of {', '.join(endings)}, such as fit.svg")


def draw(fit: PolicyFit, path: Path) -> None:
    """Draw what limits on rows would do: a panel for each table that has units of several rows, or a limit above 1."""
    tables = [each for each in fit.tables if len(each.choices) > 1]
    if not tables:
        raise DiscreetError("there is nothing to draw: no table has a unit with several rows")
    figure_module = require_module("matplotlib.figure", "discreet[plot]")
    figure = figure_module.Figure(figsize=(7.5, 0.8 + 3.2 * len(tables)), dpi=150, layout="constrained")
    for place, each in enumerate(tables):
        _draw_table(figure.add_subplot(len(tables), 1, place + 1), each, fit.epsilon)
    figure.supxlabel(
        "\n".join(textwrap.wrap("For the owner's eyes only; limits copied from here publish data.", 85)),
        x=0.01,
        ha="left",
        fontsize=8,
    )
    with writing(path):
        figure.savefig(path)


def _draw_table(axes: Any, fit: TableFit, epsilon: float) -> None:
    limits = [each.max_rows for each in fit.choices]
    lines = (
        ("rows lost", [each.rows_lost for each in fit.choices]),
        (f"noise of COUNT(*) at epsilon {epsilon:g}, 95 %", [each.noise for each in fit.choices]),
    )
    for (label, values), colour in zip(lines, COLOURS, strict=False):
        axes.plot(limits, values, color=colour, marker="o", markersize=4, label=label)
    for each in fit.choices:
        if each.declared:
            axes.axvline(each.max_rows, color="0.6", linestyle=":", label="max_rows as declared")
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("max_rows", fontsize=8)
    axes.set_title(quote_label(fit.table), loc="left", fontsize=11)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: write_tick(value))
    axes.tick_params(labelsize=8)
    axes.grid(color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False)


def _wrap(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH))
