"""Margins: factors that cover every class of true size in what was simulated, and none too wide."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.topdown.running.error_sums import RATIOS, ClassErrors, SimulatedErrors, sum_errors
from discreet.topdown.running.margins import (
    QueryMargins,
    find_margins,
    find_needed,
    group_classes,
    measure_coverage,
    spread_factors,
)


def simulate(true_size: int, deviation: float, known: float, cells: int, bias: float = 0.0) -> ClassErrors:
    random = np.random.default_rng(true_size)
    truth = np.full((cells, 1), true_size)
    found = np.maximum(truth + np.rint(random.normal(bias, deviation, truth.shape)).astype(np.int64), 0)
    return sum_errors(truth, found, np.full(truth.shape, known**2))


def test_the_factor_of_gaussian_errors_is_their_deviation_over_the_known_one() -> None:
    for deviation in (5.0, 20.0, 30.0):
        needed = find_needed(simulate(500, deviation, 20.0, 20_000), 4)[6]
        assert deviation / 20 * 0.98 <= needed <= deviation / 20 * 1.07


def test_every_class_of_true_size_is_covered_and_margins_are_not_much_too_wide() -> None:
    errors = simulate(500, 30.0, 20.0, 20_000).add(simulate(5, 3.0, 20.0, 20_000))
    needed = find_needed(errors, 4)
    factors = spread_factors(errors, needed)
    covered = measure_coverage(errors, factors)
    assert covered[6] == pytest.approx(0.95, abs=0.012)
    assert covered[2] >= 0.95
    assert factors[2] < 0.3 < 1.4 < factors[6]


def test_a_released_class_has_the_factor_of_every_true_class_that_lands_there() -> None:
    errors = simulate(12, 4.0, 2.0, 20_000).add(simulate(0, 0.1, 2.0, 20_000))
    factors = spread_factors(errors, find_needed(errors, 4))
    assert factors[2] == factors[3] > 1.8, "some of twelve people are released as five"


def test_a_factor_below_one_is_not_taken_at_its_word() -> None:
    errors = simulate(500, 5.0, 20.0, 20_000)
    needed = find_needed(errors, 4)
    assert spread_factors(errors, needed)[6] == pytest.approx(1.5 * needed[6])


def test_few_errors_make_wider_margins_and_none_are_nothing() -> None:
    few, many = find_needed(simulate(500, 20.0, 20.0, 6), 3)[6], find_needed(simulate(500, 20.0, 20.0, 5000), 3)[6]
    assert few > many
    exact = sum_errors(np.full((5, 1), 500), np.full((5, 1), 500), np.full((5, 1), 400.0))
    assert 0.3 < find_needed(exact, 3)[6] < 1


def test_classes_with_hardly_any_cells_go_with_the_next() -> None:
    assert group_classes(np.array([100, 2, 50])).tolist() == [0, 0, 1]
    assert group_classes(np.array([2, 100, 50])).tolist() == [0, 0, 1]


def test_margins_are_told_and_read_again() -> None:
    errors = simulate(500, 30.0, 20.0, 20_000, bias=-9)
    (found,) = find_margins(SimulatedErrors(4, {("County", "total"): errors}, ())).values()
    assert QueryMargins.from_dict(found.to_dict()) == found
    (told,) = found.classes
    assert told.bias == pytest.approx(-9, abs=1)
    assert told.cells == 20_000
    assert np.allclose(found.scale(np.array([[400, 600]])), found.factors[6])
    assert max(found.factors) <= RATIOS[-1]
