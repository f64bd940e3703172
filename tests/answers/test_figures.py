"""Figures are shown in notebooks and saved under names that say what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from discreet.answers.figures import save_figure
from discreet.base.errors import DiscreetError

PNG = b"\x89PNG"


def test_a_figure_is_shown_and_saved(tmp_path: Path) -> None:
    figure = save_figure(Figure(), tmp_path / "x.png", "x.png")
    assert figure._repr_png_().startswith(PNG)
    assert (tmp_path / "x.png").read_bytes().startswith(PNG)
    assert save_figure(Figure(), None, "x.png")._repr_png_().startswith(PNG)


def test_an_ending_that_is_no_picture_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match=r"such as answer\.png"):
        save_figure(Figure(), tmp_path / "x.txt", "answer.png")
    assert list(tmp_path.iterdir()) == []


def test_letters_that_a_font_lacks_are_no_warning(tmp_path: Path) -> None:
    figure = Figure()
    figure.suptitle("\U0001f600")
    save_figure(figure, tmp_path / "x.png", "x.png")
    assert (tmp_path / "x.png").exists()
