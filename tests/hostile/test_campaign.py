"""Neighbour replay over generated schemas, data and SQL from the whole grammar: hundreds of questions.

`make test-all` asks ten times as many.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hostile.asking import cases
from hostile.campaign import Tally, explored
from hostile.judging import Planned, planned
from hostile.seeing import same_exit, written
from hostile.world import world

SHARES, WORLDS, QUESTIONS = 10, 15, 60
"""Each share is a test of its own, so that workers divide them: 900 questions, and 9,000 in all."""

LEAST = 10
"""In so many answered questions of the first shares stands every function and every clause."""


@pytest.mark.parametrize("share", [0, pytest.param(1, marks=pytest.mark.long)])
def test_no_question_tells_neighbours_apart(share: int, tmp_path: Path, record_property: Any) -> None:
    tally = explore(share, tmp_path, record_property)
    assert tally.missing(LEAST) == []


def explore(share: int, folder: Path, record_property: Any) -> Tally:
    """Ask all questions of a share, which must be as many, and as hard, as they are meant to be."""
    tally = explored(range(share * WORLDS, (share + 1) * WORLDS), QUESTIONS, folder=folder)
    record_property("hostile", tally.record())
    assert tally.asked == WORLDS * QUESTIONS
    assert tally.answered >= 0.7 * tally.asked
    assert tally.over >= 25
    assert tally.compared >= 40
    return tally


@pytest.mark.long
@pytest.mark.parametrize("share", range(2, SHARES))
def test_no_more_questions_tell_neighbours_apart(share: int, tmp_path: Path, record_property: Any) -> None:
    tally = explore(share, tmp_path, record_property)
    assert tally.missing(LEAST // 2) == []


@pytest.mark.parametrize("seed", [0, 3])
def test_the_program_ends_alike_on_neighbours(seed: int, tmp_path: Path) -> None:
    place = world(seed)
    paths = [written(place, tmp_path, name) for name in ("one", "other")]
    chosen = [case for case in cases(place, 12) if not case.params and not case.limits and case.keys is None][:5]
    answered = [isinstance(planned(place.engine("one"), case), Planned) for case in chosen]
    place.close()
    codes = [same_exit(place, case, *paths) for case in chosen]
    assert [code == 0 for code in codes] == answered
    assert any(answered)
