"""Which chart an answer gets: bars for names, lines for time, columns for numbers, groups for two keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from itertools import islice

from discreet.answers.fields import Field
from discreet.answers.numbers import format_interval, format_value
from discreet.answers.picture_parts import list_drawn
from discreet.answers.sheet import Sheet
from discreet.answers.words import describe_intervals
from discreet.base.types import Type
from discreet.server.console.bars import SERIES, Bar, draw_bars
from discreet.server.console.lines import ChartPoint, Series, draw_columns, draw_lines
from discreet.server.console.markup import Element, join, tag

MOST_BARS, MOST_POINTS, MOST_PANELS = 60, 2_000, 6
TIMES = (Type.DATE, Type.TIMESTAMP)


def draw_chart(sheet: Sheet) -> Element | None:
    """Return a panel with error bars for each noisy number of an answer; None where there is nothing to draw."""
    places = list_drawn(sheet.fields)
    if not places or not sheet.rows:
        return None
    keys = [place for place, field in enumerate(sheet.fields) if not field.noisy]
    if not keys and len(sheet.rows) == 1:
        return tag("div", [_show_number(sheet, place) for place in places], class_="tiles")
    panels = [
        tag("figure", tag("figcaption", sheet.fields[place].name), _draw_panel(sheet, keys, place))
        for place in islice(places, MOST_PANELS)
    ]
    less = f"The first {MOST_PANELS} of {len(places)} columns. " if len(places) > MOST_PANELS else ""
    return join(panels, tag("p", f"{less}{describe_intervals(sheet)}", class_="soft small"))


def _show_number(sheet: Sheet, place: int) -> Element:
    """Return the only number of a column, large."""
    value, pair = sheet.rows[0][place], sheet.bounds[0][place]
    return tag(
        "div",
        tag("span", sheet.fields[place].name, class_="soft"),
        tag("b", format_value(value, pair)),
        tag("span", format_interval(value, pair) or "no interval"),
        class_="tile",
    )


def _draw_panel(sheet: Sheet, keys: Sequence[int], place: int) -> Element:
    kinds = [sheet.fields[key].type for key in keys]
    name = f"{sheet.fields[place].name} by {', '.join(sheet.fields[key].name for key in keys)}, with intervals"
    times = [key for key, kind in zip(keys, kinds, strict=True) if kind in TIMES]
    if len(times) == 1 and len(keys) <= 2 and _is_filled(sheet, times[0]):
        others = [key for key in keys if key != times[0]]
        return _draw_times(sheet, times[0], others[0] if others else None, place, name)
    if len(keys) == 1 and kinds[0].numeric and len(sheet.rows) > 3 and _is_filled(sheet, keys[0]):
        points = sorted(_list_points(sheet, keys[0], place), key=lambda point: float(str(point.at)))
        return draw_columns(name, points[:MOST_POINTS])
    return _draw_names(sheet, keys, place, name)


def _is_filled(sheet: Sheet, key: int) -> bool:
    kinds = (date, datetime) if sheet.fields[key].type in TIMES else (int, float)
    return all(isinstance(row[key], kinds) for row in sheet.rows)


def _draw_times(sheet: Sheet, time: int, other: int | None, place: int, name: str) -> Element:
    found: dict[str, list[ChartPoint]] = {}
    for row, bounds in zip(sheet.rows[:MOST_POINTS], sheet.bounds, strict=False):
        group = "" if other is None else _write_key(sheet.fields[other], row[other])
        at = row[time]
        assert isinstance(at, date)
        found.setdefault(group, []).append(ChartPoint(at, row[place], bounds[place]))
    series = [Series(group, tuple(sorted(points, key=lambda each: str(each.at)))) for group, points in found.items()]
    more = f"{len(series) - SERIES} more are in the table." if len(series) > SERIES else None
    return join(draw_lines(name, series[:SERIES]), tag("p", more, class_="soft small") if more else None)


def _list_points(sheet: Sheet, key: int, place: int) -> list[ChartPoint]:
    return [
        ChartPoint(row[key], row[place], bounds[place])  # type: ignore[arg-type]
        for row, bounds in zip(sheet.rows, sheet.bounds, strict=True)
    ]


def _draw_names(sheet: Sheet, keys: Sequence[int], place: int, name: str) -> Element:
    """Return a bar for each row; with several keys, groups by the first."""
    bars: list[Bar] = []
    colours: dict[str, int] = {}
    rows = list(zip(sheet.rows, sheet.bounds, strict=True))
    if len(keys) > 1:
        order = {key: at for at, key in enumerate(dict.fromkeys(str(row[keys[0]]) for row, _ in rows))}
        rows.sort(key=lambda each: order[str(each[0][keys[0]])])
    for row, bounds in rows[:MOST_BARS]:
        words = [_write_key(sheet.fields[key], row[key]) for key in keys]
        label = ", ".join(words[1:]) if len(words) > 1 else words[0] if words else "all"
        colour = colours.setdefault(label, len(colours)) if len(words) > 1 else 0
        bars.append(Bar(label, row[place], bounds[place], words[0] if len(words) > 1 else "", colour))
    less = f"The first {MOST_BARS} of {len(rows):,} rows." if len(rows) > MOST_BARS else None
    return join(draw_bars(name, bars), tag("p", less, class_="soft small") if less else None)


def _write_key(field: Field, value: object) -> str:
    words = format_value(value, noisy=False)
    return words if value is not None else f"no {field.name}"
