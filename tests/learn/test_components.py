"""Components: those of the rows with little noise, directions of length one with any."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.components import fit_components
from discreet.learn.source import MemorySource
from support.sources import CountingSource

ENCODING = Encoding(tuple(NumberFeature(at, -1000, 1000) for at in range(4)), LabelColumn(0, 0, 1, 0, 0))
LAVISH = GaussianAllowance(Fraction(10**12))


def draw_rows(rng: np.random.Generator, rows: int) -> Ints:
    """Return rows that differ most along one direction, then along another."""
    along = rng.normal(size=(rows, 2)) * [250, 120]
    directions = np.array([[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]])
    return np.asarray(np.rint(along @ directions + [100, 0, -50, 0] + rng.normal(0, 30, (rows, 4))).astype(np.int64))


def test_with_hardly_any_noise_they_are_those_of_the_covariance() -> None:
    points = draw_rows(np.random.default_rng(1), 5000)
    found = fit_components(MemorySource(points), ENCODING, 3, LAVISH)
    values, vectors = np.linalg.eigh(np.cov(points.T / 1000, bias=True))
    assert found.variances == pytest.approx(values[::-1][:3], abs=1e-4)
    assert found.shares == pytest.approx(values[::-1][:3] / values.sum(), abs=2e-3)
    assert np.abs(found.directions[:2] @ vectors[:, ::-1][:, :2]) == pytest.approx(np.eye(2), abs=0.02)
    assert found.mean == pytest.approx(points.mean(axis=0) / 1000, abs=1e-3)


def test_with_noise_the_first_direction_is_nearly_the_same() -> None:
    points = draw_rows(np.random.default_rng(2), 20_000)
    found = fit_components(MemorySource(points), ENCODING, 1, read_gaussian_allowance(1.0, 1e-6))
    assert abs(found.directions[0] @ [0.5, 0.5, 0.5, 0.5]) > 0.98
    assert found.noise > 0


def test_directions_have_length_one_and_are_at_right_angles_whatever_the_noise() -> None:
    allowance = read_gaussian_allowance(0.01, 1e-6)
    for points in (np.zeros((0, 4), dtype=np.int64), np.full((3, 4), 2**62), np.zeros((1, 4), dtype=np.int64)):
        found = fit_components(MemorySource(points), ENCODING, 4, allowance)
        assert np.abs(found.directions @ found.directions.T - np.eye(4)).max() < 1e-9
        assert found.variances.min() >= 0
        assert found.shares.sum() <= 1 + 1e-9


def test_coordinates_lead_back_to_features() -> None:
    points = draw_rows(np.random.default_rng(3), 2000)
    found = fit_components(MemorySource(points), ENCODING, 4, LAVISH)
    features = points / 1000
    assert found.restore(found.project(features)) == pytest.approx(features, abs=1e-9)


@pytest.mark.parametrize("factor", [1, 2])
def test_the_one_draw_costs_the_allowance(factor: int) -> None:
    allowance = read_gaussian_allowance(1.0, 1e-6)
    source = CountingSource(draw_rows(np.random.default_rng(4), 100), factor=factor)
    fit_components(source, ENCODING, 2, allowance)
    assert 0.999 * float(allowance.rho) < source.rho <= float(allowance.rho) * (1 + 1e-12)


def test_more_components_than_features_are_refused() -> None:
    for count in (0, 5):
        with pytest.raises(ParameterError, match="count"):
            fit_components(MemorySource(np.zeros((1, 4), dtype=np.int64)), ENCODING, count, LAVISH)
