"""Small tables in notebooks: all that is text stays text, and shares are drawn as far as they are spent."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from discreet.answers.html_tables import draw_share, render_cells, render_lines, render_table, render_text

HOSTILE = "<script>alert('x')</script>\" onload=\"y"


def test_no_text_is_markup() -> None:
    made = [
        render_table(HOSTILE, HOSTILE, (HOSTILE,), ((HOSTILE,),)),
        render_cells(HOSTILE, HOSTILE, (HOSTILE,), ()),
        render_lines(HOSTILE, f"error {HOSTILE}\n{HOSTILE}"),
        render_text(HOSTILE),
    ]
    for each in made:
        assert "<script" not in each
        assert '" onload' not in each
        ElementTree.fromstring(each)


def test_lines_become_a_label_and_its_words() -> None:
    html = render_lines("price", "keys       none: one row\n\nerror      count rows: +- 3")
    cells = [cell.text for cell in ElementTree.fromstring(html).iter("td")]
    assert cells == ["keys", "none: one row", "error", "count rows: +- 3"]


@pytest.mark.parametrize(("spent", "width"), [(0.0, 0.0), (0.5, 79.0), (1.0, 158.0), (1.7, 158.0)])
def test_a_share_is_filled_as_far_as_it_is_spent(spent: float, width: float) -> None:
    drawing = ElementTree.fromstring(draw_share(spent))
    assert float(list(drawing)[1].attrib["width"]) == width
    assert drawing.attrib["aria-label"] == f"{spent:.2%} spent"
