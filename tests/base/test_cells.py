"""Counts at the points of a grid: arrays that read like a dict."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.cells import Cells, add_up_cells, count_below, split_cells

COUNTS = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 2**62)), st.integers(1, 2**40), max_size=30)


@given(COUNTS, st.randoms(use_true_random=False))
def test_cells_of_each_key_are_those_of_a_dict(counts: dict[tuple[int, int], int], chance: object) -> None:
    rows = [(key, point, count) for (key, point), count in counts.items()]
    chance.shuffle(rows)  # type: ignore[attr-defined]
    found = split_cells(4, np.array(rows, dtype=np.int64).reshape(len(rows), 3))
    wanted = [{point: count for (key, point), count in counts.items() if key == each} for each in range(4)]
    assert list(found) == wanted
    assert [add_up_cells(each) for each in found] == [add_up_cells(each) for each in wanted]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=60), st.sampled_from([1, 3]), st.booleans())
def test_rows_of_one_point_are_added_up(rows: list[tuple[int, int]], count: int, far: bool) -> None:
    away = 2**62 if far else 0
    found = split_cells(4, np.array([(key, point + away, count) for key, point in rows], np.int64).reshape(-1, 3))
    wanted = [Counter(point + away for key, point in rows if key == each) for each in range(4)]
    assert [{point: n // count for point, n in each.items()} for each in found] == [dict(each) for each in wanted]
    assert all(n % count == 0 for each in found for n in each.values())
    assert all(list(each) == sorted(each) for each in found)


def test_points_without_values_are_not_there() -> None:
    cells = Cells(np.array([3, 7]), np.array([1, 2]))
    assert (dict(cells), len(cells), list(cells), cells[7]) == ({3: 1, 7: 2}, 2, [3, 7], 2)
    for point in (0, 4, 8):
        with pytest.raises(KeyError):
            cells[point]


def test_counts_below_each_point_and_below_all() -> None:
    assert add_up_cells({7: 2, 3: 1}) == ([3, 7], [0, 1, 3])
    assert add_up_cells({}) == ([], [0])


@given(st.dictionaries(st.integers(0, 40), st.integers(1, 9)), st.lists(st.integers(0, 2**80)))
def test_what_lies_below_points_is_the_same_from_arrays(cells: dict[int, int], far: list[int]) -> None:
    points = sorted(cells)
    arrays = Cells(np.array(points, np.int64), np.array([cells[point] for point in points], np.int64))
    wanted = [*range(45), *far]
    below = [sum(count for point, count in cells.items() if point < each) for each in wanted]
    assert count_below(arrays)(wanted) == count_below(cells)(wanted) == below


@pytest.mark.parametrize("far", [0, 10**6, 2**60, 2**63 - 40])
def test_points_far_from_zero_are_in_order_by_key(far: int) -> None:
    rows = [(key, far + point, key + point) for key in range(5) for point in range(30)]
    random.Random(7).shuffle(rows)
    found = split_cells(5, np.array(rows, np.int64))
    assert [list(each.items()) for each in found] == [
        [(far + point, key + point) for point in range(30)] for key in range(5)
    ]
