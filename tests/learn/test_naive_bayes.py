"""Naive Bayes: the class-wise statistics of the rows with little noise, and proper probabilities with any."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.naive_bayes import LEAST_DEVIATION, fit_naive_bayes
from discreet.learn.source import MemorySource
from support.sources import CountingSource

ENCODING = Encoding((NumberFeature(0, -1000, 1000), PlaceFeature(1, 3)), LabelColumn(2, 0, 1, 0, 1))
LAVISH = GaussianAllowance(Fraction(10**12))


def draw_rows(rng: np.random.Generator, rows: int) -> Ints:
    """Return rows of two classes that differ in a number's mean and in the shares of a category."""
    label = (rng.random(rows) < 0.3).astype(np.int64)
    number = np.clip(rng.normal(np.where(label, 400, -200), np.where(label, 100, 300)), -1000, 1000).astype(np.int64)
    place = np.where(label, rng.choice(3, rows, p=[0.7, 0.2, 0.1]), rng.choice(3, rows, p=[0.1, 0.2, 0.7]))
    return np.column_stack([number, place, label])


def test_with_hardly_any_noise_it_has_the_statistics_of_each_class() -> None:
    points = draw_rows(np.random.default_rng(1), 20_000)
    model = fit_naive_bayes(MemorySource(points), ENCODING, 2, LAVISH)
    for label in (0, 1):
        own = points[points[:, 2] == label]
        assert model.shares[label] == pytest.approx(len(own) / 20_000, abs=1e-4)
        assert model.means[label, 0] == pytest.approx(own[:, 0].mean() / 1000, abs=1e-3)
        assert model.variances[label, 0] == pytest.approx(own[:, 0].var() / 1e6, abs=1e-3)
        assert model.places[0][label] == pytest.approx(np.bincount(own[:, 1], minlength=3) / len(own), abs=1e-4)
    assert model.rows.sum() == pytest.approx(20_000, abs=1)


def test_with_noise_it_predicts_nearly_as_well() -> None:
    rng = np.random.default_rng(2)
    points, others = draw_rows(rng, 20_000), draw_rows(rng, 5000)
    rows = ENCODING.encode(others)
    right = []
    for allowance in (LAVISH, read_gaussian_allowance(0.5, 1e-6)):
        model = fit_naive_bayes(MemorySource(points), ENCODING, 2, allowance)
        right.append((model.find_probabilities(rows).argmax(axis=1) == others[:, 2]).mean())
    assert right[0] > 0.93
    assert right[1] > right[0] - 0.02


def test_probabilities_add_up_to_one_whatever_the_noise_and_rows() -> None:
    allowance = read_gaussian_allowance(0.01, 1e-6)
    for points in (np.zeros((0, 3), dtype=np.int64), np.full((3, 3), 2**62), np.zeros((1, 3), dtype=np.int64)):
        model = fit_naive_bayes(MemorySource(points), ENCODING, 2, allowance)
        found = model.find_probabilities(ENCODING.encode(draw_rows(np.random.default_rng(3), 100)))
        assert np.abs(found.sum(axis=1) - 1).max() < 1e-9
        assert np.isfinite(found).all()
        assert model.variances.min() >= LEAST_DEVIATION**2


@pytest.mark.parametrize("factor", [1, 2])
def test_the_one_draw_costs_the_allowance(factor: int) -> None:
    allowance = read_gaussian_allowance(1.0, 1e-6)
    source = CountingSource(draw_rows(np.random.default_rng(4), 100), factor=factor)
    fit_naive_bayes(source, ENCODING, 2, allowance)
    assert 0.999 * float(allowance.rho) < source.rho <= float(allowance.rho) * (1 + 1e-12)


def test_one_class_is_refused() -> None:
    with pytest.raises(ParameterError, match="classes"):
        fit_naive_bayes(MemorySource(np.zeros((1, 3), dtype=np.int64)), ENCODING, 1, LAVISH)
