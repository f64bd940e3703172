"""Descent: settings from public facts, and without noise the textbook's descent."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.residuals import RESIDUAL_STEPS
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients, Weights
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.descent import (
    LEAST_CLIP,
    MOST_MOMENTUM,
    STEPS,
    DescentSettings,
    bound_noise,
    choose_clip,
    choose_settings,
    descend,
    train,
)
from discreet.learn.kinds import KINDS, find_kind
from discreet.learn.source import MemorySource
from discreet.mechanisms import Gaussian
from discreet.privacy.charges import Charge
from discreet.query.cost import NOTHING, add_charges, cost_vector, fits_within

FEATURES = (NumberFeature(0, 0, 1000), PlaceFeature(1, 3))


class Metered(MemorySource):
    """Adds up what all draws cost, at their own sensitivity."""

    spent: Charge = NOTHING

    def draw_count(self, noise: Gaussian) -> int:
        self.spent = add_charges(self.spent, cost_vector(self.factor * self.most_rows, noise))
        return super().draw_count(noise)

    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        self.spent = add_charges(self.spent, cost_vector(self.factor * gradients.clip, noise))
        return super().draw_gradients(gradients, weights, noise)


def make_points(kind: str, rows: int = 4000) -> np.ndarray:
    rng = np.random.default_rng(8)
    age, ward = rng.integers(0, 1001, rows), rng.integers(0, 3, rows)
    score = (age - 500) / 250 + np.array([1.0, 0.0, -1.0])[ward]
    if KINDS[kind].predicts == "classes":
        label = (rng.random(rows) < 1 / (1 + np.exp(-score))).astype(np.int64)
    elif kind == "poisson":
        label = rng.poisson(np.exp(score / 2))
    else:
        label = np.rint(score * 20 + rng.normal(size=rows)).astype(np.int64)
    return np.column_stack([age, ward, label])


def make_gradients(kind: str) -> LinearGradients:
    labels = {
        "classes": LabelColumn(2, 0, 1, 0, 1),
        "number": LabelColumn(2, -100, 100, -RESIDUAL_STEPS, RESIDUAL_STEPS),
        "count": LabelColumn(2, 0, 16, 0, 4 * RESIDUAL_STEPS),
    }
    return find_kind(kind).make_gradients(Encoding(FEATURES, labels[KINDS[kind].predicts]), 2)


@pytest.mark.many
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("size", [None, 4000])
def test_what_a_model_costs_is_its_allowance(kind: str, factor: int, size: int | None) -> None:
    source = Metered(make_points(kind), factor=factor)
    allowance = GaussianAllowance(Fraction(1, 50))
    train(source, make_gradients(kind), kind, allowance, size)
    assert fits_within(source.spent, allowance.charge)
    assert source.spent.rho > allowance.rho * Fraction(99_999, 100_000)


def descend_plainly(points: np.ndarray, settings: DescentSettings) -> Floats:
    """Return logistic weights of the same descent, in floats and without noise or clipping."""
    scaled = np.column_stack([(points[:, 0] - 500) / 500, np.eye(3)[points[:, 1]], np.ones(len(points))])
    length = np.sqrt(3)
    weights, velocity, total = np.zeros(5), np.zeros(5), np.zeros(5)
    for step in range(settings.steps):
        predicted = 1 / (1 + np.exp(-scaled @ weights / length))
        slope = scaled.T @ (predicted - points[:, 2]) / (length * len(points))
        velocity = settings.momentum * velocity - settings.rate * slope
        weights = weights + velocity
        if step >= settings.steps - settings.tail:
            total += weights
    return np.asarray(total / settings.tail / length)


def test_without_noise_and_clipping_it_is_the_textbook_s_descent() -> None:
    points = make_points("logistic")
    gradients = LinearGradients(
        Encoding(FEATURES, LabelColumn(2, 0, 1, 0, 1)), find_kind("logistic").make_residual(2), 2**40
    )
    settings = DescentSettings(50, 2.0, 0.9, 25)
    plenty = GaussianAllowance(Fraction(10) ** 30)
    found = descend(MemorySource(points), gradients, plenty, settings, len(points), 3**0.5)
    assert np.abs(found[:, 0] - descend_plainly(points, settings)).max() < 2e-3


def test_with_little_noise_a_model_finds_what_is_there() -> None:
    allowance = GaussianAllowance(Fraction(1))
    logistic = train(MemorySource(make_points("logistic")), make_gradients("logistic"), "logistic", allowance, 4000)
    weights = np.array(logistic.weights) / 2**20
    assert 1.5 < weights[0] < 3.0  # 2 for the whole scale
    assert weights[1] - weights[3] == pytest.approx(2, abs=0.6)
    huber = train(MemorySource(make_points("huber")), make_gradients("huber"), "huber", allowance, 4000)
    assert np.array(huber.weights)[0] / 2**20 == pytest.approx(2 * 20 / 100, abs=0.1)


def test_settings_follow_what_may_be_spent() -> None:
    little, much = (choose_settings(mu, 40_000, 4.0, 1.6, 0.25) for mu in (0.01, 1.0))
    assert little.rate / (1 - little.momentum) < much.rate / (1 - much.momentum)
    assert little.steps == much.steps == STEPS
    assert much.momentum <= MOST_MOMENTUM
    for extreme in (choose_settings(1e-12, 1, 1.0, 1.0, 0.25), choose_settings(1e6, 1e12, 1.0, 1.0, 4.0)):
        assert 0 < extreme.rate < 10
        assert 0.9 <= extreme.momentum < 1


def test_the_clip_is_the_tighter_the_less_may_be_spent() -> None:
    clips = [choose_clip(mu, 40_000) for mu in (1e-6, 0.05, 0.07, 0.1, 10.0)]
    assert clips == sorted(clips)
    assert (clips[0], clips[-1]) == (LEAST_CLIP, 1.0)


def test_an_empty_table_has_a_model() -> None:
    empty = MemorySource(np.zeros((0, 3), dtype=np.int64))
    found = train(empty, make_gradients("logistic"), "logistic", GaussianAllowance(Fraction(1, 100)))
    assert len(found.weights) == 5
    assert found.rows >= 1


@pytest.mark.slow
def test_noise_is_bounded_by_what_it_would_be_where_data_say_nothing() -> None:
    """An empty table: all that moves weights is noise, and the bound is its deviation."""
    settings = DescentSettings(60, 1.5, 0.9, 30)
    gradients, allowance = make_gradients("logistic"), GaussianAllowance(Fraction(1, 2))
    empty = MemorySource(np.zeros((0, 3), dtype=np.int64))
    found = np.concatenate([descend(empty, gradients, allowance, settings, 1e4, 2.0) for _ in range(400)])
    noise = allowance.take(Fraction(1, 60)).make_noise(gradients.clip).sigma / GRADIENT_STEPS
    bound = bound_noise(settings, noise / (2.0 * 1e4)) / 2.0
    assert found.std() == pytest.approx(bound, rel=0.08)  # 2,000 draws: about five deviations


@pytest.mark.slow
def test_noise_stays_within_its_bound_where_data_say_something() -> None:
    points = make_points("logistic")
    allowance = GaussianAllowance(Fraction(1, 100))
    runs = [train(MemorySource(points), make_gradients("logistic"), "logistic", allowance, 4000) for _ in range(40)]
    weights = np.array([run.weights for run in runs]) / 2**20
    deviations = weights.std(axis=0)
    assert (deviations < runs[0].noise * 1.3).all()
    assert deviations[0] < runs[0].noise  # a common feature
