"""Questions side by side: answers and their transpose, squares, and thetas by group."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families.domain import DenseTable, Domain
from discreet.synthetic.fit import questions as module
from discreet.synthetic.fit.questions import Questions, write_questions
from synthetic.support.tiny import TinyLines, TinyMarginals, measure

DOMAIN = Domain((2, 3, 4))
LINES = TinyLines(DOMAIN, ((0, 2), (1,)), (((0, 1, 2, 3, 0, 1, 2, 3),), ((1, 0, -1), (1, 1, 0))))


def write() -> Questions:
    counts = np.ones(DOMAIN.sizes, dtype=int)
    measured = measure(LINES, counts, 1.0, 1) + measure(TinyMarginals(DOMAIN, ((0, 1),)), counts, 1.0, 2)
    return write_questions(DOMAIN, measured, [0, 1, 2])


def test_answers_and_their_transpose_agree_with_the_matrix_written_out() -> None:
    questions = write()
    table = np.random.default_rng(1).normal(size=DOMAIN.sizes)
    tables = {columns: DenseTable(DOMAIN, table).project(columns) for columns in questions.column_sets}
    matrix = questions.write_matrix()
    assert matrix.shape == (questions.answers, 24)
    assert questions.answer(tables) == pytest.approx(matrix @ table.ravel())
    assert questions.answer_squares(tables) == pytest.approx(matrix**2 @ table.ravel())
    values = np.random.default_rng(2).normal(size=questions.answers)
    spread = sum(
        float((part * DenseTable(DOMAIN, table).project(columns)).sum())
        for columns, part in questions.spread_back(values).items()
    )
    assert spread == pytest.approx(float(values @ matrix @ table.ravel()))


def test_squares_of_large_groups_are_of_the_right_size(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = write()
    shares = np.full(DOMAIN.sizes, 1 / 24)
    tables = {columns: DenseTable(DOMAIN, shares).project(columns) for columns in questions.column_sets}
    exact = questions.answer_squares(tables)
    monkeypatch.setattr(module, "MOST_LISTED", 0)
    rough = questions.answer_squares(tables)
    assert (rough > 0).all()
    assert (rough / exact).max() < 5
    assert (exact / rough).max() < 5


def test_thetas_are_known_by_columns_or_by_place() -> None:
    questions = write()
    assert list(questions.split(np.zeros(questions.answers))) == [(0,), (0, 1), (1,), 0, 1]
    joined = questions.join({0: np.array([7.0]), (0,): np.array([3.0]), (5,): np.array([1.0])})
    assert sorted(joined[joined != 0].tolist()) == [3.0, 7.0]
    with pytest.raises(ParameterError, match="2 thetas for 1"):
        questions.join({1: np.zeros(3)})
