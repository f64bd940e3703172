"""Questions written out as matrices, with bounds from their entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discreet.base.errors import ParameterError
from discreet.families import Domain, RowBound, TableFamily
from discreet.families.explicit import LARGEST_ENTRY, WrittenGroup, measure_columns
from support.families import move_farthest

DOMAIN = Domain((2, 3))


def test_answers_are_products() -> None:
    family = TableFamily.write(DOMAIN, (1,), [[1, 2, 3], [0, -1, 0]])
    assert family.answer(0, np.array([5, 6, 7])).tolist() == [38, -6]
    assert family.spread_back(0, np.array([1, 10])).tolist() == [1, -8, 3]
    assert family.list_rows(0).tolist() == [[1, 2, 3], [0, -1, 0]]
    assert (family.groups, family.count_answers(0), family.find_columns(0)) == (1, 2, (1,))


def test_no_columns_have_one_cell() -> None:
    assert TableFamily.write(DOMAIN, (), [[2]]).answer(0, np.array(21)).tolist() == [42]


@given(arrays(np.int64, st.tuples(st.integers(1, 3), st.just(6)), elements=st.integers(-4, 4)))
@settings(max_examples=60, deadline=None)
def test_theorem_bounds_are_those_of_the_matrix(matrix: Any) -> None:
    if not matrix.any():
        matrix[0, 0] = 1
    bound = TableFamily.write(DOMAIN, (0, 1), matrix).bound_row(0)
    for rows in (1, 2):
        for factor in (1, 2):
            farthest = move_farthest(matrix, rows, replace=factor == 2)
            assert farthest == (bound.bound_l1(rows, factor), bound.bound_l2_squared(rows, factor))


def test_theorem_large_matrices_are_bounded_by_their_lengths_and_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.families.explicit.MOST_COMPARED", 0)
    assert measure_columns(np.eye(3, dtype=np.int64)) == RowBound(1, 1, False, 2, 2)
    assert measure_columns(np.array([[1, -1, 1], [1, 1, -1]])) == RowBound(2, 2, True, 4, 8)
    assert measure_columns(np.array([[1, 2, 3], [0, 1, 0]])) == RowBound(3, 9, False, 4, 10)
    assert measure_columns(np.array([[0, 1, 0]])) == RowBound(1, 1, False, 1, 1)
    generator = np.random.default_rng(1)
    for _ in range(50):
        matrix = generator.integers(-3, 4, (generator.integers(1, 4), 6))
        bound = measure_columns(matrix)
        l1, l2_squared = move_farthest(matrix, 1, replace=True)
        assert l1 <= bound.bound_l1(1, 2)
        assert l2_squared <= bound.bound_l2_squared(1, 2)
        if len(matrix) == 1:
            assert (l1, l2_squared) == (bound.bound_l1(1, 2), bound.bound_l2_squared(1, 2))


def test_bounds_of_the_largest_entries_do_not_wrap() -> None:
    matrix = np.full((8, 3), LARGEST_ENTRY)
    matrix[:, 0] *= -1
    bound = TableFamily.write(DOMAIN, (1,), matrix).bound_row(0)
    assert bound == RowBound(2**34, 2**65, True, 2**35, 2**67)


def test_a_matrix_cannot_be_changed_after_it_was_bounded() -> None:
    matrix = np.array([[1, 0, 0]])
    family = TableFamily.write(DOMAIN, (1,), matrix)
    matrix[:] = 99
    assert family.answer(0, np.array([1, 1, 1])).tolist() == [1]
    with pytest.raises(ValueError, match="read-only"):
        family.list_rows(0)[0, 0] = 99
    with pytest.raises(ValueError, match="WRITEABLE"):
        family.list_rows(0).setflags(write=True)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.5, 1, 2]], "whole numbers"),
        ([["a", "b", "c"]], "whole numbers"),
        ([1, 2, 3], "a line for each answer"),
        ([[1, 2]], "a line of 3 numbers"),
        ([[]], "whole numbers"),
        ([[0, 0, 0]], "asks nothing"),
        ([[0, 0, LARGEST_ENTRY + 1]], "from -2147483648 to 2147483648"),
        (np.array([[0, 0, 2**64 - 1]], dtype=np.uint64), "from -2147483648"),
    ],
)
def test_what_is_no_matrix_of_whole_numbers_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TableFamily.write(DOMAIN, (1,), matrix)


def test_columns_and_groups_are_checked() -> None:
    with pytest.raises(ParameterError, match="ascending"):
        TableFamily.write(DOMAIN, (2,), [[1]])
    with pytest.raises(ParameterError, match="at least one"):
        TableFamily(DOMAIN, ())
    with pytest.raises(ParameterError, match="WrittenGroup"):
        TableFamily(DOMAIN, (((1,), [[1, 2, 3]]),))  # type: ignore[arg-type]


def test_several_groups_have_their_own_bounds() -> None:
    family = TableFamily(DOMAIN, (WrittenGroup((0,), np.array([[1, 0]])), WrittenGroup((1,), np.array([[1, 5, 0]]))))
    assert [family.bound_row(group).l1 for group in range(2)] == [1, 5]


def test_forms_tell_matrices_apart() -> None:
    forms = [
        TableFamily.write(DOMAIN, columns, matrix).describe()
        for columns, matrix in [((1,), [[1, 2, 3]]), ((1,), [[1, 2, 4]]), ((0,), [[1, 2]]), ((0,), [[2, 1]])]
    ]
    assert all(forms.count(form) == 1 for form in forms)
    same = TableFamily.write(DOMAIN, (1,), np.array([[1, 2, 3]], dtype=np.uint8))
    assert same.describe() == forms[0]
