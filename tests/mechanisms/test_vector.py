"""Many counting queries at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.mechanisms import CountingQueries, Gaussian, Laplace
from discreet.privacy import GaussianLoss, PureLoss
from support import laws
from support.sampling import ALARM


def test_without_delta_it_is_laplace_noise_of_k_over_epsilon() -> None:
    made = CountingQueries.calibrate(0.5, 20)
    assert made == CountingQueries(20, Laplace(40.0, dim=20))
    assert made.loss() == PureLoss(0.5)


def test_with_delta_it_is_whichever_errs_less() -> None:
    few, many = CountingQueries.calibrate(1.0, 2, 1e-9), CountingQueries.calibrate(1.0, 1000, 1e-9)
    assert isinstance(few.noise, Laplace)
    assert isinstance(many.noise, Gaussian)
    assert isinstance(many.loss(), GaussianLoss)
    assert many.noise.sigma < 1000 / 5


@pytest.mark.parametrize("queries", [1, 3, 10, 30, 100, 300])
def test_the_choice_is_by_mean_absolute_error(queries: int) -> None:
    made = CountingQueries.calibrate(1.0, queries, 1e-6)
    laplace = Laplace.calibrate(1.0, queries).scale
    gaussian = Gaussian.calibrate(1.0, 1e-6, math.sqrt(queries)).sigma * math.sqrt(2 / math.pi)
    assert isinstance(made.noise, Laplace if laplace <= gaussian else Gaussian)


def test_gaussian_noise_grows_with_the_root() -> None:
    small, large = (CountingQueries.calibrate(0.5, k, 1e-6).noise for k in (400, 40_000))
    assert isinstance(small, Gaussian)
    assert isinstance(large, Gaussian)
    assert large.sigma / small.sigma == pytest.approx(10, rel=1e-9)


@given(st.floats(0.01, 10), st.integers(1, 500), st.sampled_from([0.0, 1e-9, 1e-5]))
@settings(max_examples=30, deadline=None)
def test_calibration_never_exceeds_what_was_asked(epsilon: float, queries: int, delta: float) -> None:
    assert CountingQueries.calibrate(epsilon, queries, delta).loss().delta(epsilon).high <= delta


def test_all_answers_get_their_own_noise() -> None:
    told = CountingQueries.calibrate(0.01, 50).release(np.full(50, 10))
    assert told.shape == (50,)
    assert len(set(told.tolist())) > 10


def test_interval_holds_for_each_answer_or_for_all_at_once() -> None:
    made, runs = CountingQueries(8, Laplace(5.0)), 3_000
    noise = np.abs(np.array([made.release(np.zeros(8, dtype=np.int64)) for _ in range(runs)]))
    each, all_at_once = made.interval(0.9), made.interval(0.9, simultaneous=True)
    assert each < all_at_once
    assert laws.binomial_excess_p(int(np.sum(noise > each)), 8 * runs, 0.1) > ALARM
    assert laws.binomial_excess_p(int(np.sum(noise.max(axis=1) > all_at_once)), runs, 0.1) > ALARM


@pytest.mark.parametrize("values", [[1, 2], [1, 2, 3, 4], 3, [[1, 2, 3]], []])
def test_another_number_of_answers_is_refused(values: object) -> None:
    with pytest.raises(ParameterError, match=r"values must be of shape \(3,\)"):
        CountingQueries.calibrate(1.0, 3).release(values)
