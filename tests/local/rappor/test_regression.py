"""Non-negative least squares: what the conditions of an optimum say, and scipy's answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from discreet.local.rappor.regression import drop_dependent, fit_frequencies, fit_nonnegative


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_is_that_of_scipy_from_any_start(seed: int) -> None:
    generator = np.random.default_rng(seed)
    columns, target = generator.normal(size=(60, 40)), generator.normal(size=60)
    gram, pull = columns.T @ columns, columns.T @ target
    expected = nnls(columns, target)[0]
    for start in (None, np.zeros(40, dtype=bool), generator.random(40) < 0.5):
        assert np.allclose(fit_nonnegative(gram, pull, start), expected, atol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_frequencies_are_the_nearest_that_add_up_to_one_at_most(seed: int) -> None:
    """Karush, Kuhn, Tucker: one penalty is the gradient of all that are above 0, and none exceeds it."""
    generator = np.random.default_rng(seed)
    columns = generator.normal(size=(50, 30))
    gram, pull = columns.T @ columns, columns.T @ (columns @ generator.random(30)) + generator.normal(size=30)
    found = fit_frequencies(gram, pull)
    gradient = pull - gram @ found
    penalty = gradient[found > 0].mean()
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-8)
    assert np.allclose(gradient[found > 0], penalty, atol=1e-6)
    assert penalty > 0
    assert (gradient <= penalty + 1e-6).all()


def test_frequencies_that_do_not_reach_one_are_left_alone() -> None:
    assert np.allclose(fit_frequencies(np.eye(3), np.array([0.2, -0.1, 0.3])), [0.2, 0, 0.3])


def test_equal_columns_share_and_do_not_stall() -> None:
    column = np.array([1.0, 2.0, 3.0])
    columns = np.stack([column, column, -column], axis=1)
    found = fit_nonnegative(columns.T @ columns, columns.T @ column)
    assert columns @ found == pytest.approx(column, rel=1e-6)


def test_columns_that_others_make_up_are_dropped() -> None:
    columns = np.random.default_rng(1).normal(size=(20, 5))
    columns[:, 3] = columns[:, 0] - 2 * columns[:, 1]
    kept = drop_dependent(columns.T @ columns)
    assert len(kept) == 4
    assert {2, 4} <= set(kept)
    assert len(drop_dependent(np.zeros((0, 0)))) == 0
