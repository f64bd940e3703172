"""Scores: of few kinds of outputs, each is believed as far as it was seen."""

from __future__ import annotations

import numpy as np

from discreet.audit.blackbox.scores import LearnedScore, learn_scores
from discreet.base.grid import Floats


def learn(first: Floats, second: Floats) -> list[LearnedScore]:
    """Return the scores by counts, and by what is believed of them."""
    counted, believed, *_ = learn_scores(first, second)
    assert (counted.smooth, believed.smooth) == (False, True)
    return [counted, believed]


def repeat(*counts: int) -> Floats:
    """Return so many outputs 0, 1, 2 and so on."""
    return np.repeat(np.arange(len(counts), dtype=np.float64), counts)[:, None]


def test_a_rare_kind_that_looks_good_by_chance_is_hardly_believed() -> None:
    counted, believed = learn(repeat(50_000, 49_980, 20), repeat(50_200, 49_790, 10))
    assert believed.rate(repeat(1, 1, 1))[2] < 0.1 * np.log(2) < counted.rate(repeat(1, 1, 1))[2]


def test_kinds_that_are_told_apart_for_sure_are_believed() -> None:
    for score in learn(repeat(60_000, 30_000, 10_000), repeat(30_000, 60_000, 10_000)):
        assert np.allclose(score.rate(repeat(1, 1, 1)), [np.log(2), -np.log(2), 0.0], atol=1e-3)


def test_a_rare_kind_that_one_input_never_gives_is_the_best_event_by_its_count() -> None:
    common = np.full(20, 5_000)
    counted, _ = learn(repeat(*common, 30), repeat(*common, 0))
    rated = counted.rate(repeat(*np.ones(21, dtype=int)))
    assert np.argmax(rated) == 20
    assert rated[20] > 3


def test_many_kinds_leave_room_for_other_scores() -> None:
    names = [each.name for each in learn_scores(repeat(*np.full(100, 50)), repeat(*np.full(100, 50)))]
    assert names == ["the whole output", "the number"]
