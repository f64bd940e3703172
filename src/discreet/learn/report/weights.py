"""Sections of a report: weights as bars, with what noise can be, and components with their shares of the variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.answers.drawing import box, draw, label, safe, stroke
from discreet.answers.numbers import format_percent
from discreet.base.grid import Floats
from discreet.learn.features import NumberColumn
from discreet.learn.models.component_model import ComponentModel
from discreet.learn.models.linear_model import LinearModel
from discreet.learn.models.regression_model import RegressionModel
from discreet.learn.models.weighted_model import find_scale
from discreet.learn.regression import CORRECTIONS
from discreet.learn.report.parts import (
    CONFIDENCE,
    SCALED,
    UNTUNED,
    Shown,
    choose_both_ticks,
    format_shortly,
    format_value,
    show_table,
    write_bounds,
)
from discreet.learn.targets import ClassTarget

MOST_BARS = 60
"""Weights of one output that are drawn; of more, the longest."""


def show_weights(model: LinearModel) -> Shown:
    """Return the weights and coefficients of a linear model, and how it was learned."""
    band = model.find_half_width(CONFIDENCE)
    parts = [
        "<h2>Weights</h2>",
        f'<p class="soft small">What each feature adds to the score. {SCALED} The shaded band is what noise alone can '
        f"be, at {format_percent(CONFIDENCE)}: plus or minus {band:.3g} for a weight that the data say nothing about, "
        "less for others. Bars inside it need not mean anything.</p>",
    ]
    several = model.weights.shape[1] > 1
    if isinstance(model.target, ClassTarget) and not several:
        yes, no = (safe(str(each)) for each in reversed(model.classes))
        parts.append(f'<p class="soft small">A score above 0 speaks for {yes}, one below 0 for {no}.</p>')
    for output in range(model.weights.shape[1]):
        words = f"for {model.classes[output]}" if several else "of all features"
        heading = f"<h3>{safe(words)}</h3>" if several else ""
        drawing = draw_bars(model.names, model.weights[:-1, output], f"weights {words}", band=band)
        parts.append(f'<div class="card wide below">{heading}{drawing}</div>')
    parts += [
        "<h2>Coefficients</h2>",
        '<p class="soft small">In the units of the data: per 1 of a number. The last column is how far noise alone can '
        f"move one, at {format_percent(CONFIDENCE)}; how rows were sampled comes on top.</p>",
        _list_coefficients(model),
    ]
    fact, how = _describe_learning(model.settings)
    why = UNTUNED if model.choice is None else f"chosen by public rules, given the {model.choice}"
    return Shown(f"{model.kind.capitalize()} model", fact, f"{how}; {why}", parts)


def _describe_learning(settings: Any) -> tuple[tuple[str, str], str]:
    """Return a number about how a model was learned, with its words, and how."""
    if "method" in settings:
        where = "in what is minimised" if settings["method"] == "objective" else "on its weights"
        ridge, slope = float(settings["ridge"]), float(settings["slope"])
        how = f"a minimum with noise {where}, a ridge of {ridge:.3g}, slopes cut at {slope:.2g} of the longest"
        return ("1", "noisy minimum over all rows"), how
    rate, momentum = float(settings["rate"]), float(settings["momentum"])
    how = f"descent with rate {rate:.3g}, momentum {momentum:.3g}, mean of the last {settings['tail']} steps"
    return (f"{settings['steps']}", "steps of a descent on all rows"), how


def show_regression(model: RegressionModel) -> Shown:
    """Return the weights of a regression with their intervals, and its coefficients."""
    half, intervals = find_scale(model.target)[1], model.find_intervals(CONFIDENCE)[:-1]
    wide = (intervals[:, 1] - intervals[:, 0]) / 2 * model.halves
    drawing = draw_bars(model.names, model.weights[:-1, 0] * half, "what each feature adds", whiskers=wide)
    sure = format_percent(CONFIDENCE)
    parts = [
        "<h2>What each feature adds</h2>",
        f'<p class="soft small">In the units of {safe(model.target.name)}. {SCALED} Lines are {sure} intervals, of '
        "noise and of sampling; where one crosses 0, the bar need not mean anything.</p>",
        f'<div class="card wide">{drawing}</div>',
        "<h2>Coefficients</h2>",
        f'<p class="soft small">In the units of the data: per 1 of a number, with {sure} intervals.</p>',
        show_table(model),
    ]
    ridge = f"a ridge of {model.alpha:g}, " if model.alpha else ""
    fact = f"{model.residual:,.4g}", "is left after prediction: a standard deviation, rather too large than too small"
    title = f"{model.kind.capitalize()} regression"
    return Shown(title, fact, f"{ridge}noisy sums of products of features, then {CORRECTIONS} noisy corrections", parts)


def show_components(model: ComponentModel) -> Shown:
    """Return the components: shares of the variance, then directions."""
    parts = [
        "<h2>Shares of the variance</h2>",
        f'<p class="soft small">{SCALED} A component whose variance is below {model.noise:.2g} may be noise alone; '
        f"those shown have {', '.join(f'{each:.2g}' for each in model.variances)}.</p>",
        f'<div class="card wide">{_draw_shares(model)}</div>',
        "<h2>Directions</h2>",
        '<p class="soft small">How much each scaled feature counts; the squares of a component add up to 1, and its '
        "sign has no meaning.</p>",
    ]
    for at, direction in enumerate(model.directions, start=1):
        drawing = draw_bars(model.names, direction, f"component {at}")
        share = format_percent(round(float(model.shares[at - 1]), 3))
        parts.append(f'<div class="card wide below"><h3>component {at}: {share} of the variance</h3>{drawing}</div>')
    parts += ["<h2>Numbers</h2>", show_table(model)]
    fact = f"{model.shares.sum():.0%}", f"of all variance in {len(model.shares)} components, about"
    return Shown("Principal components", fact, "one release of noisy sums of products of features", parts)


def draw_bars(
    names: Sequence[str],
    values: Floats,
    words: str,
    *,
    band: float = 0.0,
    whiskers: Floats | None = None,
    reach: float | None = None,
    width: int = 760,
) -> str:
    """Return bars to the left and right of 0: all in their order, or the longest of many.

    `band` shades what lies so near to 0; `whiskers` says how far each bar may be wrong, and bars within that are
    faint; `reach` is how far the axis goes, where nobody says as far as the longest bar that is not.
    """
    shown = sorted(sorted(range(len(names)), key=lambda place: -abs(values[place]))[:MOST_BARS])
    wide = np.zeros(len(values)) if whiskers is None else whiskers
    reach = find_reach(values, wide, band) if reach is None else reach
    left, right, line = width // 4, 60, 20
    scale = (width - left - 2 * right) / 2 / reach
    middle = left + right + (width - left - 2 * right) / 2
    height = line * len(shown) + 28
    shaded = min(band, reach) * scale
    parts = [box(middle - shaded, 0, 2 * shaded, height - 22, "grid", 'opacity="0.6"')] if band else []
    for tick in choose_both_ticks(reach, 3):
        x = middle + tick * scale
        parts.append(stroke(f"M{x:.1f} 0V{height - 22}", "line" if tick == 0 else "grid"))
        parts.append(label(x, height - 6, format_shortly(tick), 60, "middle", "soft"))
    for row, place in enumerate(shown):
        value, top = float(values[place]), row * line
        low, at, high = np.clip([value - wide[place], value, value + wide[place]], -reach, reach) * scale + middle
        kind, faint = "bar" if value >= 0 else "second", 'opacity="0.5" ' if abs(value) < wide[place] else ""
        parts.append(label(left - 10, top + 14, names[place], left - 14, "end"))
        parts.append(box(min(middle, at), top + 3, max(abs(at - middle), 1), line - 6, kind, f'{faint}rx="2"'))
        if whiskers is not None:
            parts.append(stroke(f"M{low:.1f} {top + 10}H{high:.1f}", "line"))
        end, anchor = (high + 5, "start") if value >= 0 else (low - 5, "end")
        parts.append(label(end, top + 14, format_shortly(value), right, anchor, "soft"))
    hidden = len(names) - len(shown)
    more = f'<p class="soft small">The longest {len(shown)}; {hidden:,} more are not drawn.</p>' if hidden else ""
    return draw(width, height, parts, words) + more


def find_reach(values: Floats, wide: Floats, band: float = 0.0) -> float:
    """Return how far from 0 a drawing goes: as far as what is known, and its error, but not much farther.

    A value that is smaller than its error is not known; where no value is known, all count.
    """
    sizes = np.abs(values)
    known = sizes > wide if (sizes > wide).any() else sizes >= 0
    longest = float(sizes[known].max(initial=0.0)) or 1.0
    far = max(band, float((sizes + wide).max(initial=0.0)))
    return max(longest, min(far, 2 * longest))


def _draw_shares(model: ComponentModel) -> str:
    width, left, line = 760, 190, 24
    scale = (width - left - 70) / max(float(model.shares.max()), 0.01)
    parts = []
    for row, share in enumerate(model.shares):
        long = float(share) * scale
        parts.append(label(left - 10, row * line + 16, f"component {row + 1}", left - 14, "end"))
        parts.append(box(left, row * line + 4, max(long, 1), line - 8, "heat", 'rx="2"'))
        parts.append(label(left + long + 6, row * line + 16, f"{share:.1%}", 60, "start", "soft"))
    return draw(width, line * len(model.shares), parts, "shares of the variance")


def _list_coefficients(model: LinearModel) -> str:
    heads, half, rows = model.tabulate().heads, model.find_half_width(CONFIDENCE), []
    columns = [column for column in model.columns for _ in column.weights]
    scale = float(model.units[-1, -1])
    for (name, values), column in zip(model.list_coefficients(), [*columns, None], strict=True):
        cells = "".join(f'<td class="number">{format_value(value)}</td>' for value in values)
        bounds, noise = "", f"± {half * scale:.3g}"
        if isinstance(column, NumberColumn):
            bounds = write_bounds(column)
            noise = f"± {half * scale / column.half:.3g}"
        rows.append(
            f"<tr><th>{safe(name)}</th><td>{safe(bounds)}</td>{cells}"
            f'<td class="number">{"" if column is None else noise}</td></tr>'
        )
    head = "".join(f'<th class="number">{safe(each)}</th>' for each in [*heads, "noise"])
    return f'<div class="card wide"><table><tr><th></th><th>bounds</th>{head}</tr>{"".join(rows)}</table></div>'
