"""The owner's page: a model beside the true rows. NOT PRIVATE, and marked so from top to bottom; never released."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.answers.drawing import box, choose_ticks, draw, label, safe, stroke
from discreet.answers.page import wrap_page
from discreet.base.grid import Floats
from discreet.query.placed_columns import Places
from discreet.synthetic.model import SyntheticModel
from discreet.synthetic.report.association import draw_map
from discreet.synthetic.report.owner import Comparison, Distances, Learned

WARNING = "Not private: never release. Every number on this page is computed from the true rows."


def render_owner_page(model: SyntheticModel, table: Any) -> str:
    """Return the owner's report as one HTML page."""
    comparison = Comparison.of(model, table)
    names = [column.name for column in model.transcript.columns]
    alarm = f'<div class="card alarm">{WARNING}</div>'
    true, synthetic = comparison.find_associations()
    parts = [
        f"<h1>Synthetic model of {safe(model.transcript.table)}, beside the true rows</h1>",
        alarm,
        '<p class="soft">The true table is taken as it was handed in: no unit was cut to its number of rows.</p>',
        "<h2>Distance of tables</h2>",
        '<p class="soft small">Total variation between the true table of 1, 2 or 3 columns and the synthetic one: the '
        "part of rows that would have to move. A dot for each set of columns, a line at their mean.</p>",
        _show_distances(comparison.find_distances(), names),
        "<h2>Correlations</h2>",
        '<p class="soft small">Cramer\'s V: true rows below the diagonal, synthetic rows above it; and one against the '
        "other, a dot for each pair.</p>",
        f'<div class="card wide">{draw_map(names[: len(true)], true, synthetic)}</div>'
        f'<div class="card below">{_draw_scatter(true, synthetic)}</div>',
        "<h2>Learn on synthetic rows, test on true ones</h2>",
        '<p class="soft small">How often a logistic regression is right about the most frequent value of a column, on '
        "true rows that it never saw.</p>",
        _show_learned(comparison.learn()),
        "<h2>Distance to the closest record</h2>",
        '<p class="soft small">In how many columns rows differ from the closest true row. <b>No privacy guarantee</b> '
        "follows from this, however it looks: the guarantee is that of the noise.</p>",
        f'<div class="card wide">{_draw_closest(*comparison.find_closest())}</div>',
        alarm,
    ]
    return wrap_page(f"NOT PRIVATE: synthetic model of {model.transcript.table}, owner's page", parts)


def _show_distances(found: list[Distances], names: list[str]) -> str:
    width, left = 960, 150
    most = max(float(each.max()) for distances in found for each in (distances.model, distances.rows)) * 1.05 or 1.0
    across = (width - left - 16) / most
    bottom = 76 * len(found) + 4
    parts = []
    for tick in choose_ticks(most, 5):
        parts.append(stroke(f"M{left + tick * across:.1f} 4V{bottom}", "grid"))
        parts.append(label(left + tick * across, bottom + 14, f"{tick:.3g}", 60, "middle", "soft"))
    for line, each in enumerate(found):
        for row, (values, kind, colour) in enumerate(((each.model, "model", "line"), (each.rows, "rows", "second"))):
            y = 76 * line + 22 + 30 * row
            words = f"{each.order} column{'s' if each.order > 1 else ''}, {kind}"
            parts.append(label(left - 10, y + 4, words, left - 10, "end"))
            parts += [
                f'<circle cx="{left + value * across:.1f}" cy="{y + spread:.1f}" r="3" fill="var(--{colour})" '
                f'fill-opacity="0.45"><title>{_join(names, columns)}: {value:.4f}</title></circle>'
                for value, columns, spread in zip(values, each.sets, _spread(len(values)), strict=True)
            ]
            parts.append(stroke(f"M{left + float(values.mean()) * across:.1f} {y - 12}v24", colour, 2))
    lines = "".join(
        f'<tr><td class="number">{each.order}</td><td class="number">{len(each.sets):,}</td>'
        f'<td class="number">{each.model.mean():.4f}</td><td class="number">{each.rows.mean():.4f}</td>'
        f'<td class="number">{each.model.max():.4f}</td>'
        f"<td>{_join(names, each.sets[int(each.model.argmax())])}</td></tr>"
        for each in found
    )
    head = "".join(
        f'<th class="number">{name}</th>' for name in ("columns", "sets", "mean, model", "mean, rows", "worst, model")
    )
    table = (
        f'<div class="wide"><table><thead><tr>{head}<th>worst set</th></tr></thead><tbody>{lines}</tbody></table></div>'
    )
    drawing = draw(width, bottom + 22, parts, "total variation distances")
    return f'<div class="card"><div class="wide">{drawing}</div>{table}</div>'


def _join(names: list[str], columns: tuple[int, ...]) -> str:
    return safe(", ".join(names[at] for at in columns))


def _spread(count: int) -> list[float]:
    """Return small shifts up and down, so that dots do not hide each other."""
    return [((at * 0.618) % 1 - 0.5) * 18 for at in range(count)]


