"""How strongly pairs of columns go together: Cramer's V, from 0 (not at all) to 1 (one tells the other), as a map."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.answers.drawing import box, draw, label, measure, safe
from discreet.base.grid import Floats
from discreet.families.domain import CellSource, CellTable
from discreet.synthetic.report.floor import project_small

MOST_COLUMNS = 40
"""Columns of one map."""


def find_association(table: CellTable) -> float:
    """Return Cramer's V of a table of two columns, without the values that no row has."""
    counts = np.maximum(np.asarray(table, dtype=np.float64), 0.0)
    total = counts.sum()
    if total <= 0:
        return 0.0
    shares = counts / total
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    shares = shares[rows > 1e-9][:, columns > 1e-9]
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    least = min(shares.shape) - 1
    if least < 1:
        return 0.0
    expected = np.outer(rows, columns)
    return min(math.sqrt(float(((shares - expected) ** 2 / expected).sum()) / least), 1.0)


def find_associations(source: CellSource, columns: int) -> Floats:
    """Return Cramer's V of every pair of the first columns; 1 on the diagonal, NaN where a table is out of reach."""
    found = np.eye(columns)
    for one in range(columns):
        for other in range(one + 1, columns):
            table = project_small(source, (one, other))
            found[one, other] = found[other, one] = math.nan if table is None else find_association(table)
    return found


def draw_map(
    names: Sequence[str], below: Floats, above: Floats | None = None, marked: frozenset[tuple[int, int]] = frozenset()
) -> str:
    """Return a heat map with a square for each pair: one table below the diagonal and, where given, one above it.

    Marked pairs (the smaller place first) have a dot in their corner. Columns are named on the diagonal, or where that
    is taken above it.
    """
    count = len(names)
    longest = min(max(measure(name) for name in names), 140.0)
    left = longest + 12
    side = min(max((900 - 2 * left) / count, 17.0), 52.0)
    rise = 8.0 if above is None else min(longest, 90.0) * 0.87 + 16
    height, width = rise + count * side + 40, left + count * side + longest + 12
    parts = []
    for row in range(count):
        y = rise + row * side
        parts.append(label(left - 8, y + side / 2 + 4, names[row], left - 10, "end"))
        if above is None:
            parts.append(label(left + row * side + side + 5, y + side / 2 + 4, names[row], longest, "start", "soft"))
        else:
            x = left + row * side + side / 2 + 4
            text = label(0, 0, names[row], 90.0, "start")
            parts.append(f'<g transform="translate({x:.1f} {rise - 6:.1f}) rotate(-60)">{text}</g>')
        for column in range(count):
            if column == row:
                parts.append(
                    box(left + column * side + 1, y + 1, side - 2, side - 2, "grid", 'rx="3" fill-opacity="0.6"')
                )
            elif column < row or above is not None:
                table = below if column < row or above is None else above
                parts.append(_draw_square(names, row, column, float(table[row, column]), left, y, side))
                if (min(row, column), max(row, column)) in marked:
                    parts.append(_draw_dot(left + column * side, y, side, float(table[row, column])))
    parts += _draw_key(left, rise + count * side + 14)
    return draw(width, height, parts, "how strongly columns go together, pair by pair")


def _draw_square(names: Sequence[str], row: int, column: int, value: float, left: float, y: float, side: float) -> str:
    x = left + column * side
    if math.isnan(value):
        return label(x + side / 2, y + side / 2 + 4, "?", side, "middle", "soft")
    shade = f'rx="3" fill-opacity="{0.05 + 0.95 * value:.3f}"'
    square = box(x + 1, y + 1, side - 2, side - 2, "heat", shade)
    kind = "on-heat" if value > 0.5 else ""
    number = label(x + side / 2, y + side / 2 + 4, f"{value:.2f}".lstrip("0") or "0", side, "middle", kind)
    words = safe(f"{names[row]} and {names[column]}: {value:.3f}")
    return f"<g><title>{words}</title>{square}{number if side >= 26 else ''}</g>"


def _draw_dot(x: float, y: float, side: float, value: float) -> str:
    colour = "on-heat" if value > 0.5 else "line"
    size = 2.2 if side >= 26 else 1.6
    return f'<circle cx="{x + side - 6:.1f}" cy="{y + 6:.1f}" r="{size}" fill="var(--{colour})"/>'


def _draw_key(x: float, y: float) -> list[str]:
    steps = [
        box(x + 60 + 12 * step, y, 12, 10, "heat", f'fill-opacity="{0.05 + 0.95 * step / 10:.2f}"')
        for step in range(11)
    ]
    return [
        label(x + 54, y + 9, "0", 40, "end", "soft"),
        *steps,
        label(x + 198, y + 9, "1", 40, "start", "soft"),
    ]
