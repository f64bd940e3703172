"""The report on a linear model: one page without scripts, of noisy numbers and public facts only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from discreet.answers.drawing import box, choose_ticks, draw, label, safe, stroke, write_number
from discreet.answers.export import replacing
from discreet.answers.numbers import format_percent
from discreet.answers.page import check_page, wrap_page
from discreet.answers.words import describe_charge
from discreet.base.grid import Floats
from discreet.learn.features import NumberColumn
from discreet.learn.linear_model import LinearModel
from discreet.learn.targets import ClassTarget

CONFIDENCE = 0.95

MOST_BARS = 60
"""Weights of one output that are drawn; of more, the longest."""


def write_learning_report(model: LinearModel, path: str | Path) -> Path:
    """Write the report on a model to a file."""
    target = check_page(path)
    with replacing(target) as part:
        part.write_text(render_learning_page(model), encoding="utf-8")
    return target


def render_learning_page(model: LinearModel) -> str:
    """Return the report as one HTML page."""
    title = f"{model.kind.capitalize()} model of {model.target.name}"
    parts = [
        f"<h1>{safe(title)}</h1>",
        f'<p class="soft">Of the table {safe(model.table)}. Noisy numbers and public facts only: this page may be '
        "shown to anybody.</p>",
        _show_facts(model),
        "<h2>Cost and guarantee</h2>",
        _show_cost(model),
        "<h2>Weights</h2>",
        '<p class="soft small">What each feature adds to the score. A number counts from -1 at its lower bound to 1 at '
        "its upper one, so that bars can be compared; a category is 1 for its value, 0 for all others. The shaded band "
        f"is what noise alone can be, at {format_percent(CONFIDENCE)}: plus or minus "
        f"{model.find_half_width(CONFIDENCE):.3g} for a weight that the data say nothing about, less for others. Bars "
        "inside it need not mean anything.</p>",
        *_draw_outputs(model),
        "<h2>Coefficients</h2>",
        '<p class="soft small">In the units of the data: per 1 of a number. The last column is how far noise alone can '
        f"move one, at {format_percent(CONFIDENCE)}; how rows were sampled comes on top.</p>",
        _list_coefficients(model),
    ]
    return wrap_page(title, parts)


def _show_facts(model: LinearModel) -> str:
    facts = [
        (f"{model.rows:,}", "rows, about: counted with noise"),
        (f"{len(model.columns)}", f"features with {len(model.weights):,} weights each output"),
        (f"{model.settings['steps']}", "steps over all rows"),
    ]
    if isinstance(model.target, ClassTarget):
        facts.append((f"{len(model.classes)}", "classes: " + ", ".join(map(str, model.classes))))
    cards = "".join(
        f'<div class="card"><b>{safe(number)}</b><span>{safe(words)}</span></div>' for number, words in facts
    )
    return f'<div class="facts">{cards}</div>'


def _show_cost(model: LinearModel) -> str:
    lines = [("cost", "not said: the model came without a receipt")]
    if model.receipt is not None:
        lines = [("cost", describe_charge(model.receipt)), ("receipt", str(model.receipt))]
    lines.append(_describe_settings(model.settings))
    listed = "".join(f"<dt>{name}</dt><dd>{safe(words)}</dd>" for name, words in lines)
    return f'<div class="card"><dl>{listed}</dl></div>'


def _describe_settings(settings: Any) -> tuple[str, str]:
    """Return the method's name, and how it went."""
    if "ridge" in settings:
        noisy = "the minimum" if settings["method"] == "output" else "what is minimised, and some on its minimum"
        name, how = f"{settings['method']} perturbation", f"ridge {float(settings['ridge']):.3g}, noise on {noisy}"
    else:
        how = f"rate {float(settings['rate']):.3g}, momentum {float(settings['momentum']):.3g}, mean of the last"
        name, how = "descent", f"{how} {settings['tail']} steps"
    return name, f"{how}; chosen by public rules, nothing was tuned on the data"


def _draw_outputs(model: LinearModel) -> list[str]:
    names = model.names[:-1]
    found = []
    for output in range(model.weights.shape[1]):
        words = f"for {model.classes[output]}" if model.weights.shape[1] > 1 else "of all features"
        heading = f"<h3>{safe(words)}</h3>" if model.weights.shape[1] > 1 else ""
        drawing = _draw_weights(
            names, model.weights[:-1, output], model.find_half_width(CONFIDENCE), f"weights {words}"
        )
        found.append(f'<div class="card wide">{heading}{drawing}</div>')
    return found


def _draw_weights(names: list[str], values: Floats, band: float, words: str) -> str:
    """Return bars to the left and right of 0, before the band of noise: all in their order, or the longest of many."""
    shown = sorted(sorted(range(len(names)), key=lambda place: -abs(values[place]))[:MOST_BARS])
    width, left, right, line = 760, 190, 60, 20
    most = max((abs(float(values[place])) for place in shown), default=0.0) or 1.0
    most = max(most, min(band, 2 * most))
    ticks = choose_ticks(most, 3)
    scale = (width - left - 2 * right) / 2 / max(most, ticks[-1])
    middle = left + right + (width - left - 2 * right) / 2
    height = line * len(shown) + 28
    reach = min(band, most) * scale
    parts = [box(middle - reach, 0, 2 * reach, height - 22, "grid", 'opacity="0.6"')]
    for tick in sorted({sign * each for each in ticks for sign in (-1, 1)}):
        x = middle + tick * scale
        parts.append(stroke(f"M{x:.1f} 0V{height - 22}", "line" if tick == 0 else "grid"))
        parts.append(label(x, height - 6, write_number(tick), 60, "middle", "soft"))
    for row, place in enumerate(shown):
        value, top = float(values[place]), row * line
        long = abs(value) * scale
        x = middle if value >= 0 else middle - long
        parts.append(label(left - 10, top + 14, names[place], left - 14, "end"))
        parts.append(box(x, top + 3, max(long, 1), line - 6, "bar" if value >= 0 else "second", 'rx="2"'))
        at, anchor = (x + long + 5, "start") if value >= 0 else (x - 5, "end")
        parts.append(label(at, top + 14, f"{value:.3g}", right, anchor, "soft"))
    hidden = len(names) - len(shown)
    more = f'<p class="soft small">The longest {len(shown)}; {hidden:,} more are not drawn.</p>' if hidden else ""
    return draw(width, height, parts, words) + more


def _list_coefficients(model: LinearModel) -> str:
    heads = [str(each) for each in model.classes] if model.weights.shape[1] > 1 else ["coefficient"]
    half, rows = model.find_half_width(CONFIDENCE), []
    columns = [column for column in model.columns for _ in column.weights]
    for (name, values), column in zip(model.list_coefficients(), [*columns, None], strict=True):
        cells = "".join(f"<td>{value:.5g}</td>" for value in values)
        bounds, noise = "", f"± {half:.3g}"
        if isinstance(column, NumberColumn):
            bounds = f"{write_number(float(column.lower))} to {write_number(float(column.upper))}"
            noise = f"± {half / column.half:.3g}"
        rows.append(
            f"<tr><th>{safe(name)}</th>{cells}<td>{safe(bounds)}</td><td>{'' if column is None else noise}</td></tr>"
        )
    head = "".join(f"<th>{safe(each)}</th>" for each in heads)
    return (
        f'<div class="card"><table><tr><th></th>{head}<th>bounds</th><th>noise</th></tr>{"".join(rows)}</table></div>'
    )