def _draw_scatter(true: Floats, synthetic: Floats) -> str:
    size, left, bottom = 360, 40, 36
    side = size - left - 10
    places = np.triu_indices(len(true), 1)
    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = left + tick * side, 8 + (1 - tick) * side
        parts.append(stroke(f"M{x:.1f} 8V{8 + side}M{left} {y:.1f}H{left + side}", "grid"))
        parts.append(label(x, 8 + side + 14, f"{tick:g}", 40, "middle", "soft"))
        parts.append(label(left - 5, y + 4, f"{tick:g}", 40, "end", "soft"))
    parts.append(stroke(f"M{left} {8 + side}L{left + side} 8", "soft", 1, 'stroke-dasharray="4 4"'))
    parts += [
        f'<circle cx="{left + one * side:.1f}" cy="{8 + (1 - other) * side:.1f}" r="3.5" fill="var(--line)" '
        'fill-opacity="0.5"/>'
        for one, other in zip(true[places], synthetic[places], strict=True)
    ]
    parts.append(label(left + side / 2, 8 + side + 30, "true rows (up: synthetic rows)", 300, "middle", "soft"))
    return draw(size, size - 10 + bottom - 16, parts, "associations of true and synthetic rows")


def _show_learned(found: list[Learned]) -> str:
    if not found:
        return '<p class="soft">No column has a value worth guessing, or the rows are too few.</p>'
    width, left = 960, 240
    low = min(min(each.always, each.from_true, each.from_synthetic) for each in found)
    low = max(np.floor(low * 20 - 0.5) / 20, 0.0)
    across = (width - left - 20) / max(1.0 - low, 1e-9)
    bottom = 26 * len(found) + 30
    parts = [
        f'<circle cx="{left + 4}" cy="10" r="4.5" fill="var(--line)"/>',
        label(left + 13, 14, "learned on true rows", 160, "start", "soft"),
        f'<circle cx="{left + 184}" cy="10" r="4.5" fill="var(--second)"/>',
        label(left + 193, 14, "learned on synthetic rows", 200, "start", "soft"),
        stroke(f"M{left + 394} 5v10", "soft", 2),
        label(left + 402, 14, "always the same answer", 200, "start", "soft"),
    ]
    for share in choose_ticks(1 - low):
        x = left + share * across
        parts.append(stroke(f"M{x:.1f} 24V{bottom}", "grid"))
        parts.append(label(x, bottom + 14, f"{low + share:.0%}", 60, "middle", "soft"))
    for line, each in enumerate(found):
        y = 26 * line + 40
        own, copy, always = (left + (at - low) * across for at in (each.from_true, each.from_synthetic, each.always))
        parts.append(label(left - 10, y + 4, f"{each.column} = {each.value}", left - 12, "end"))
        parts.append(stroke(f"M{min(own, copy):.1f} {y}H{max(own, copy):.1f}", "grid", 3))
        parts.append(stroke(f"M{always:.1f} {y - 6}v12", "soft", 2))
        parts.append(f'<circle cx="{own:.1f}" cy="{y}" r="4.5" fill="var(--line)"/>')
        parts.append(f'<circle cx="{copy:.1f}" cy="{y}" r="4.5" fill="var(--second)"/>')
    drawing = draw(width, bottom + 22, parts, "how often classifiers are right")
    return f'<div class="card wide">{drawing}</div>'


def _draw_closest(synthetic: Places, true: Places) -> str:
    width, height, left, bottom = 960, 240, 44, 40
    most = int(max(synthetic.max(initial=0), true.max(initial=0)))
    shares = [np.bincount(each, minlength=most + 1) / max(len(each), 1) for each in (synthetic, true)]
    top = max(float(each.max()) for each in shares) * 1.05
    up, wide = (height - bottom - 26) / top, min((width - left - 10) / (most + 1), 120.0)
    ground = height - bottom
    parts = [
        box(left, 4, 10, 10, "second"),
        label(left + 15, 13, "synthetic rows to the closest true row", 300, "start", "soft"),
        box(left + 310, 4, 10, 10, "bar"),
        label(left + 325, 13, "true rows to the closest other true row", 300, "start", "soft"),
    ]
    for tick in choose_ticks(top):
        parts.append(stroke(f"M{left} {ground - tick * up:.1f}H{width - 10}", "grid"))
        parts.append(label(left - 5, ground - tick * up + 4, f"{tick:.0%}", left, "end", "soft"))
    for apart in range(most + 1):
        x = left + apart * wide
        for row, (each, colour) in enumerate(zip(shares, ("second", "bar"), strict=True)):
            tall = float(each[apart]) * up
            parts.append(box(x + wide * (0.12 + 0.38 * row), ground - tall, wide * 0.36, tall, colour))
        parts.append(label(x + wide / 2, ground + 15, str(apart), wide, "middle", "soft"))
    parts.append(label((left + width) / 2, height - 6, "columns in which they differ", 300, "middle", "soft"))
    return draw(width, height, parts, "distance to the closest record")
