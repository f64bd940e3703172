"""Simulated errors are told by class of true size, and read again."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.topdown.running.error_sums import SimulatedErrors, sum_errors
from discreet.topdown.running.size_errors import QueryErrors, tell_errors


def test_bias_and_error_are_means_over_the_cells_of_a_class() -> None:
    truth, found = np.array([[0, 0, 500, 500]]), np.array([[0, 3, 490, 504]])
    errors = sum_errors(truth, found, np.ones((1, 4)))
    (told,) = tell_errors(SimulatedErrors(1, {("County", "race"): errors}, ())).values()
    empty, large = told.classes
    assert (empty.least, empty.cells, empty.bias, empty.error) == (0, 2, 1.5, 1.5)
    assert (large.least, large.cells, large.bias, large.error) == (316, 2, -3.0, 7.0)
    assert told.cells == 4
    assert told.error == pytest.approx(4.25)
    assert QueryErrors.from_dict(told.to_dict()) == told


def test_where_nobody_was_simulated_no_class_is_told() -> None:
    nothing = sum_errors(np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.int64), np.full((1, 1), np.inf))
    (told,) = tell_errors(SimulatedErrors(1, {("County", "race"): nothing}, ())).values()
    assert told.classes == ()
    assert told.error == 0
