"""Lines over time and columns over numbers, with their intervals; the words of their axes stand beside the drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from discreet.answers.bars import Pair
from discreet.answers.numbers import format_interval, format_value
from discreet.server.console.markup import Child, Element, join, tag
from discreet.server.console.scales import AxisScale, write_tick

WIDTH, HEIGHT = 800.0, 240.0
MOST_NAMED = 16
"""Columns up to which each has its name below it."""

MOST_DOTS = 200
"""Points of a line up to which each has a dot; on longer ones they would hide it."""

MOST_WHISKERS = 40
"""Points of a line up to which each has a whisker; of longer ones the band alone is drawn."""


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One number with its interval, at a place that is a time or a number."""

    at: date | datetime | int | float
    value: object
    pair: Pair | None


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one name, in the order of their places."""

    name: str
    points: tuple[ChartPoint, ...]


def draw_lines(name: str, series: Sequence[Series], *, stepped: bool = False) -> Element:
    """Return a line with its band of intervals for each series; `stepped` keeps a value until the next one."""
    scale, places = _measure(series)
    parts: list[Element] = []
    for colour, each in enumerate(series):
        dots = [(WIDTH * places(point.at), point) for point in each.points if not math.isnan(scale.at(point.value))]
        parts += _draw_band(dots, scale, colour)
        parts.append(tag("path", d=_join_dots(dots, scale, stepped), class_=f"line{colour}"))
        if len(dots) <= MOST_DOTS:
            parts += [_draw_dot(x, point, scale, each.name, colour) for x, point in dots]
        if len(dots) <= MOST_WHISKERS:
            parts += [_draw_whisker(x, point.pair, scale) for x, point in dots if point.pair is not None]
    return _frame(name, scale, parts, _label_places(series), series)


def draw_columns(name: str, points: Sequence[ChartPoint]) -> Element:
    """Return columns over numbers, such as a histogram of ages."""
    scale, _ = _measure([Series("", tuple(points))])
    wide = WIDTH / len(points)
    zero = _height(0, scale)
    parts = []
    for place, point in enumerate(points):
        top = _height(point.value, scale)
        if not math.isnan(top):
            told = tag("title", _describe(point, ""))
            gap = min(2.0, wide / 5)
            box = {"x": place * wide + gap / 2, "y": min(top, zero), "width": wide - gap, "height": abs(top - zero)}
            parts.append(tag("rect", told, **box, class_="fill0"))
        if point.pair is not None and len(points) <= 2 * MOST_WHISKERS:
            parts.append(_draw_whisker((place + 0.5) * wide, point.pair, scale, "whisker"))
    each = len(points) <= MOST_NAMED
    below = [_name(point.at) for point in points] if each else _label_places([Series("", tuple(points))])
    return _frame(name, scale, parts, below, (), "each" if each else "")


def _measure(series: Sequence[Series]) -> tuple[AxisScale, AxisPlaces]:
    points = [point for each in series for point in each.points]
    scale = AxisScale.of(end for point in points for end in (point.value, *(point.pair or ())))
    return scale, AxisPlaces.of(points)


@dataclass(frozen=True, slots=True)
class AxisPlaces:
    """Where something lies between the first and the last of its kind."""

    first: float
    last: float

    @classmethod
    def of(cls, points: Sequence[ChartPoint]) -> AxisPlaces:
        """Return the places of points."""
        found = [_count(point.at) for point in points]
        return cls(min(found), max(found))

    def __call__(self, at: object) -> float:
        """Return 0 for the first and 1 for the last."""
        return (_count(at) - self.first) / (self.last - self.first) if self.last > self.first else 0.5


def _count(at: object) -> float:
    if isinstance(at, datetime):
        return at.toordinal() + (at.hour * 3600 + at.minute * 60 + at.second) / 86_400
    return float(at.toordinal()) if isinstance(at, date) else float(str(at))


def _label_places(series: Sequence[Series]) -> list[str]:
    """Return what stands below a chart: both ends, and what lies in the middle of them where that has a name."""
    ordered = sorted((point.at for each in series for point in each.points), key=_count)
    first, last = ordered[0], ordered[-1]
    if first == last:
        return [_name(first)]
    middle = _find_middle(first, last)
    return [_name(first), _name(last)] if middle is None else [_name(first), _name(middle), _name(last)]


def _find_middle(first: object, last: object) -> object | None:
    """Return what lies halfway; None where no whole minute, day or number does."""
    if isinstance(first, datetime) and isinstance(last, datetime):
        return first + (last - first) / 2 if last - first >= timedelta(minutes=20) else None
    if isinstance(first, date) and isinstance(last, date):
        days = (last - first).days
        return first + timedelta(days // 2) if days % 2 == 0 or days >= 20 else None
    if isinstance(first, int) and isinstance(last, int):
        return (first + last) // 2 if (first + last) % 2 == 0 else None
    return None


def _name(at: object) -> str:
    if isinstance(at, datetime):
        return at.isoformat(" ", "minutes")[:16] if (at.hour, at.minute) != (0, 0) else at.date().isoformat()
    return str(at)


def _height(value: object, scale: AxisScale) -> float:
    return HEIGHT * (1 - scale.at(value))


def _join_dots(dots: Sequence[tuple[float, ChartPoint]], scale: AxisScale, stepped: bool) -> str:
    words = []
    for place, (x, point) in enumerate(dots):
        y = _height(point.value, scale)
        words.append(f"M{x:.1f} {y:.1f}" if not place else f"H{x:.1f}V{y:.1f}" if stepped else f"L{x:.1f} {y:.1f}")
    return "".join(words) + (f"H{WIDTH:g}" if stepped and words else "")


def _draw_band(dots: Sequence[tuple[float, ChartPoint]], scale: AxisScale, colour: int) -> list[Element]:
    held = [(x, point.pair) for x, point in dots if point.pair is not None]
    if len(held) < 2:
        return []
    over = [f"{x:.1f} {_height(pair[1], scale):.1f}" for x, pair in held]
    under = [f"{x:.1f} {_height(pair[0], scale):.1f}" for x, pair in reversed(held)]
    return [tag("path", d=f"M{'L'.join([*over, *under])}Z", class_=f"band{colour}")]


def _draw_dot(x: float, point: ChartPoint, scale: AxisScale, name: str, colour: int) -> Element:
    told = tag("title", _describe(point, name))
    return tag("path", told, d=f"M{x:.1f} {_height(point.value, scale):.1f}h0.01", class_=f"dot{colour}")


def _describe(point: ChartPoint, name: str) -> str:
    number = f"{format_value(point.value, point.pair)} {format_interval(point.value, point.pair)}".rstrip()
    return ", ".join(each for each in (name, _name(point.at)) if each) + f": {number}"


def _draw_whisker(x: float, pair: Pair, scale: AxisScale, kind: str = "whisker thin") -> Element:
    return tag("path", d=f"M{x:.1f} {_height(pair[0], scale):.1f}V{_height(pair[1], scale):.1f}", class_=kind)


def _frame(
    name: str,
    scale: AxisScale,
    parts: Sequence[Child],
    below: Sequence[str],
    series: Sequence[Series],
    kind: str = "",
) -> Element:
    grid = [
        tag("path", d=f"M0 {_height(tick, scale):.1f}H{WIDTH:g}", class_="grid" if tick else "zero")
        for tick in scale.ticks
    ]
    drawing = tag(
        "svg", grid, parts, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", preserveAspectRatio="none", role="img", aria_label=name
    )
    left = tag("div", [tag("i", write_tick(each)) for each in reversed(scale.ticks)], class_="left", aria_hidden="true")
    spread = f"under {kind or ('one' if len(below) == 1 else '')}".strip()
    under = tag("div", [tag("i", each) for each in below], class_=spread, aria_hidden="true")
    named = [tag("li", each.name, class_=f"key{place}") for place, each in enumerate(series) if each.name]
    legend = tag("ul", named, class_="legend") if named else None
    return join(legend, tag("div", left, drawing, under, class_="lines"))
