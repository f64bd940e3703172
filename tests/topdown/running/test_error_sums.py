"""Errors by class of true size, set beside sums by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from discreet.topdown.running.error_sums import (
    EDGES,
    AreaErrors,
    SimulatedErrors,
    add_all,
    class_sizes,
    read_errors,
    sum_errors,
    write_errors,
)


def test_errors_are_added_up_by_the_true_size() -> None:
    truth, found = np.array([[0, 0, 5, 40]]), np.array([[0, 2, 1, 50]])
    sums = sum_errors(truth, found, np.full((1, 4), 4.0))
    assert sums.cells.tolist() == [2, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    assert sums.signed[[0, 2, 4]].tolist() == [2, -4, 10]
    assert sums.absolute[[0, 2, 4]].tolist() == [2, 4, 10]


def test_answers_that_nothing_determines_are_left_out() -> None:
    sums = sum_errors(np.array([[3, 3, 3]]), np.array([[9, 3, 4]]), np.array([[np.inf, 0.0, 0.0]]))
    assert sums.cells.sum() == 2
    assert sums.absolute.sum() == 1


def test_sums_add_up_by_level_and_query() -> None:
    one = sum_errors(np.array([[0, 5, 50]]), np.array([[1, 5, 40]]), np.ones((1, 3)))
    both = add_all([{("a", "b"): one}, {("a", "b"): one}, {("c", "d"): one}])
    assert both["a", "b"].cells.sum() == 6
    assert both["a", "b"].absolute.sum() == 22
    assert both["c", "d"].cells.sum() == 3


def test_classes_begin_at_their_edges() -> None:
    assert class_sizes(np.array(EDGES)).tolist() == list(range(len(EDGES)))


def test_what_was_simulated_is_kept_in_a_file_and_read_again(tmp_path: Path) -> None:
    one = sum_errors(np.array([[0, 5, 50]]), np.array([[1, 5, 40]]), np.ones((1, 3)))
    areas = AreaErrors(np.array([1.0, 0.0]), np.array([2.0, 0.0]), np.array([1, 0]))
    errors = SimulatedErrors(1, {("a", 'b"ä'): one}, (areas,)).add(SimulatedErrors(2, {("a", 'b"ä'): one}, (areas,)))
    assert read_errors(tmp_path / "x.npz") is None
    write_errors(tmp_path / "x.npz", errors)
    found = read_errors(tmp_path / "x.npz")
    assert found is not None
    assert found.replications == 3
    assert np.array_equal(found.classes["a", 'b"ä'].absolute, 2 * one.absolute)
    assert found.areas[0].total.tolist() == [2.0, 0.0]
