"""Step functions: those of the log odds with little noise, smooth where bins have an order, for the allowance."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.source import MemorySource
from discreet.learn.stumps import bin_points, find_curvature, fit_stumps
from support.sources import CountingSource

ENCODING = Encoding((PlaceFeature(0, 20), PlaceFeature(1, 3)), LabelColumn(2, 0, 1, 0, 1))
ORDERED = (20, 0)
LAVISH = GaussianAllowance(Fraction(10**12))
CATEGORIES = np.array([1.0, 0.0, -1.0])


def draw_rows(rng: np.random.Generator, rows: int) -> Ints:
    """Return rows whose log odds are a bump of one feature plus a step of another."""
    bins, places = rng.integers(20, size=rows), rng.integers(3, size=rows)
    odds = find_bump(bins) + CATEGORIES[places]
    return np.column_stack([bins, places, (rng.random(rows) < 1 / (1 + np.exp(-odds))).astype(np.int64)])


def find_bump(bins: np.ndarray) -> np.ndarray:
    return np.asarray(2 * np.cos((bins - 9.5) / 4))


def test_with_hardly_any_noise_steps_are_the_log_odds() -> None:
    points = draw_rows(np.random.default_rng(1), 60_000)
    model = fit_stumps(MemorySource(points), ENCODING, ORDERED, LAVISH)
    bump = find_bump(np.arange(20))
    assert np.abs(model.steps[0] - (bump - bump.mean())).max() < 0.25
    assert np.abs(model.steps[1] - CATEGORIES).max() < 0.1
    assert model.rows[1].sum() == pytest.approx(60_000, abs=5)
    assert model.rank_features()[0] > model.rank_features()[1] > 0


def test_with_noise_the_shape_is_kept() -> None:
    points = draw_rows(np.random.default_rng(2), 30_000)
    model = fit_stumps(MemorySource(points), ENCODING, ORDERED, read_gaussian_allowance(1.0, 1e-6))
    bump = find_bump(np.arange(20))
    assert np.corrcoef(model.steps[0], bump)[0, 1] > 0.98
    assert np.corrcoef(model.steps[1], CATEGORIES)[0, 1] > 0.98


def test_scores_are_the_steps_and_the_intercept() -> None:
    points = draw_rows(np.random.default_rng(3), 2000)
    model = fit_stumps(MemorySource(points), ENCODING, ORDERED, read_gaussian_allowance(1.0, 1e-6), rounds=5)
    scores = model.find_scores(ENCODING.encode(points))
    assert scores == pytest.approx(model.intercept + model.steps[0][points[:, 0]] + model.steps[1][points[:, 1]])


def test_bins_without_rows_follow_their_neighbours_and_places_without_rows_stay_put() -> None:
    rows = np.array([1000.0, 1000.0, 0.0, 1000.0])
    sums = np.array([-100.0, -100.0, 0.0, -100.0])
    smooth = find_curvature(rows, 10.0, ordered=4).divide(-sums)
    assert smooth[2] > 0.8 * smooth[1]
    assert find_curvature(rows, 10.0, ordered=0).divide(-sums)[2] == pytest.approx(0)


@pytest.mark.parametrize("factor", [1, 2])
def test_all_draws_together_cost_the_allowance_and_no_more(factor: int) -> None:
    allowance = read_gaussian_allowance(1.0, 1e-6)
    source = CountingSource(draw_rows(np.random.default_rng(4), 100), factor=factor)
    fit_stumps(source, ENCODING, ORDERED, allowance, rounds=7)
    assert 0.999 * float(allowance.rho) < source.rho <= float(allowance.rho) * (1 + 1e-12)


def test_any_rows_give_finite_steps() -> None:
    allowance = read_gaussian_allowance(0.01, 1e-6)
    for points in (np.zeros((0, 3), dtype=np.int64), np.full((3, 3), 2**62), np.zeros((1, 3), dtype=np.int64)):
        model = fit_stumps(MemorySource(points), ENCODING, ORDERED, allowance, rounds=4)
        assert all(np.isfinite(each).all() for each in model.steps)


def test_bins_are_even_and_hold_what_is_beyond() -> None:
    assert bin_points(np.array([-5, 0, 24, 25, 99, 2**62]), 0, 99, 4).tolist() == [0, 0, 0, 1, 3, 3]
    with pytest.raises(ParameterError, match="bins"):
        bin_points(np.array([1]), 0, 9, 0)


def test_numbers_and_missing_orders_are_refused() -> None:
    source = MemorySource(np.zeros((1, 3), dtype=np.int64))
    with pytest.raises(ParameterError, match="put numbers into bins"):
        fit_stumps(source, Encoding((NumberFeature(0, 0, 1),), ENCODING.label), (2,), LAVISH)
    with pytest.raises(ParameterError, match="ordered"):
        fit_stumps(source, ENCODING, (20,), LAVISH)
