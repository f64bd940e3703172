"""Regressions: near least squares with little noise, with intervals that hold, for exactly the allowance."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.moments import FeatureMoments, bound_moments
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.regression import clean_moments, fit_regression, invert_noisy, make_gradients, make_moments
from discreet.learn.source import MemorySource
from support.sources import CountingSource

LABEL = LabelColumn(3, -10_000, 10_000, -FEATURE_STEPS, FEATURE_STEPS)
NUMBERS = Encoding(tuple(NumberFeature(at, -1000, 1000) for at in range(3)), LABEL)
MIXED = Encoding((NumberFeature(0, -1000, 1000), PlaceFeature(1, 3), PlaceFeature(2, 2)), LABEL)
TRUTH = np.array([0.5, -0.3, 0.2, 0.1])
NARROW = TRUTH * [8, 8, 8, 1]
"""The truth for features an eighth as large."""
LAVISH = GaussianAllowance(Fraction(10**12))


def draw_rows(rng: np.random.Generator, rows: int, error: float = 0.1) -> Ints:
    """Return points whose label is a linear function of their features, with errors."""
    features = rng.integers(-1000, 1001, size=(rows, 3))
    label = features / 1000 @ TRUTH[:3] + TRUTH[3] + rng.normal(0, error, rows)
    return np.column_stack([features, np.rint(label * 10_000).astype(np.int64)])


@pytest.mark.parametrize("corrections", [0, 16])
def test_with_hardly_any_noise_it_is_least_squares(corrections: int) -> None:
    points = draw_rows(np.random.default_rng(1), 2000)
    found = fit_regression(MemorySource(points), NUMBERS, LAVISH, corrections=corrections)
    features = np.column_stack([points[:, :3] / 1000, np.ones(2000)])
    expected = np.linalg.lstsq(features, points[:, 3] / 10_000, rcond=None)[0]
    assert np.abs(found.weights - expected).max() < 2e-3
    assert found.rows == pytest.approx(2000, abs=1)
    assert found.error == pytest.approx(0.1, abs=0.01)


def test_places_that_overlap_with_the_intercept_get_weights_of_mean_0_over_the_rows() -> None:
    rng = np.random.default_rng(2)
    features = rng.integers([-1000, 0, 0], [1001, 3, 2], size=(3000, 3))
    label = features[:, 0] / 2000 + np.array([0.2, 0.0, -0.2])[features[:, 1]] + np.array([0.1, -0.1])[features[:, 2]]
    points = np.column_stack([features, np.rint(label * 10_000).astype(np.int64)])
    found = fit_regression(MemorySource(points), MIXED, LAVISH)
    dense = np.column_stack(
        [features[:, 0] / 1000, np.eye(3)[features[:, 1]], np.eye(2)[features[:, 2]], np.ones(3000)]
    )
    assert np.abs(dense @ found.weights - label).max() < 5e-3
    means = dense.mean(axis=0)
    assert found.weights[1:4] @ means[1:4] == pytest.approx(0, abs=1e-3)
    assert found.weights[4:6] @ means[4:6] == pytest.approx(0, abs=1e-3)
    assert found.weights[1] - found.weights[3] == pytest.approx(0.4, abs=5e-3)


@pytest.mark.parametrize("corrections", [0, 4])
@pytest.mark.parametrize("factor", [1, 2])
def test_all_draws_together_cost_the_allowance_and_no_more(corrections: int, factor: int) -> None:
    allowance = read_gaussian_allowance(1.0, 1e-6)
    source = CountingSource(draw_rows(np.random.default_rng(3), 500), factor=factor)
    fit_regression(source, NUMBERS, allowance, corrections=corrections)
    assert 0.999 * float(allowance.rho) < source.rho <= float(allowance.rho) * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_intervals_hold_the_truth_about_as_often_as_they_say(epsilon: float) -> None:
    """95% intervals, noise and sampling together: 40 fits of 4 weights each."""
    rng = np.random.default_rng(4)
    allowance = read_gaussian_allowance(epsilon, 1e-6)
    held, widths = [], []
    for _ in range(40):
        found = fit_regression(MemorySource(draw_rows(rng, 2000)), NUMBERS, allowance)
        intervals = found.find_intervals()
        held.append((intervals[:, 0] <= TRUTH) & (intervals[:, 1] >= TRUTH))
        widths.append(intervals[:, 1] - intervals[:, 0])
    assert np.mean(held) > 0.88
    assert np.median(widths) < 1.5 / epsilon


def test_corrections_lose_less_than_one_release_where_features_fill_little_of_their_bounds() -> None:
    rng = np.random.default_rng(5)
    allowance = read_gaussian_allowance(1.0, 1e-6)
    wrong: dict[int, list[float]] = {0: [], 16: []}
    for corrections, found in wrong.items():
        for _ in range(10):
            points = draw_rows(rng, 5000)
            points[:, :3] //= 8
            source = MemorySource(points)
            away = fit_regression(source, NUMBERS, allowance, corrections=corrections).weights - NARROW
            found.append(float(away @ away))
    assert np.mean(wrong[16]) < np.mean(wrong[0]) / 2


def test_a_ridge_shrinks_weights_but_not_the_intercept() -> None:
    points = draw_rows(np.random.default_rng(6), 2000)
    source = MemorySource(points)
    found = fit_regression(source, NUMBERS, LAVISH, alpha=100.0).weights
    features = np.column_stack([points[:, :3] / 1000, np.ones(2000)])
    penalty = 100.0 * np.diag([1, 1, 1, 0])
    expected = np.linalg.solve(features.T @ features + penalty, features.T @ (points[:, 3] / 10_000))
    assert np.abs(found - expected).max() < 2e-3


def test_a_singular_design_and_no_rows_give_finite_weights() -> None:
    allowance = read_gaussian_allowance(1.0, 1e-6)
    for points in (np.zeros((0, 4), dtype=np.int64), np.full((50, 4), 2**62), np.zeros((1, 4), dtype=np.int64)):
        found = fit_regression(MemorySource(points), NUMBERS, allowance)
        assert np.isfinite(found.weights).all()
        assert np.isfinite(found.errors).all()
        assert (found.errors > 0).all()


def test_what_is_known_of_places_is_put_into_noisy_moments() -> None:
    moments = make_moments(MIXED, 1)
    rng = np.random.default_rng(7)
    matrix = clean_moments(moments, rng.normal(size=moments.entries))
    assert (matrix == matrix.T).all()
    assert matrix[1, 2] == matrix[4, 5] == 0
    assert matrix[1, 4] != 0
    assert matrix[1, 1] == matrix[1, 6]
    with pytest.raises(ParameterError, match="entries"):
        clean_moments(moments, np.zeros(3))


def test_a_noisy_matrix_has_a_positive_inverse_whatever_the_noise() -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        noise = rng.normal(size=(5, 5))
        inverse, held, _ = invert_noisy(noise + noise.T, 1.0)
        assert np.linalg.eigvalsh(inverse).min() > 0
        assert np.linalg.eigvalsh(held).min() > -1e-9
        assert np.linalg.eigvalsh(inverse).max() <= 1 / math.sqrt(5) + 1e-9


def test_units_of_several_rows_have_a_clip_that_grows_with_the_root_of_their_number() -> None:
    assert make_moments(NUMBERS, 1).clip == bound_moments(NUMBERS)
    assert make_moments(NUMBERS, 9).clip == 3 * bound_moments(NUMBERS)
    assert make_gradients(NUMBERS, 4).clip == pytest.approx(2 * make_gradients(NUMBERS, 1).clip, abs=1)
    assert isinstance(make_moments(NUMBERS, 2), FeatureMoments)


def test_settings_that_cannot_be_are_refused() -> None:
    source = MemorySource(np.zeros((1, 4), dtype=np.int64))
    for words in ({"alpha": -1.0}, {"alpha": math.nan}, {"corrections": -1}):
        with pytest.raises(ParameterError):
            fit_regression(source, NUMBERS, LAVISH, **words)
    with pytest.raises(ParameterError, match="confidence"):
        fit_regression(source, NUMBERS, LAVISH).find_intervals(1.0)
