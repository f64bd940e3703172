"""Sections of a report: what the rows of a cluster or of a class are like, each feature between its public bounds."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from discreet.answers.drawing import box, draw, label, safe, stroke
from discreet.answers.numbers import format_percent
from discreet.base.grid import Floats
from discreet.learn.clusters import ROUNDS
from discreet.learn.features import NumberColumn
from discreet.learn.models.bayes_model import BayesModel
from discreet.learn.models.cluster_model import ClusterModel
from discreet.learn.models.model import Model
from discreet.learn.report.parts import CONFIDENCE, UNTUNED, Shown, format_shortly, show_table

MOST_LINES = 40
"""Scaled features of one profile that are drawn."""

MOST_PROFILES = 24
"""Clusters or classes that are drawn; the table has all."""

LEFT, LONG, RIGHT, LINE = 130, 220, 70, 20
"""Room for names, tracks and numbers, and the height of a line."""

SURE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def show_clusters(model: ClusterModel) -> Shown:
    """Return a profile of each cluster, and the table of all centres."""
    share = np.maximum(model.sizes, 0) / max(float(model.sizes.sum()), 1.0)
    titles = [
        f"cluster {at}: about {size:,.0f} rows, {part:.0%}"
        for at, (size, part) in enumerate(zip(model.sizes, share, strict=True))
    ]
    sections = [
        "<h2>Centres</h2>",
        _explain("The mark is the cluster's centre"),
        *_show_profiles(model, titles, model.centres, np.zeros(model.centres.shape), model.noise),
        "<h2>Numbers</h2>",
        '<p class="soft small">Centres in the units of the data; of a category the share of each value.</p>',
        show_table(model),
    ]
    method = f"{ROUNDS} of Lloyd's steps with noisy sums, the first from public centres; {UNTUNED}"
    return Shown("Clusters", (f"{len(model.sizes)}", "clusters, the largest first"), method, sections)


def show_classes(model: BayesModel) -> Shown:
    """Return a profile of each class, and the table of all of them."""
    titles = [f"{label}: {part:.0%} of rows" for label, part in zip(model.classes, model.shares, strict=True)]
    sections = [
        "<h2>Classes</h2>",
        _explain("The mark is the mean of the class's rows, the wide shade one standard deviation to either side"),
        *_show_profiles(model, titles, model.means, model.deviations, model.noise),
        "<h2>Numbers</h2>",
        '<p class="soft small">In the units of the data; of a category the share of each value in the class.</p>',
        show_table(model),
    ]
    fact = f"{model.shares.max():.0%}", "of rows have the largest class, about"
    return Shown("Naive Bayes model", fact, "one release of each class's noisy sums", sections)


def _explain(mark: str) -> str:
    return (
        f'<p class="soft small">Each line runs from a number\'s lower public bound to its upper one. {mark}; the line '
        f"through it is how far noise alone can move it, at {format_percent(CONFIDENCE)}. A category has a bar for the "
        "share of each value.</p>"
    )


def _show_profiles(model: Model, titles: list[str], means: Floats, deviations: Floats, noise: Floats) -> list[str]:
    cards = [
        f'<div class="card wide"><h3>{safe(title)}</h3>'
        f"{_draw_profile(model, means[at], deviations[at], min(SURE * float(noise[at]), 2.0), title)}</div>"
        for at, title in enumerate(titles[:MOST_PROFILES])
    ]
    hidden = len(titles) - len(cards)
    more = [f'<p class="soft small">{hidden:,} more are not drawn.</p>'] if hidden else []
    return [f'<div class="cards">{"".join(cards)}</div>', *more]


def _draw_profile(model: Model, means: Floats, deviations: Floats, reach: float, words: str) -> str:
    """Return a line for each scaled feature: a track with a mark for a number, a bar for a category's place."""
    columns = [column for column in model.columns for _ in column.weights]
    shown, parts = min(len(columns), MOST_LINES), []
    for row in range(shown):
        column, value, top = columns[row], float(means[row]), row * LINE
        parts.append(label(LEFT - 8, top + 14, model.names[row], LEFT - 10, "end"))
        if isinstance(column, NumberColumn):
            parts += _draw_track(value, float(deviations[row]), reach, top)
            text = format_shortly(column.middle + column.half * value)
        else:
            share = min(max(value, 0.0), 1.0)
            parts.append(box(LEFT, top + 4, LONG, LINE - 8, "grid", 'opacity="0.5" rx="2"'))
            parts.append(box(LEFT, top + 4, share * LONG, LINE - 8, "heat", 'rx="2"'))
            text = f"{share:.0%}"
        parts.append(label(LEFT + LONG + 8, top + 14, text, RIGHT, "start", "soft"))
    hidden = len(columns) - shown
    more = f'<p class="soft small">{hidden:,} more lines are not drawn.</p>' if hidden else ""
    return draw(LEFT + LONG + RIGHT, LINE * shown, parts, words) + more


def _draw_track(value: float, deviation: float, reach: float, top: float) -> list[str]:
    """Return a number between its bounds: its deviation, what noise can be, and a mark."""

    def find_x(scaled: float) -> float:
        return LEFT + (min(max(scaled, -1.0), 1.0) + 1) / 2 * LONG

    low, high = find_x(value - deviation), find_x(value + deviation)
    return [
        box(low, top + 4, high - low, LINE - 8, "bar", 'opacity="0.7" rx="2"') if deviation else "",
        stroke(f"M{LEFT} {top + 10}H{LEFT + LONG}", "grid"),
        stroke(f"M{find_x(value - reach):.1f} {top + 10}H{find_x(value + reach):.1f}", "line"),
        box(find_x(value) - 2, top + 3, 4, LINE - 6, "second", 'rx="1"'),
    ]
