"""A map drawn as a hierarchy: a row for each level, each area below its parent, as wide as it has people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.answers.drawing import box, draw, label, measure, safe
from discreet.base.grid import Floats
from discreet.topdown.release.report.quality import AreaLevel

WIDTH, HEIGHT, LEFT = 860.0, 34.0, 110.0
LEAST = 0.8
"""Areas narrower than so many points are drawn together with their neighbours."""


def draw_icicle(levels: Sequence[AreaLevel], most: float | None = None) -> str:
    """Return the drawing: the darker an area, the larger the share of its people who are counted in a wrong cell."""
    shares = (float(each.misplaced[each.people > 0].max(initial=0.0)) for each in levels)
    darkest = max(shares, default=0.0) if most is None else most
    scale = max(darkest, 1e-9)
    total = max(float(levels[0].people.sum()), 1.0)
    parts = []
    for row, level in enumerate(levels):
        top = 4 + row * (HEIGHT + 3)
        parts.append(label(LEFT - 8, top + HEIGHT / 2 + 4, level.name, LEFT - 10, "end"))
        ends = np.cumsum(level.people) / total * WIDTH
        for first, stop in merge_narrow(ends, LEAST):
            start = float(ends[first - 1]) if first else 0.0
            wide = float(ends[stop - 1]) - start
            people = float(level.people[first:stop].sum())
            if people <= 0:
                continue
            share = float((level.misplaced[first:stop] * level.people[first:stop]).sum()) / people
            names = level.areas[first] if stop - first == 1 else f"{stop - first} areas from {level.areas[first]}"
            told = f"<title>{safe(names)}: {people:,.0f} people, {share:.1%} in a wrong cell</title>"
            shape = box(
                LEFT + start, top, max(wide - 0.4, 0.4), HEIGHT, "heat", f'fill-opacity="{_shade(share, scale)}"'
            )
            parts.append(f"<g>{told}{shape}</g>")
            if stop - first == 1 and wide > measure(level.areas[first]) + 8:
                kind = "on-heat" if share / scale > 0.55 else ""
                parts.append(
                    label(LEFT + start + wide / 2, top + HEIGHT / 2 + 4, level.areas[first], wide - 6, "middle", kind)
                )
    bottom = 4 + len(levels) * (HEIGHT + 3)
    return draw(LEFT + WIDTH + 8, bottom + 34, [*parts, *_draw_key(bottom + 12, scale)], "areas by simulated error")


def merge_narrow(ends: Floats, least: float) -> list[tuple[int, int]]:
    """Return runs of areas, from the first to the one after the last, none narrower than so much but the last.

    >>> merge_narrow(np.array([5.0, 5.1, 5.2, 9.0, 9.1]), 1.0)
    [(0, 1), (1, 4), (4, 5)]
    """
    found, first, start = [], 0, 0.0
    for place, end in enumerate(ends):
        if end - start >= least or place == len(ends) - 1:
            found.append((first, place + 1))
            first, start = place + 1, float(end)
    return found


def _shade(share: float, scale: float) -> str:
    return f"{0.08 + 0.92 * min(share / scale, 1.0):.2f}"


def _draw_key(top: float, scale: float) -> list[str]:
    parts = []
    for step in range(6):
        share = scale * step / 5
        parts.append(box(LEFT + 70 * step, top, 66, 10, "heat", f'fill-opacity="{_shade(share, scale)}"'))
        parts.append(label(LEFT + 70 * step + 33, top + 22, f"{share:.1%}", 66, "middle", "soft"))
    return parts
