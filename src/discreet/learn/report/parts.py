"""What sections of reports share: what is shown of a model, and its findings as a table."""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.answers.drawing import choose_ticks, safe, write_number
from discreet.learn.features import NumberColumn
from discreet.learn.models.model import Model

CONFIDENCE = 0.95
"""Of all intervals and bands in a report."""

UNTUNED = "chosen by public rules, nothing was tuned on the data"

SCALED = (
    "A number counts from -1 at its lower bound to 1 at its upper one, so that bars can be compared; a category is 1 "
    "for its value, 0 for all others."
)


class Shown(NamedTuple):
    """What a report shows of one kind of model: what it is, a fact, how it was learned, and its sections."""

    title: str
    fact: tuple[str, str]
    method: str
    sections: list[str]


def show_table(model: Model) -> str:
    """Return the findings of a model as a table: numbers in the units of the data, and public bounds."""
    heads, rows = model.tabulate()
    bounds = {column.name: write_bounds(column) for column in model.columns if isinstance(column, NumberColumn)}
    lines = []
    for name, values in rows:
        cells = "".join(f'<td class="number">{format_value(value)}</td>' for value in values)
        beside = f"<td>{safe(bounds.get(name.removesuffix(': mean'), ''))}</td>" if bounds else ""
        lines.append(f"<tr><th>{safe(name)}</th>{beside}{cells}</tr>")
    head = ("<th>bounds</th>" if bounds else "") + "".join(f'<th class="number">{safe(each)}</th>' for each in heads)
    return f'<div class="card wide"><table><tr><th></th>{head}</tr>{"".join(lines)}</table></div>'


def write_bounds(column: NumberColumn) -> str:
    """Return the public bounds of a number in words."""
    return f"{write_number(float(column.lower))} to {write_number(float(column.upper))}"


def format_value(value: float) -> str:
    """Return a number with five digits, or nothing where there is none."""
    return "" if math.isnan(value) else f"{value:,.5g}"


def format_shortly(value: float) -> str:
    """Return a number as a person reads it beside a drawing."""
    if 0 < abs(value) < 0.001:
        return f"{value:.0e}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def choose_both_ticks(reach: float, wanted: int) -> list[float]:
    """Return round numbers on both sides of 0, for an axis."""
    ticks = choose_ticks(reach, wanted)
    return [*(-each for each in reversed(ticks[1:])), *ticks]
