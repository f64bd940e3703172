"""All bars of a column share one scale; a bar is as wide as it was asked to be."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers.bars import ASCII, UNICODE, Scale, choose_marks, draw_svg_bar, draw_text_bar

SCALE = Scale(0, 10)


@pytest.mark.parametrize(
    ("value", "pair", "drawn"),
    [
        (5, (2, 8), "  ├──●──┤  "),
        (5, (0, 10), "├────●────┤"),
        (5, (-math.inf, 8), "◄────●──┤  "),
        (5, (2, math.inf), "  ├──●────►"),
        (5, None, "     ●     "),
        (5, (5, 5), "     ●     "),
        (None, (2, 4), "  ├─┤      "),
        (None, None, "           "),
        (9, (2, 4), "  ├─┤    ● "),
    ],
)
def test_bars_in_text(value: object, pair: tuple[float, float] | None, drawn: str) -> None:
    assert draw_text_bar(value, pair, SCALE, 11, UNICODE) == drawn
    ascii = drawn.translate(str.maketrans("├─●┤◄►", "|-o|<>"))
    assert draw_text_bar(value, pair, SCALE, 11, ASCII) == ascii


@pytest.mark.parametrize(
    ("encoding", "marks"), [("utf-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII), ("?", ASCII)]
)
def test_terminals_get_what_they_can_print(encoding: str, marks: object) -> None:
    assert choose_marks(encoding) is marks


def test_the_scale_spans_values_and_finite_ends() -> None:
    assert Scale.of([(5,), (None,)], [((-1, math.inf),), (None,)], 0) == Scale(-1, 5)
    assert Scale.of([(None,)], [(None,)], 0) is None


FLOATS = st.floats(allow_nan=False)


@given(st.none() | st.floats(), FLOATS, FLOATS, FLOATS, FLOATS, st.integers(1, 40))
def test_every_bar_fits(value: float | None, a: float, b: float, c: float, d: float, width: int) -> None:
    pair = (min(a, b), max(a, b))
    finite = [end if math.isfinite(end) else 0.0 for end in (c, d)]
    scale = Scale(min(finite), max(finite))
    assert len(draw_text_bar(value, pair, scale, width, UNICODE)) == width
    drawing = ElementTree.fromstring(draw_svg_bar(value, pair, scale))
    assert all(0 <= float(circle.get("cx", "-1")) <= 140 for circle in drawing.iter("circle"))


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw_svg_bar(None, None, SCALE) == draw_svg_bar(1, (0, 1), None) == ""
    assert draw_text_bar(1, (0, 1), None, 3, ASCII) == "   "
