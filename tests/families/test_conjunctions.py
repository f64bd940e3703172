"""Counts of rows with given values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families import Conjunctions, Domain, RowTable
from discreet.families.family import COUNT

DOMAIN = Domain((2, 3, 4))


def test_a_conjunction_counts_rows_with_all_its_values() -> None:
    family = Conjunctions(DOMAIN, (((0, 1), (2, 3)), ((1, 2),), ()))
    rows = RowTable(DOMAIN, (np.array([1, 1, 0, 1]), np.array([2, 0, 2, 2]), np.array([3, 3, 3, 0])))
    assert family.join_answers(rows).tolist() == [2, 3, 4]
    assert [family.find_columns(group) for group in range(3)] == [(0, 2), (1,), ()]
    assert family.list_rows(0).tolist() == [[0] * 7 + [1]]
    assert family.list_rows(2).tolist() == [[1]]
    assert family.bound_row(0) == COUNT


def test_points_are_all_cells_of_some_columns() -> None:
    family = Conjunctions.points(DOMAIN, (0, 1))
    assert family.conjunctions[:4] == (((0, 0), (1, 0)), ((0, 0), (1, 1)), ((0, 0), (1, 2)), ((0, 1), (1, 0)))
    table = np.arange(6).reshape(2, 3)
    assert [family.answer(group, table).tolist() for group in range(6)] == [[each] for each in range(6)]


def test_many_points_are_answered_from_one_table() -> None:
    square = Domain((300, 300))
    rows = RowTable(square, (np.arange(900) % 300, np.arange(900) % 7))
    assert Conjunctions.points(square, (0, 1)).join_answers(rows).tolist() == rows.project((0, 1)).ravel().tolist()


@pytest.mark.parametrize(
    ("conjunctions", "message"),
    [
        ((), "at least one"),
        ([((0, 1),)], "a tuple of conjunctions"),
        (((0, 1),), "pairs"),
        ((((0, 1, 2),),), "pairs"),
        (([(0, 1)],), "pairs"),
        ((((1, 0), (0, 0)),), "ascending"),
        ((((0, 0), (0, 1)),), "ascending"),
        ((((3, 0),),), "ascending"),
        ((((0, 2),),), "from 0 to 1 in column 0"),
        ((((1, -1),),), "from 0 to 2 in column 1"),
        ((((1, True),),), "from 0 to 2 in column 1"),
        ((((0, 1),), ((0, 1),)), "different conjunctions"),
    ],
)
def test_wrong_terms_are_refused(conjunctions: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Conjunctions(DOMAIN, conjunctions)


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(ParameterError, match="fewer"):
        Conjunctions(Domain((2,) * 30), (tuple((place, 0) for place in range(30)),))


def test_forms_hold_the_terms() -> None:
    assert Conjunctions(DOMAIN, (((0, 1), (2, 3)), ())).describe() == {
        "conjunctions": {"sizes": [2, 3, 4], "terms": [[[0, 1], [2, 3]], []]}
    }
