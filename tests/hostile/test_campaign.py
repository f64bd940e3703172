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

LEAST = {0: 10, 1: 10}
"""In so many answered questions of a share stands every function and every clause; in the later shares, in `FEWER`."""

FEWER = 5

QUICK = range(5, 8)
"""Worlds that are asked about in `make test`: in one of them a unit takes another's place."""


def test_none_of_the_first_questions_tells_neighbours_apart(tmp_path: Path, record_property: Any) -> None:
    tally = explored(QUICK, QUESTIONS, folder=tmp_path)
    record_property("hostile", tally.record())
    assert tally.asked == len(QUICK) * QUESTIONS
    assert tally.answered >= 0.7 * tally.asked
    assert tally.missing(1) == []


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
@pytest.mark.parametrize("share", range(SHARES))
def test_no_question_tells_neighbours_apart(share: int, tmp_path: Path, record_property: Any) -> None:
    tally = explore(share, tmp_path, record_property)
    assert tally.missing(LEAST.get(share, FEWER)) == []


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
