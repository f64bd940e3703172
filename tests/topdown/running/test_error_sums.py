"""Errors by class of size, set beside sums by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

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


def test_errors_are_added_up_by_the_size_that_is_taken_for_true() -> None:
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
    once = SimulatedErrors.of_one({("a", 'b"ä'): one}, (areas,))
    errors = once.add(once).add(once)
    assert read_errors(tmp_path / "x.npz") is None
    write_errors(tmp_path / "x.npz", errors)
    found = read_errors(tmp_path / "x.npz")
    assert found is not None
    assert found.replications == 3
    assert np.array_equal(found.classes["a", 'b"ä'].absolute, 3 * one.absolute)
    assert np.array_equal(found.moments["a", 'b"ä'].signed_squared, 3 * one.signed**2)
    assert found.areas[0].total.tolist() == [3.0, 0.0]


def test_what_an_earlier_version_kept_is_simulated_again(tmp_path: Path) -> None:
    once = SimulatedErrors.of_one({("a", "b"): sum_errors(np.array([[1]]), np.array([[2]]), np.ones((1, 1)))}, ())
    write_errors(tmp_path / "x.npz", once)
    with np.load(tmp_path / "x.npz") as arrays:
        old = {name: arrays[name] for name in arrays if not name.startswith("moments")}
    np.savez(tmp_path / "old.npz", **old)
    assert read_errors(tmp_path / "old.npz") is None


def test_the_error_of_a_bias_is_that_of_means_of_replications_and_not_of_cells() -> None:
    random = np.random.default_rng(5)
    shifts = random.normal(0, 3, 400)
    truth = np.full((1, 50), 20)
    found, means = SimulatedErrors(0, {}, ()), []
    for shift in shifts:
        here = truth + np.rint(shift + random.normal(0, 1, truth.shape)).astype(np.int64)
        means.append(float((here - truth).mean()))
        found = found.add(SimulatedErrors.of_one({("a", "b"): sum_errors(truth, here, np.ones(truth.shape))}, ()))
    told = found.moments["a", "b"].find_errors(found.classes["a", "b"], found.replications)
    assert told[3] == pytest.approx(np.std(means, ddof=1) / 20, rel=1e-9)
    assert told[3] > 5 * 3 / np.sqrt(400 * 50), "cells that err together are not many"


def test_replications_of_different_numbers_of_cells_are_weighed_by_them() -> None:
    found, sums, cells = SimulatedErrors(0, {}, ()), np.array([6.0, -2.0, 9.0]), np.array([3, 1, 6])
    for total, many in zip(sums, cells, strict=True):
        off = np.zeros((1, many), dtype=np.int64)
        off[0, 0] = int(total)
        truth = np.full((1, many), 500)
        found = found.add(SimulatedErrors.of_one({("a", "b"): sum_errors(truth, truth + off, np.ones((1, many)))}, ()))
    bias = sums.sum() / cells.sum()
    wanted = np.sqrt(3 / 2 * ((sums - bias * cells) ** 2).sum()) / cells.sum()
    assert found.moments["a", "b"].find_errors(found.classes["a", "b"], 3)[6] == pytest.approx(wanted, rel=1e-12)
