"""Over time an answer has lines: points in order, a band for the intervals, gaps where there is no value."""

from __future__ import annotations

import math
from datetime import date, datetime

import pytest

from discreet.answers import Answer
from discreet.answers.picture_lines import plan_lines
from discreet.base.types import Type
from support.answers import answered, key, noisy

pytest.importorskip("matplotlib")

DAYS = [date(2026, 3, day) for day in (3, 1, 2)]


def test_points_are_in_order_of_time_and_the_band_goes_from_low_to_high() -> None:
    answer = answered(key("day", Type.DATE), noisy(), rows=[(day, 10 * day.day) for day in DAYS], half=4)
    axes = answer.plot().axes[0]
    assert list(axes.lines[0].get_ydata()) == [10, 20, 30]
    (band,) = axes.collections
    assert {point[1] for point in band.get_paths()[0].vertices} == {6, 14, 16, 24, 26, 34}


def test_a_second_key_is_a_line_each() -> None:
    rows: list[tuple[object, ...]] = [(day, ward, day.day) for day in DAYS for ward in ("north", "icu")]
    figure = answered(key("day", Type.DATE), key("ward"), noisy(), rows=rows).plot()
    assert len(figure.axes[0].lines) == 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["north", "icu"]
    assert figure.legends[0].get_title().get_text() == "ward"


def test_what_has_no_time_is_left_out_and_it_says_so() -> None:
    rows: list[tuple[object, ...]] = [(datetime(2026, 3, 1, hour), hour) for hour in (1, 2)]
    figure = answered(key("at", Type.TIMESTAMP), noisy(), rows=[*rows, (None, 5)]).plot()
    assert list(figure.axes[0].lines[0].get_ydata()) == [1, 2]
    assert "not drawn: 1 of the rows, whose time is NULL" in figure.get_supxlabel()


def test_odd_values_are_gaps_or_end_outside() -> None:
    rows: list[tuple[object, ...]] = [(DAYS[0], None), (DAYS[1], 1.0), (DAYS[2], math.inf)]
    wide = lambda c, s: tuple((None, (-math.inf, math.inf) if row[1] is not None else None) for row in rows)  # noqa: E731
    figure = answered(key("day", Type.DATE), noisy("x", Type.FLOAT), rows=rows, bounds=wide).plot()
    assert math.isnan(figure.axes[0].lines[0].get_ydata()[2])
    assert figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "answer",
    [
        answered(key("day", Type.DATE), noisy(), rows=[(DAYS[0], 1)]),
        answered(key("year", Type.INTEGER), noisy(), rows=[(2025, 1), (2026, 2)]),
        answered(key("a", Type.DATE), key("b", Type.DATE), noisy(), rows=[(day, day, 1) for day in DAYS]),
        answered(key("a", Type.DATE), key("b"), noisy(), rows=[(day, str(b), 1) for day in DAYS for b in range(7)]),
        answered(key("a", Type.DATE), noisy(), rows=[(DAYS[0], 1), (DAYS[0], 2), (DAYS[1], 1)]),
    ],
)
def test_what_is_no_line_is_drawn_as_bars(answer: Answer) -> None:
    assert plan_lines(answer.sheet()) is None
    assert answer.plot().axes[0].patches
