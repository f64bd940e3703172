"""Charts: bars for names, lines for time, columns for numbers, groups for two keys; every number with its interval."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers.bars import Pair
from discreet.answers.fields import Field, Row
from discreet.answers.sheet import Sheet
from discreet.base.types import Type
from discreet.server.console.charts import MOST_BARS, draw_chart
from discreet.server.console.meters import draw_meter
from discreet.server.console.scales import AxisScale

N = Field("n", Type.INTEGER, True, "exact")


def make_sheet(keys: Sequence[Field], rows: Sequence[Row], half: float = 5) -> Sheet:
    def pair(value: object) -> Pair | None:
        return (value - half, value + half) if isinstance(value, int | float) else None

    bounds = tuple((*(None for _ in keys), pair(row[-1])) for row in rows)
    return Sheet((*keys, N), tuple(rows), bounds, 0.95, False, None, "guaranteed")


def draw(keys: Sequence[Field], rows: Sequence[Row]) -> str:
    chart = draw_chart(make_sheet(keys, rows))
    assert chart is not None
    return str(chart)


WARD = Field("ward", Type.TEXT, False)
SEX = Field("sex", Type.TEXT, False)
DAY = Field("day", Type.DATE, False)
AGE = Field("age", Type.INTEGER, False)


def test_names_get_bars_with_whiskers_and_their_numbers() -> None:
    drawn = draw([WARD], [("icu", 40), ("north", 80)])
    assert drawn.count('class="fill0"') == 2
    assert drawn.count('class="whisker"') == 6
    assert ("80" in drawn, "± 5" in drawn, 'class="lines"' in drawn) == (True, True, False)
    widths = [float(each) for each in re.findall(r'width="([0-9.]+)" height="14" class="fill0"', drawn)]
    assert widths[1] == pytest.approx(2 * widths[0])


def test_times_get_a_line_with_its_band() -> None:
    rows = [(dt.date(2026, month, 1), 10 * month) for month in (3, 1, 2)]
    drawn = draw([DAY], rows)
    assert (drawn.count('class="line0"'), drawn.count('class="band0"')) == (1, 1)
    assert drawn.count('class="whisker thin"') == 3
    assert drawn.index("2026-01-01") < drawn.index("2026-03-01")
    places = [float(each) for each in re.findall(r"[ML]([0-9.]+) ", re.search(r'd="([^"]+)" class="line0"', drawn)[1])]  # type: ignore[index]
    assert places == sorted(places)


def test_a_line_has_a_dot_at_each_point_or_at_none() -> None:
    rows = [(dt.date(2024, 1, 1) + dt.timedelta(day), 10) for day in range(700)]
    assert draw([DAY], rows[:100]).count('class="dot0"') == 100
    assert draw([DAY], rows).count('class="dot0"') == 0


def test_times_of_two_keys_get_a_line_for_each() -> None:
    rows = [(dt.date(2026, month, 1), ward, 10) for month in (1, 2) for ward in ("icu", "north")]
    drawn = draw([DAY, WARD], rows)
    assert ('class="line1"' in drawn, 'class="legend"' in drawn, "north" in drawn) == (True, True, True)
    many = draw([DAY, WARD], [(dt.date(2026, 1, 1 + day), f"w{ward}", 1) for day in (0, 1) for ward in range(9)])
    assert ("3 more are in the table" in many, 'class="line6"' in many) == (True, False)


def test_two_names_get_groups_and_numbers_get_columns() -> None:
    grouped = draw([WARD, SEX], [("icu", "f", 1), ("north", "f", 2), ("icu", "m", 3), ("north", "m", 4)])
    assert grouped.count('class="group"') == 2
    assert (grouped.count('class="fill0"'), grouped.count('class="fill1"')) == (2, 2)
    assert draw([AGE], [(age, age) for age in range(20)]).count('class="fill0"') == 20


def test_one_number_stands_alone_and_nothing_draws_nothing() -> None:
    assert 'class="tile"' in draw([], [(7,)])
    assert draw_chart(make_sheet([WARD], [])) is None
    assert draw_chart(Sheet((WARD,), (("icu",),), ((None,),), 0.95, False, None, "")) is None


def test_what_is_left_out_is_told() -> None:
    drawn = draw([WARD], [(f"w{place}", place) for place in range(100)])
    assert drawn.count('class="label"') == MOST_BARS
    assert "The first 60 of 100 rows" in drawn


def test_hostile_keys_are_text() -> None:
    bad = '"><script>alert(1)</script>'
    for keys, row in (([WARD], (bad, 1)), ([WARD, SEX], (bad, bad, 1)), ([DAY, WARD], (dt.date(2026, 1, 1), bad, 1))):
        drawn = draw(keys, [row])
        assert ("<script" in drawn, "&lt;script&gt;" in drawn) == (False, True)


NUMBERS = st.none() | st.floats() | st.integers(-(10**40), 10**40)


@given(st.lists(NUMBERS, max_size=12), st.sampled_from([WARD, AGE, DAY]), st.booleans())
def test_no_number_breaks_a_drawing(numbers: list[object], key: Field, endless: bool) -> None:
    keys: dict[Field, Callable[[int], object]] = {
        WARD: lambda at: f"w{at}",
        AGE: lambda at: at,
        DAY: lambda at: dt.date(2026, 1, 1) + dt.timedelta(at),
    }
    rows = tuple((keys[key](place), value) for place, value in enumerate(numbers))
    pair = (-math.inf, math.inf) if endless else None
    value = Field("v", Type.FLOAT, True)
    sheet = Sheet((key, value), rows, tuple((None, pair) for _ in rows), 0.95, False, None, "")
    drawn = str(draw_chart(sheet))
    places = re.findall(r' d="([^"]*)"', drawn)
    assert not any("nan" in each or "inf" in each for each in places)


@given(st.lists(st.floats(-1e305, 1e305), min_size=1, max_size=8))
def test_scales_hold_all_numbers_and_zero(numbers: list[float]) -> None:
    scale = AxisScale.of(numbers)
    assert scale.low <= 0 <= scale.high
    assert 2 <= len(scale.ticks) <= 14
    assert all(0 <= scale.at(each) <= 1 for each in numbers)


def test_a_meter_says_in_words_what_it_shows() -> None:
    drawn = str(draw_meter("Your budget", 0.25, marks=[(1.0, "1: <b>"), (3.0, "2: q")]))
    assert 'aria-label="Your budget: 25 % spent, 75 % left"' in drawn
    assert "<b>" not in drawn
    widths = [float(each) for each in re.findall(r'width="([0-9.]+)" height="14" class="part', drawn)]
    assert sum(widths) == pytest.approx(150, abs=1.1)


@pytest.mark.parametrize("key", [DAY, AGE])
def test_no_whisker_of_a_line_or_column_is_cut_off(key: Field) -> None:
    keys = [dt.date(2026, 1, day) if key is DAY else day for day in range(1, 6)]
    drawn = draw([key], [(each, value) for each, value in zip(keys, (0, 60, 99, 20, 100), strict=True)])
    ends = re.findall(r'd="M[0-9.]+ ([0-9.]+)V([0-9.]+)" class="whisker', drawn)
    heights = [float(low) - float(high) for low, high in ends]
    assert heights == pytest.approx([heights[0]] * 5, abs=0.2)


@pytest.mark.parametrize(
    ("places", "shown"),
    [
        ([dt.date(2026, 1, 1), dt.date(2026, 1, 2), dt.date(2026, 1, 31)], "2026-01-16"),
        ([dt.date(2026, 1, 1), dt.date(2026, 1, 2), dt.date(2026, 1, 4)], None),
        ([dt.date(2026, 1, 1), dt.date(2026, 1, 3)], "2026-01-02"),
    ],
)
def test_what_stands_in_the_middle_below_a_line_is_the_middle(places: list[dt.date], shown: str | None) -> None:
    drawn = draw([DAY], [(day, 40) for day in places])
    below = re.findall(r"2026-[0-9-]+", drawn[drawn.rindex("</svg>") :])
    assert below == [str(places[0]), *([] if shown is None else [shown]), str(places[-1])]
