"""Simulated errors are told by class of size, and read again; a bias only where its own error is known."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from discreet.topdown.running.error_sums import SimulatedErrors, sum_errors
from discreet.topdown.running.size_errors import LEAST_REPLICATIONS, QueryErrors, tell_errors


def test_bias_and_error_are_means_over_the_cells_of_a_class() -> None:
    truth, found = np.array([[0, 0, 500, 500]]), np.array([[0, 3, 490, 504]])
    errors = sum_errors(truth, found, np.ones((1, 4)))
    once = SimulatedErrors.of_one({("County", "race"): errors}, ())
    (told,) = tell_errors(reduce(SimulatedErrors.add, [once] * LEAST_REPLICATIONS)).values()
    empty, large = told.classes
    assert (empty.least, empty.cells, empty.bias, empty.error) == (0, 20, 1.5, 1.5)
    assert (large.least, large.cells, large.bias, large.error) == (316, 20, -3.0, 7.0)
    assert (empty.bias_error, large.bias_error) == (0.0, 0.0), "all replications are alike"
    assert told.cells == 40
    assert told.error == pytest.approx(4.25)
    assert QueryErrors.from_dict(told.to_dict()) == told


@pytest.mark.parametrize("times", [1, 2, LEAST_REPLICATIONS - 1])
def test_of_few_replications_no_bias_is_told(times: int) -> None:
    errors = sum_errors(np.array([[0, 5]]), np.array([[3, 5]]), np.ones((1, 2)))
    once = SimulatedErrors.of_one({("County", "race"): errors}, ())
    (told,) = tell_errors(reduce(SimulatedErrors.add, [once] * times)).values()
    assert [(each.bias, each.bias_error) for each in told.classes] == [(None, None)] * 2
    assert [each.error for each in told.classes] == [3.0, 0.0]
    assert QueryErrors.from_dict(told.to_dict()) == told


def test_where_nobody_was_simulated_no_class_is_told() -> None:
    nothing = sum_errors(np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.int64), np.full((1, 1), np.inf))
    (told,) = tell_errors(SimulatedErrors.of_one({("County", "race"): nothing}, ())).values()
    assert told.classes == ()
    assert told.error == 0
