"""Ranges of one and two columns."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families import DenseTable, Domain, Ranges, RowBound
from support.families import random_rows

DOMAIN = Domain((4, 2, 5))


def random_boxes(sizes: tuple[int, ...], boxes: int) -> tuple[Any, ...]:
    generator = np.random.default_rng(1)
    ends = [[sorted(generator.choice(size + 1, 2, replace=False).tolist()) for size in sizes] for _ in range(boxes)]
    return tuple(tuple((low, high) for low, high in box) for box in ends)


def test_a_range_counts_from_its_first_value_to_the_one_before_its_end() -> None:
    family = Ranges(DOMAIN, (2,), (((1, 3),), ((0, 5),)))
    assert family.answer(0, np.array([1, 2, 4, 8, 16])).tolist() == [6]
    assert family.answer(1, np.array([1, 2, 4, 8, 16])).tolist() == [31]
    assert family.list_rows(0).tolist() == [[0, 1, 1, 0, 0]]
    assert family.find_columns(1) == (2,)


def test_a_box_has_a_range_for_each_column() -> None:
    family = Ranges(DOMAIN, (0, 2), (((1, 3), (0, 2)),))
    table = random_rows(DOMAIN).project((0, 2))
    assert family.answer(0, table).tolist() == [table[1:3, 0:2].sum()]
    spread = family.spread_back(0, np.array([7]))
    assert [(row, place) for row, place in product(range(4), range(5)) if spread[row, place]] == [
        (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip


def test_a_count_moves_by_one_where_a_row_is_replaced() -> None:
    bound = Ranges.every(DOMAIN, 2).bound_row(0)
    assert bound == RowBound(1, 1, apart_l1=1, apart_l2_squared=1)
    assert (bound.bound_l1(2, 2), bound.bound_l2_squared(2, 2)) == (2, 4)


def test_prefixes_thresholds_and_all_ranges() -> None:
    assert Ranges.prefixes(DOMAIN, (0,)).boxes == (((0, 1),), ((0, 2),), ((0, 3),), ((0, 4),))
    assert Ranges.thresholds(DOMAIN, (0,)).boxes == (((0, 4),), ((1, 4),), ((2, 4),), ((3, 4),))
    assert len(Ranges.prefixes(DOMAIN, (0, 2)).boxes) == 20
    assert Ranges.prefixes(DOMAIN, (0, 1)).boxes[:3] == (((0, 1), (0, 1)), ((0, 1), (0, 2)), ((0, 2), (0, 1)))
    assert len(Ranges.every(DOMAIN, 2).boxes) == 15


@pytest.mark.parametrize("columns", [(2,), (0, 2)])
@pytest.mark.parametrize("size", [1, 2**55, 2**61])
def test_all_boxes_at_once_are_the_boxes_one_by_one(columns: tuple[int, ...], size: int) -> None:
    family = Ranges(DOMAIN, columns, random_boxes(DOMAIN.find_shape(columns), 60))
    source = DenseTable(DOMAIN, np.random.default_rng(2).integers(-5, 6, DOMAIN.sizes) * (size // 5 + 1))
    each = [int(family.answer(group, source.project(columns))[0]) for group in range(family.groups)]
    assert [int(answer) for answer in family.join_answers(source)] == each
    assert [answer.tolist() for answer in family.answer_all(source)] == [[answer] for answer in each]


@pytest.mark.parametrize("columns", [(2,), (0, 2)])
@pytest.mark.parametrize("size", [1, 2**61])
def test_all_values_are_spread_at_once_by_a_difference_array(columns: tuple[int, ...], size: int) -> None:
    family = Ranges(DOMAIN, columns, random_boxes(DOMAIN.find_shape(columns), 60))
    values = np.random.default_rng(3).integers(-2, 3, 60) * size
    each = sum(family.spread_back(group, values[[group]]).astype(object) for group in range(60))
    assert family.spread_all(values).tolist() == np.asarray(each).tolist()
    assert family.spread_all(values / 3) == pytest.approx(np.asarray(each, dtype=float) / 3, abs=size * 1e-12)
    with pytest.raises(ParameterError, match="60 numbers"):
        family.spread_all(values[:3])


@pytest.mark.parametrize(
    ("columns", "boxes", "message"),
    [
        ((0,), (((2, 2),),), "low < high <= 4"),
        ((0,), (((3, 2),),), "low < high <= 4"),
        ((0,), (((0, 5),),), "low < high <= 4"),
        ((0,), (((-1, 2),),), "low < high <= 4"),
        ((0,), (((0, 2.0),),), "low < high <= 4"),
        ((0,), (((False, 2),),), "low < high <= 4"),
        ((0,), ((0, 2),), "low < high <= 4"),
        ((0,), (((0, 1), (0, 1)),), "a tuple of"),
        ((0, 2), (((0, 1),),), "a tuple of .* and "),
        ((0,), (), "at least one"),
        ((0,), [((0, 1),)], "a tuple of boxes"),
        ((2, 0), (((0, 1), (0, 1)),), "ascending"),
        ((0, 1, 2), (((0, 1),) * 3,), "one or two"),
        ((), ((),), "one or two"),
    ],
)
def test_boxes_that_are_empty_or_outside_are_refused(columns: Any, boxes: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Ranges(DOMAIN, columns, boxes)


def test_two_columns_with_too_many_cells_are_refused() -> None:
    with pytest.raises(ParameterError, match="fewer"):
        Ranges(Domain((10**5, 10**5)), (0, 1), (((0, 1), (0, 1)),))


def test_forms_hold_the_columns_and_the_boxes() -> None:
    assert Ranges(DOMAIN, (2,), (((1, 3),),)).describe() == {
        "ranges": {"sizes": [4, 2, 5], "columns": [2], "boxes": [[[1, 3]]]}
    }
