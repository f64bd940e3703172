"""One question by many keys gives many draws on neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from discreet.audit.house.audited_part import AuditedPart
from discreet.audit.house.keyed_draws import KeyDraws, KeyedTables
from discreet.audit.house.questions import HEAVY, NEARBY, list_questions
from discreet.audit.house.running import WHOLE


@pytest.fixture(scope="module")
def questions() -> Iterator[dict[str, AuditedPart]]:
    with ExitStack() as stack:
        yield {each.name: each for each in list_questions(KeyedTables(stack), 10_000)}


def test_a_heavy_unit_counts_as_far_as_its_limit_under_every_key(questions: dict[str, AuditedPart]) -> None:
    drawn = questions["COUNT(*)"].draw((HEAVY,), 1000)
    assert drawn.shape == (1000, 1)
    assert float(np.median(drawn)) == 3


def test_the_whole_audit_asks_one_question_about_a_million_keys() -> None:
    with ExitStack() as stack:
        asked = {each.name: each for each in list_questions(KeyedTables(stack), WHOLE)}["COUNT(*) by a million keys"]
    assert isinstance(asked.draw, KeyDraws)
    assert asked.draw.keys * len(asked.pairs) == 1_000_000


def test_keys_in_two_parts_are_those_of_their_input(questions: dict[str, AuditedPart]) -> None:
    count = questions["COUNT(*) by a million keys"]
    for units in (given for pair in count.pairs for given in pair):
        assert float(np.median(count.draw(units, 1000))) == sum(min(len(unit), 3) for unit in units)


def test_values_are_held_between_their_bounds(questions: dict[str, AuditedPart]) -> None:
    assert abs(float(np.median(questions["SUM"].draw(((1e9, 1e9),), 1000))) - 16) < 8
    assert abs(float(np.median(questions["SUM"].draw(NEARBY[2][1], 1000))) - 16) < 12


@pytest.mark.parametrize("how", ["by a threshold", "selected"])
def test_keys_of_the_data_are_shown_where_many_have_them_and_never_where_nobody_has(
    questions: dict[str, AuditedPart], how: str
) -> None:
    shown = questions[f"keys of the data, {how}"]
    assert shown.draw((), 400).sum() == 0
    assert shown.draw(((8.0,),) * 150, 400).sum() == 400


def test_joined_rows_are_cut(questions: dict[str, AuditedPart]) -> None:
    assert float(np.median(questions["COUNT of a join"].draw((HEAVY,), 400))) <= 12


def test_the_draws_of_an_input_are_those_of_its_own_keys(questions: dict[str, AuditedPart]) -> None:
    count = questions["COUNT(DISTINCT unit)"]
    for units in {given for pair in count.pairs for given in pair}:
        assert float(np.median(count.draw(units, 1000))) == len(units)
