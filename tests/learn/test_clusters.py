"""Clusters: Lloyd's steps with little noise, centres within bounds with any."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.clusters import find_centres, fit_clusters, move_centres, place_centres
from discreet.learn.source import MemorySource
from support.sources import CountingSource

ENCODING = Encoding(tuple(NumberFeature(at, -1000, 1000) for at in range(2)), LabelColumn(0, 0, 1, 0, 0))
LAVISH = GaussianAllowance(Fraction(10**12))
CENTRES = np.array([[-600, -600], [600, -500], [0, 700]])


def draw_rows(rng: np.random.Generator, rows: int) -> Ints:
    """Return rows around three centres."""
    return np.rint(CENTRES[rng.integers(3, size=rows)] + rng.normal(0, 100, (rows, 2))).astype(np.int64)


def find_distance(centres: np.ndarray) -> float:
    """Return how far the farthest true centre is from the nearest found one."""
    return float(np.max([np.sqrt(((centres - each / 1000) ** 2).sum(axis=1)).min() for each in CENTRES]))


def test_with_hardly_any_noise_they_are_lloyd_s() -> None:
    points = draw_rows(np.random.default_rng(1), 3000)
    start = place_centres(ENCODING, 3, np.random.default_rng(5))
    found = fit_clusters(MemorySource(points), ENCODING, 3, LAVISH, rounds=5, start=start)
    features, centres = points / 1000, start
    for _ in range(5):
        near = ((features[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.array([features[near == at].mean(axis=0) for at in range(3)])
    assert found.centres == pytest.approx(centres, abs=2e-3)
    assert found.rows.sum() == pytest.approx(3000, abs=1)
    assert (found.assign(ENCODING.encode(points)) == near).mean() > 0.999


def test_with_noise_the_centres_of_the_rows_are_found() -> None:
    points = draw_rows(np.random.default_rng(2), 10_000)
    found = fit_clusters(MemorySource(points), ENCODING, 3, read_gaussian_allowance(1.0, 1e-6))
    assert find_distance(found.centres) < 0.1


def test_the_beginning_finds_the_centres_of_a_coarse_picture() -> None:
    means = np.array([[-0.6, -0.6], [-0.5, -0.6], [0.6, 0.5], [0.7, 0.5], [0.0, 0.9]])
    counted = np.array([900.0, 800.0, 1000.0, 700.0, 3.0])
    found = find_centres(means * counted[:, None], counted, 10.0, 2, np.random.default_rng(1))
    assert sorted(np.sign(found[:, 0]).tolist()) == [-1, 1]
    quiet = find_centres(np.zeros((5, 2)), np.zeros(5), 10.0, 2, np.random.default_rng(1))
    assert quiet.shape == (2, 2)


def test_a_cluster_that_tells_nothing_begins_anew_beside_the_largest() -> None:
    centres = np.array([[0.0, 0.0], [0.9, 0.9]])
    moved = move_centres(
        centres, np.array([[500.0, -500.0], [30.0, 30.0]]), np.array([1000.0, 5.0]), 10.0, np.random.default_rng(1)
    )
    assert moved[0] == pytest.approx([0.5, -0.5])
    assert np.abs(moved[1] - moved[0]).max() < 0.5
    still = move_centres(centres, np.zeros((2, 2)), np.array([1.0, -5.0]), 10.0, np.random.default_rng(1))
    assert still.tolist() == centres.tolist()


def test_centres_stay_within_bounds_whatever_the_noise_and_rows() -> None:
    allowance = read_gaussian_allowance(0.01, 1e-6)
    for points in (np.zeros((0, 2), dtype=np.int64), np.full((3, 2), 2**62), np.zeros((1, 2), dtype=np.int64)):
        found = fit_clusters(MemorySource(points), ENCODING, 4, allowance)
        assert np.abs(found.centres).max() <= 1
        assert found.rows.min() >= 0


@pytest.mark.parametrize("factor", [1, 2])
def test_all_draws_together_cost_the_allowance_and_no_more(factor: int) -> None:
    allowance = read_gaussian_allowance(1.0, 1e-6)
    source = CountingSource(draw_rows(np.random.default_rng(4), 100), factor=factor)
    fit_clusters(source, ENCODING, 3, allowance, rounds=7)
    assert 0.999 * float(allowance.rho) < source.rho <= float(allowance.rho) * (1 + 1e-12)


def test_settings_that_cannot_be_are_refused() -> None:
    source = MemorySource(np.zeros((1, 2), dtype=np.int64))
    with pytest.raises(ParameterError, match="count"):
        fit_clusters(source, ENCODING, 0, LAVISH)
    with pytest.raises(ParameterError, match="rounds"):
        fit_clusters(source, ENCODING, 2, LAVISH, rounds=0)
