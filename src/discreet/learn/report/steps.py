"""Sections of a report: one picture for each feature of a model of step functions.

All pictures have the same scale, so that features can be compared. A feature with an order is a step function with its
band, above how many rows each bin has; one without is a bar for each value.
"""

from __future__ import annotations

from itertools import pairwise

from discreet.answers.drawing import box, draw, label, safe, stroke
from discreet.answers.numbers import format_percent
from discreet.base.grid import Floats
from discreet.learn.features import CategoryColumn
from discreet.learn.models.stumps_model import StumpsModel
from discreet.learn.report.parts import CONFIDENCE, UNTUNED, Shown, choose_both_ticks, format_shortly, show_table
from discreet.learn.report.weights import draw_bars, find_reach
from discreet.learn.stumps import ROUNDS
from discreet.query.placed_columns import BinnedColumn, ListedWhole, to_number, write_value

WIDTH, HEIGHT = 420, 210
LEFT, TOP, MISSING, STRIP = 40, 8, 34, 26
"""Room for the axis, above the picture, for what is missing, and for the numbers of rows."""


def show_steps(model: StumpsModel) -> Shown:
    """Return a picture of each feature, the one that matters most first, and the table of all steps."""
    bands = model.find_half_widths(CONFIDENCE)
    reach = 1.05 * find_reach(model.steps, bands)
    cards = []
    for at, size in model.rank_columns():
        column, (name, part) = model.columns[at], model.places[at]
        assert isinstance(column, CategoryColumn)
        steps, band, rows = model.steps[part], bands[part], model.sizes[part]
        edges = find_edges(column)
        if edges is None:
            names = column.placed.describe_places()
            drawing = draw_bars(names, steps, f"steps of {name}", whiskers=band, reach=reach, width=WIDTH)
        else:
            drawing = draw_steps(edges, steps, band, rows, reach, f"steps of {name}")
        heading = f'<h3>{safe(name)}</h3><p class="soft small">On average a row is moved by {size:.2f}.</p>'
        cards.append(f'<div class="card wide">{heading}{drawing}</div>')
    yes = safe(str(model.classes[1]))
    sections = [
        "<h2>Steps</h2>",
        f'<p class="soft small">What each value adds to the logarithm of the odds of {yes}: 0.7 doubles the odds, -0.7 '
        f"halves them. The intercept is {model.intercept:.2f}. The shade is a {format_percent(CONFIDENCE)} band of "
        "noise and sampling, as if features were independent of each other; bars below say how many rows there are, "
        "about. Where there are few, a step follows its neighbours or stays near 0.</p>",
        f'<div class="cards">{"".join(cards)}</div>',
        "<h2>Numbers</h2>",
        f'<p class="soft small">All steps with their {format_percent(CONFIDENCE)} bands.</p>',
        show_table(model),
    ]
    fact = f"{len(model.steps)}", "steps in all, one for each bin or value"
    return Shown("Step functions", fact, f"{ROUNDS} rounds of noisy sums of residuals in bins; {UNTUNED}", sections)


def find_edges(column: CategoryColumn) -> tuple[list[float], tuple[str, str]] | None:
    """Return the edges of bins as numbers, and the words for the first and the last; None where there is no order."""
    placed = column.placed
    if isinstance(placed, BinnedColumn):
        words = write_value(placed.edges[0]), write_value(placed.edges[-1])
        return [float(to_number(each)) for each in placed.edges], words
    if isinstance(placed, ListedWhole):
        edges = [each - 0.5 for each in range(placed.lower, placed.upper + 2)]
        return edges, (str(placed.lower), str(placed.upper))
    return None


def draw_steps(
    edges: tuple[list[float], tuple[str, str]], steps: Floats, band: Floats, rows: Floats, reach: float, words: str
) -> str:
    """Return a step function with its band over bins; the first step is that of what is missing, and stands apart."""
    places, (first, last) = edges
    begin, end = LEFT + MISSING, WIDTH - 6
    bottom = HEIGHT - 20 - STRIP
    middle = (TOP + bottom) / 2

    def find_x(value: float) -> float:
        return begin + (value - places[0]) / (places[-1] - places[0]) * (end - begin)

    def find_y(value: float) -> float:
        return middle - min(max(value, -reach), reach) / reach * (bottom - TOP) / 2

    parts = []
    for tick in choose_both_ticks(reach, 2):
        parts.append(stroke(f"M{LEFT} {find_y(tick):.1f}H{end}", "soft" if tick == 0 else "grid"))
        parts.append(label(LEFT - 5, find_y(tick) + 4, format_shortly(tick), LEFT, "end", "soft"))
    spans = [(LEFT + 4.0, begin - 8.0), *((find_x(low), find_x(high)) for low, high in pairwise(places))]
    most = max(float(rows.max()), 1.0)
    for (low, high), step, wide, many in zip(spans, steps, band, rows, strict=True):
        top, under = find_y(step + wide), find_y(step - wide)
        parts.append(box(low, top, high - low, under - top, "bar", 'opacity="0.45"'))
        tall = float(many) / most * (STRIP - 6)
        parts.append(box(low, bottom + STRIP - tall, high - low, tall, "soft", 'opacity="0.5"'))
    parts.append(stroke(f"M{spans[0][0]:.1f} {find_y(steps[0]):.1f}H{spans[0][1]:.1f}", "line", 2))
    path = f"M{spans[1][0]:.1f} {find_y(steps[1]):.1f}"
    for (_, high), step in zip(spans[1:], steps[1:], strict=True):
        path += f"V{find_y(step):.1f}H{high:.1f}"
    parts.append(stroke(path, "line", 2))
    parts.append(label((spans[0][0] + spans[0][1]) / 2, HEIGHT - 5, "NULL", MISSING + 8, "middle", "soft"))
    parts.append(label(begin, HEIGHT - 5, first, 150, "start", "soft"))
    parts.append(label(end, HEIGHT - 5, last, 150, "end", "soft"))
    return draw(WIDTH, HEIGHT, parts, words)
