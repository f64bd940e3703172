"""Arrays as points: each entry by itself, and each unit by its own rows."""

from itertools import pairwise

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.learn.estimators.arrays import (
    POINTS,
    group_units,
    place_labels,
    put_on_points,
    read_bounds,
    read_matrix,
    to_floats,
)
from discreet.learn.source import MemorySource

ROWS = np.array([[3, 0], [1, 0], [2, 0], [9, 1], [5, 1], [7, 1]])
UNITS = ["a", "b", "a", "a", "c", "b"]


def list_units(points: Ints, offsets: Ints) -> set[tuple[tuple[int, ...], ...]]:
    return {tuple(map(tuple, points[first:last].tolist())) for first, last in pairwise(offsets.tolist())}


def test_a_unit_keeps_the_rows_that_come_first_in_order_whoever_else_is_there() -> None:
    held = list_units(*group_units(UNITS, ROWS, 2))
    assert held == {((2, 0), (3, 0)), ((1, 0), (7, 1)), ((5, 1),)}
    without = [at for at, unit in enumerate(UNITS) if unit != "a"]
    left = list_units(*group_units([UNITS[at] for at in without], ROWS[without], 2))
    assert left == held - {((2, 0), (3, 0))}


def test_names_are_told_apart_value_by_value_and_rows_without_one_are_left_out() -> None:
    points, offsets = group_units([2**62, 2**62 + 1, float("nan"), None, "x", 7], ROWS, 3)
    assert len(points) == 4
    assert np.diff(offsets).tolist() == [1, 1, 1, 1]


def test_how_many_rows_a_unit_may_have_is_never_taken_from_the_rows() -> None:
    points, offsets = group_units(["a"] * 6, ROWS, 4)
    assert MemorySource(points, offsets, 1, 4).most_rows == 4
    assert MemorySource(points[:1], np.array([0, 1]), 1, 4).most_rows == 4
    with pytest.raises(ParameterError, match="most_rows"):
        MemorySource(points, offsets, 1, 3)


def test_values_become_points_between_their_bounds() -> None:
    lower, upper = read_bounds(([0, -1], 1), 2)
    values = np.array([[0.5, 0.0], [-9.0, np.inf], [np.nan, -np.inf]])
    half = POINTS // 2
    assert put_on_points(values, lower, upper).tolist() == [[half, half], [0, POINTS], [half, 0]]


def test_what_is_no_number_among_objects_is_missing_and_texts_are_refused() -> None:
    mixed = read_matrix([[1, "a"], [None, 10**400], [True, 0.5]])
    assert np.isnan(mixed[[0, 1], [1, 0]]).all()
    assert mixed[1, 1] == np.inf
    assert mixed[2].tolist() == [1.0, 0.5]
    with pytest.raises(ParameterError, match="PublicEncoder"):
        to_floats("X", np.array(["1", "2"]))
    labels = np.empty(5, dtype=object)
    labels[:] = ["no", "yes", ["a"], None, 1]
    assert place_labels(labels, ["no", "yes"]).tolist() == [1, 2, 0, 0, 0]
