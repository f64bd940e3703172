"""Pictures are drawn for every answer with a noisy number, whatever its size, its labels and its gaps."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from discreet.answers import Answer
from discreet.base.errors import DiscreetError
from discreet.base.types import Type
from support.answers import answered, cities, key, noisy

pytest.importorskip("matplotlib")


def words(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def overlaps(figure: Any) -> list[tuple[str, str]]:
    """Return the pairs of texts that lie on one another."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    outside = [
        tick.label1
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    ]
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    texts = [text for text in texts if text not in outside]  # matplotlib does not draw those
    boxes = [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in texts]
    ticks = {label for axes in figure.axes for label in [t.get_text() for t in axes.get_xticklabels()]}
    return [
        (a, b)
        for i, (a, one) in enumerate(boxes)
        for b, other in boxes[i + 1 :]
        if one.overlaps(other) and not (a in ticks and b in ticks)
    ]


def test_every_noisy_number_has_its_panel_with_numbers_beside_the_bars(tmp_path: Path) -> None:
    figure = cities().plot(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["n", "income"]
    assert words(figure.axes[0]) == ["1,200 ± 3", "830 ± 3", "64 ± 3"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["Bern", "Graz", "Ulm"]
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_intervals_are_drawn_from_low_to_high() -> None:
    axes = answered(noisy(), rows=[(100,)], half=20).plot(simultaneous=True).axes[0]
    assert list(axes.lines[0].get_xdata()) == [60, 140]
    assert axes.patches[0].get_width() == 100


@pytest.mark.parametrize("count", [1, 3, 40, 61])
def test_no_text_lies_on_another(count: int) -> None:
    rows: list[tuple[object, ...]] = [
        (f"a long label, number {i} " * 3, 2000 + i, -i, 10**12 * i) for i in range(count)
    ]
    answer = answered(key(), key("year", Type.INTEGER), noisy(), noisy("m" * 90), rows=rows, half=50)
    assert overlaps(answer.plot()) == []


def test_more_than_sixty_rows_are_cut_and_it_says_so() -> None:
    figure = answered(noisy(), rows=[(i,) for i in range(1000)]).plot()
    assert len(words(figure.axes[0])) == 60
    assert "the first 60 of 1,000 rows" in figure.get_supxlabel()


@pytest.mark.many
@pytest.mark.parametrize(
    ("type", "values"),
    [
        (Type.INTEGER, [10**400, -(10**400)]),
        (Type.FLOAT, [math.inf, math.nan, None, -1.5]),
        (Type.DECIMAL, [Decimal("0.001"), None]),
        (Type.FLOAT, [1e308, -1e308]),
        (Type.FLOAT, [0.0, 0.0]),
        (Type.INTEGER, [None]),
    ],
)
def test_odd_values_are_drawn(tmp_path: Path, type: Type, values: list[object]) -> None:
    rows: list[tuple[object, ...]] = [(value,) for value in values]
    answered(noisy("x", type), rows=rows, bounds=lambda c, s: ()).plot(tmp_path / "x.png")
    wide = lambda c, s: tuple(((-math.inf, math.inf),) for _ in rows)  # noqa: E731
    figure = answered(noisy("x", type), rows=rows, bounds=wide).plot(tmp_path / "y.png")
    assert len(figure.axes) == 1
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in ("x.png", "y.png"))


@pytest.mark.parametrize("text", ["$x^2$", "$\\frac{", "a\nb", "\\", "100 $"])
def test_labels_are_never_formulas(tmp_path: Path, text: str) -> None:
    figure = answered(key(), noisy("n" + text), rows=[(text, 1)]).plot(tmp_path / "x.png")
    assert "\n" not in figure.axes[0].get_yticklabels()[0].get_text()


def test_nothing_noisy_nothing_to_draw() -> None:
    for answer in (answered(key(), rows=[("a",)]), answered(noisy(), rows=[])):
        with pytest.raises(DiscreetError, match="nothing to draw"):
            answer.plot()


def test_the_question_is_the_title_in_a_few_lines() -> None:
    question = "SELECT city,\n  COUNT(*) AS n FROM people WHERE name = '$x' GROUP BY city"
    assert "".join(answered(key(), noisy(), rows=[("a", 1)], question=question).plot().get_suptitle().split()) == (
        "SELECTcity,COUNT(*)ASnFROMpeopleWHEREname='\\$x'GROUPBYcity"
    )
    long = answered(key(), noisy(), rows=[("a", 1)], question="SELECT a, b " * 200).plot()
    assert long.get_suptitle().count("\n") == 3
    assert long.get_suptitle().endswith("…")
    assert overlaps(long) == []
    assert cities().plot().get_suptitle() == ""


LONG = "SELECT a, b " * 100
CHARTS = [
    answered(key("day", Type.DATE), noisy(), rows=[(date(2026, 1, day), day) for day in range(1, 32)], question=LONG),
    answered(
        key("at", Type.TIMESTAMP),
        key("ward"),
        noisy(),
        noisy("m"),
        rows=[(datetime(2026, 1, 1, hour), ward, hour, -hour) for hour in range(24) for ward in "abc"],
        question=LONG,
    ),
    answered(
        key("ward"),
        key("sex"),
        noisy(),
        noisy("m"),
        rows=[(f"a long name of a ward, {ward} " * 2, sex, 10**ward, -ward) for ward in range(9) for sex in "fm"],
        question=LONG,
    ),
    answered(key("a"), key("b"), noisy(), rows=[(a, b, 1) for a in "xy" for b in "pqrstu"], question=LONG),
]


@pytest.mark.parametrize("answer", CHARTS)
def test_no_text_of_lines_or_groups_lies_on_another(answer: Answer) -> None:
    assert overlaps(answer.plot()) == []
