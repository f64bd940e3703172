"""Two keys make groups of bars: the key with fewer values has the colours. All else is a bar for each row."""

from __future__ import annotations

import pytest

from discreet.answers.picture_bars import plan_bars, plan_groups
from support.answers import answered, key, noisy

pytest.importorskip("matplotlib")


def test_two_keys_are_groups_in_colours_by_the_one_with_fewer_values() -> None:
    rows: list[tuple[object, ...]] = [(ward, sex, 10) for ward in ("north", "south", "icu") for sex in "fm"]
    answer = answered(key("ward"), key("sex"), noisy(), rows=rows)
    chart = plan_groups(answer.sheet())
    assert chart is not None
    assert chart.coloured == "sex"
    assert [label for label, _ in chart.series] == ["f", "m"]
    assert [label for _, label in chart.ticks] == ["north", "south", "icu"]
    figure = answer.plot()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["f", "m"]
    assert len(figure.axes[0].patches) == 6
    turned = answered(key("sex"), key("ward"), noisy(), rows=[(b, a, n) for a, b, n in rows])
    other = plan_groups(turned.sheet())
    assert other is not None
    assert other.coloured == "sex"


def test_bars_of_a_group_lie_beside_one_another_whatever_the_order_of_rows() -> None:
    rows: list[tuple[object, ...]] = [("a", "f", 1), ("b", "m", 2), ("b", "f", 3), ("a", "m", 4)]
    chart = plan_groups(answered(key(), key("sex"), noisy(), rows=rows).sheet())
    assert chart is not None
    assert chart.places == (0.0, 3.7, 2.7, 1.0)
    assert len(set(chart.places)) == len(rows)


def test_a_missing_key_is_a_value_of_its_own() -> None:
    rows: list[tuple[object, ...]] = [("a", "f", 1), ("a", None, 2), (None, "f", 3), (None, None, 4)]
    chart = plan_groups(answered(key(), key("sex"), noisy(), rows=rows).sheet())
    assert chart is not None
    assert len(chart.series) == 2


MANY: list[tuple[object, ...]] = [(str(a), str(b), 1) for a in range(7) for b in range(7)]


@pytest.mark.parametrize(
    "answer",
    [
        answered(key(), noisy(), rows=[("a", 1), ("b", 2)]),
        answered(key(), key("b"), key("c"), noisy(), rows=[("a", "b", "c", 1), ("b", "b", "c", 1)]),
        answered(key(), key("b"), noisy(), rows=MANY),
        answered(key(), key("b"), noisy(), rows=[("a", "x", 1), ("b", "y", 2)]),
        answered(key(), key("b"), noisy(), rows=[("a", "x", 1), ("a", "y", 2)]),
        answered(key(), key("b"), noisy(), rows=[("a", "x", 1), ("a", "x", 2), ("b", "y", 1), ("b", "x", 1)]),
    ],
)
def test_other_rows_are_a_bar_each(answer: object) -> None:
    sheet = answer.sheet()  # type: ignore[attr-defined]
    assert plan_groups(sheet) is None
    assert plan_bars(sheet).rows == len(sheet.rows)
