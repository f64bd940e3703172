"""Bars with intervals, one under another: drawings hold no text, so that letters keep their size on every screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.answers.bars import Pair
from discreet.answers.numbers import format_interval, format_value, to_float
from discreet.server.console.markup import Element, tag
from discreet.server.console.scales import AxisScale, write_tick

SERIES = 6
"""Colours that charts have."""

WIDTH, HEIGHT = 400.0, 22.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One number with its interval, what it is called, and the group that it stands in."""

    label: str
    value: object
    pair: Pair | None
    group: str = ""
    colour: int = 0


def draw_bars(name: str, bars: Sequence[Bar]) -> Element:
    """Return bars on one scale; where they have groups, each group under its name."""
    scale = AxisScale.of(end for bar in bars for end in (bar.value, *(bar.pair or ())))
    rows, last = [], ""
    for bar in bars:
        if bar.group and bar.group != last:
            rows.append(tag("li", tag("span", bar.group), class_="group"))
            last = bar.group
        number = tag("span", format_value(bar.value, bar.pair), " ", tag("small", format_interval(bar.value, bar.pair)))
        rows.append(
            tag("li", tag("span", bar.label or '""', class_="label", title=bar.label), _draw_bar(bar, scale), number)
        )
    axis = [tag("span"), tag("span", [tag("i", write_tick(each)) for each in scale.ticks], class_="ticks"), tag("span")]
    rows.append(tag("li", axis, class_="axis", aria_hidden="true"))
    return tag("ul", rows, class_="bars", aria_label=name)


def _draw_bar(bar: Bar, scale: AxisScale) -> Element:
    zero, at = WIDTH * scale.at(0), WIDTH * scale.at(bar.value)
    parts = [_line(f"M{WIDTH * scale.at(tick):.2f} 0V{HEIGHT:g}", "grid") for tick in scale.ticks]
    if not math.isnan(at):
        parts.append(
            tag(
                "rect",
                x=min(zero, at),
                y=4.0,
                width=abs(at - zero),
                height=HEIGHT - 8,
                class_=f"fill{bar.colour % SERIES}",
            )
        )
    if bar.pair is not None:
        low, high = (WIDTH * scale.at(end) for end in bar.pair)
        parts.append(_line(f"M{low:.2f} {HEIGHT / 2:g}H{high:.2f}", "whisker"))
        for end, place in zip(bar.pair, (low, high), strict=True):
            if math.isfinite(to_float(end)):
                parts.append(_line(f"M{place:.2f} {HEIGHT / 2 - 4:g}v8", "whisker"))
    parts.append(_line(f"M{zero:.2f} 0V{HEIGHT:g}", "zero"))
    return tag("svg", parts, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", preserveAspectRatio="none", aria_hidden="true")


def _line(path: str, kind: str) -> Element:
    return tag("path", d=path, class_=kind)
