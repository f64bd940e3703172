"""Pictures of attacks: each is drawn from what was found, saved where that is asked, and refused where it cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.audit.attacks.averaging import Averaging
from discreet.audit.attacks.differencing import Differencing
from discreet.audit.attacks.float_bits import BitsRead, FloatBits
from discreet.audit.attacks.linkage import Linkage
from discreet.audit.attacks.reconstruction import GuardedBits, GuessedBits, Reconstruction
from discreet.audit.attacks.tracing import TracedPeople, Tracing
from discreet.base.errors import DiscreetError
from discreet.privacy.neighbours import Neighbours

CHANCE = np.random.default_rng(0)
METHODS = ("least squares", "linear program")
SCORES = TracedPeople(CHANCE.normal(3, 1, (2, 50)), CHANCE.normal(0, 1, (2, 50)))

FOUND: dict[str, Any] = {
    "differencing": Differencing(
        "ill = $yes$",
        100,
        1.0,
        Neighbours.REPLACE,
        np.arange(20) < 10,
        (np.arange(20) < 10).astype(np.int64),
        CHANCE.integers(-9, 9, 20),
        20.0,
    ),
    "reconstruction": Reconstruction(
        "ill",
        64,
        256,
        1,
        1.0,
        1e-6,
        tuple(GuessedBits(method, each, (0.9,)) for method in METHODS for each in (0.0, 2.0, 8.0)),
        tuple(
            GuardedBits(each, "(1, 1e-06)", 0.8, tuple(GuessedBits(method, 90.0, (0.5,)) for method in METHODS))
            for each in Neighbours
        ),
    ),
    "tracing": Tracing("people", 50, 100, 1.0, 1e-6, "(1, 1e-06)", SCORES, SCORES),
    "linkage": Linkage(
        ("born", "sex"),
        "ill",
        9,
        1.0,
        1e-6,
        8,
        7,
        8,
        (("1", 7), ("2", 2)),
        0,
        0,
        0,
        0,
        (0.9, 0.5, None),
        (),
        "",
    ),
    "averaging": Averaging(
        "ill", 40, 0.1, 1.0, CHANCE.integers(0, 80, 500), np.full(100, 43), np.array([43, 30]), "no", 0.1, 0.2
    ),
    "float bits": FloatBits(1, 1_000, 0.1, BitsRead("a", 0.8, 0.9, 5.0), BitsRead("b", 0.0, 0.5, 0.0)),
}
"""Small findings of every attack, written by hand."""


@pytest.mark.many
@pytest.mark.parametrize("name", FOUND)
def test_every_attack_is_drawn_told_and_written(name: str, tmp_path: Path) -> None:
    found = FOUND[name]
    figure = found.plot(tmp_path / "attack.svg")
    drawn = (tmp_path / "attack.svg").read_text()
    assert "<svg" in drawn
    assert all(axes.get_legend_handles_labels()[1] or axes.patches or axes.lines for axes in figure.axes)
    assert found.to_dict()["attack"] == name
    assert len(str(found).split("\n")) > 4
    assert all(len(line) <= 100 for line in str(found).split("\n"))


@pytest.mark.many
@pytest.mark.parametrize("name", FOUND)
def test_pictures_of_a_table_of_ones_own_say_whose_eyes_they_are_for(name: str) -> None:
    own = {"words": "ill in my table"} if name == "float bits" else {"words": "ill in my table", "own": True}
    below = " ".join(replace(FOUND[name], **own).plot().get_supxlabel().split())
    assert "for the owner's eyes only" in below
    assert "ill in my table" in below
    assert "owner" not in FOUND[name].plot().get_supxlabel()


def test_bounds_that_are_the_same_have_labels_of_their_own() -> None:
    (axes,) = FOUND["reconstruction"].plot().axes
    words = [each.get_text() for each in axes.get_legend().get_texts()]
    assert [each for each in words if each.startswith("the most")] == [
        "the most under the curator: 80.0 %, add-remove",
        "the most under the curator: 80.0 %, replace",
    ]
    assert len(axes.texts) == 0
    bounds = [line.get_linestyle() for line in axes.lines if line.get_label().startswith("the most")]
    assert len(bounds) == 2


def test_a_curators_answers_without_noise_are_drawn_beside_exact_counts() -> None:
    found = FOUND["reconstruction"]
    still = tuple(replace(guard, found=(GuessedBits(METHODS[0], 0.0, (1.0,)),)) for guard in found.guarded)
    (axes,) = replace(found, guarded=still).plot().axes
    exact = axes.lines[0].get_xdata()[0]
    assert [line.get_xdata()[0] for line in axes.lines if line.get_label().startswith("the curator")] == [exact, exact]


def test_one_answer_is_seen_and_so_are_the_words_beside_it() -> None:
    one = np.array([43])
    found = replace(FOUND["averaging"], uncounted=np.array([50]), recorded=one, fresh=one, refusal="")
    figure = found.plot()
    figure.canvas.draw()
    (axes,) = figure.axes
    assert [line.get_marker() for line in axes.lines[1:]] == ["o", "s", "X"]
    (words,) = axes.texts
    assert words.get_text() == "20.0 % of the budget is spent"
    inside, room = words.get_window_extent(), axes.get_window_extent()
    assert room.x0 < inside.x0
    assert inside.x1 < room.x1
    assert room.y0 < inside.y0


@pytest.mark.parametrize(("name", "place"), [("tracing", 0), ("linkage", 0), ("differencing", 1)])
def test_people_are_counted_in_whole_numbers(name: str, place: int) -> None:
    axes = FOUND[name].plot().axes[place]
    assert all(float(each).is_integer() for each in axes.get_yticks())


@pytest.mark.parametrize(("name", "place"), [("tracing", 0), ("differencing", 1)])
def test_no_bar_is_so_high_that_the_legend_lies_on_it(name: str, place: int) -> None:
    axes = FOUND[name].plot().axes[place]
    assert max(each.get_height() for each in axes.patches) < 0.72 * axes.get_ylim()[1]


def test_a_picture_is_saved_as_its_ending_says(tmp_path: Path) -> None:
    FOUND["float bits"].plot(tmp_path / "bits.png")
    assert (tmp_path / "bits.png").read_bytes().startswith(b"\x89PNG")
    assert FOUND["float bits"].plot()._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(("name", "words"), [("bits.doc", "pictures end in"), ("none/bits.png", "cannot be written")])
def test_a_picture_that_cannot_be_saved_is_refused(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        FOUND["float bits"].plot(tmp_path / name)
