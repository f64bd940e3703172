"""A map drawn as a hierarchy: a row for each level, each area below its parent, as wide as it has people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.answers.drawing import box, draw, label, measure, safe
from discreet.base.grid import Floats
from discreet.topdown.release.report.quality import AreaLevel

WIDTH, HEIGHT, LEFT = 860.0, 34.0, 110.0
LEAST = 0.8
"""Areas narrower than so many points are drawn together with their neighbours."""


@dataclass(frozen=True)
class _Run:
    """Areas that are drawn as one."""

    name: str
    is_one: bool
    """Whether one of them alone has people: then it is named."""
    start: float
    wide: float
    people: float
    share: float
    """Of its people, those who are counted in a wrong cell."""


def draw_icicle(levels: Sequence[AreaLevel]) -> str:
    """Return the drawing: the darker an area, the larger the share of its people who are counted in a wrong cell."""
    total = max(float(levels[0].people.sum()), 1.0)
    runs = [_find_runs(level, total) for level in levels]
    scale = max((each.share for some in runs for each in some), default=0.0) or 1e-9
    parts = []
    for row, (level, some) in enumerate(zip(levels, runs, strict=True)):
        top = 4 + row * (HEIGHT + 3)
        parts.append(label(LEFT - 8, top + HEIGHT / 2 + 4, level.name, LEFT - 10, "end"))
        for each in some:
            parts += _draw_run(each, top, scale)
    bottom = 4 + len(levels) * (HEIGHT + 3)
    return draw(LEFT + WIDTH + 8, bottom + 34, [*parts, *_draw_key(bottom + 12, scale)], "areas by simulated error")


def _find_runs(level: AreaLevel, total: float) -> list[_Run]:
    """Return what is drawn of a level: nothing where nobody is."""
    ends = np.cumsum(level.people) / total * WIDTH
    found = []
    for first, stop in merge_narrow(ends, LEAST):
        inside = first + np.flatnonzero(level.people[first:stop] > 0)
        if not len(inside):
            continue
        start = float(ends[first - 1]) if first else 0.0
        people = float(level.people[inside].sum())
        share = float((level.misplaced[inside] * level.people[inside]).sum()) / people
        is_one = len(inside) == 1
        name = level.areas[int(inside[0])] if is_one else f"{stop - first} areas from {level.areas[first]}"
        found.append(_Run(name, is_one, start, float(ends[stop - 1]) - start, people, share))
    return found


def _draw_run(run: _Run, top: float, scale: float) -> list[str]:
    told = f"<title>{safe(run.name)}: {run.people:,.0f} people, {run.share:.1%} in a wrong cell</title>"
    shade = f'fill-opacity="{_shade(run.share, scale)}"'
    parts = [f"<g>{told}{box(LEFT + run.start, top, max(run.wide - 0.4, 0.4), HEIGHT, 'heat', shade)}</g>"]
    if run.is_one and run.wide > measure(run.name) + 8:
        kind = "on-heat" if run.share / scale > 0.55 else ""
        middle = LEFT + run.start + run.wide / 2
        parts.append(label(middle, top + HEIGHT / 2 + 4, run.name, run.wide - 6, "middle", kind))
    return parts


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
